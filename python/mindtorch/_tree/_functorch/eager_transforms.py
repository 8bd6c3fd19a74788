"""grad, vjp, jvp, linearize, jacrev, jacfwd and hessian as function transforms, in reverse and forward mode."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

from .. import _C
from .._root import torch
from ..autograd import forward_ad
from ..utils._pytree import tree_flatten, tree_map, tree_unflatten, treespec_pprint
from .batching import Frame, mark_differentiating_transform, unwrap_all_levels
from .functionalization import functionalize
from .vmap import vmap_impl


@contextlib.contextmanager
def _leave_inference_mode():
    """Tensors made here can be differentiated; keeps the caller's grad mode, which is off in inference mode."""
    if torch.is_inference_mode_enabled():
        with torch.inference_mode(False), torch.no_grad():
            yield
    else:
        yield


@contextlib.contextmanager
def _force_recording_of_operators():
    """Records operators regardless of the caller's modes."""
    with _leave_inference_mode(), torch.enable_grad():
        yield


@contextlib.contextmanager
def _enter_transform():
    """Active while a function runs under a transform."""
    with mark_differentiating_transform(), _force_recording_of_operators():
        yield


def _is_differentiable(tensor):
    return tensor.clone() if tensor.is_inference() else tensor


class _Inputs:
    """The inputs of a transform: leaves to differentiate with respect to, and the values that the function gets for
    them."""

    def __init__(self, values):
        self.frame = Frame()
        with _force_recording_of_operators():
            self.leaves = [_make_transform_input(value, self.frame) for value in values]
            self.seen = [self.frame.from_value(leaf) for leaf in self.leaves]


def _make_transform_input(value, frame):
    """Returns an input that belongs to the transform: part of the caller's graph if it has one, else a new leaf."""
    if not isinstance(value, torch.Tensor):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")
    if not (value.is_floating_point() or value.is_complex()):
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    value = _is_differentiable(frame.show_own_dims(value))
    if unwrap_all_levels(value)[0].requires_grad:
        return value.view_as(value)
    leaf = forward_ad._attach_tangents(value.detach(), forward_ad._tangents_of(value))
    leaf.requires_grad = True
    return leaf


def _has_gradient_path_outside_transform(tensor, transform_inputs) -> bool:
    """Whether a gradient could flow from `tensor` to a leaf outside the transform."""
    seen, pending = set(), [tensor.grad_fn]
    while pending:
        node = pending.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None and not any(leaf is mine for mine in transform_inputs):
            return True
        pending.extend(next_node for next_node, _ in node.next_functions)
    return False


def _detach_results(results, transform_inputs, records):
    """Detaches results unless their graph leads out of the transform and the caller `records`."""

    def has_outside_history(tensor):
        if tensor.is_leaf:
            return all(tensor is not mine for mine in transform_inputs)
        return records and _has_gradient_path_outside_transform(tensor, transform_inputs)

    return tree_map(lambda value: _detach_with_tangents(value, has_outside_history), results)


def _detach_with_tangents(value, leads_outside):
    """Detaches a tensor and its tangents, unless `leads_outside(tensor)`; returns other values unchanged."""
    if not isinstance(value, torch.Tensor):
        return value
    inner, rewrap = unwrap_all_levels(value)
    if not inner.requires_grad or leads_outside(inner):
        return value
    tangents = [
        (level, _detach_with_tangents(tangent, leads_outside)) for level, tangent in forward_ad._tangents_of(inner)
    ]
    return rewrap(forward_ad._attach_tangents(inner.detach(), tangents))


def _check_argnums_range(argnums, count):
    """Makes indices nonnegative, as an int or a tuple like the given one."""

    def wrap(number):
        if not isinstance(number, int):
            raise RuntimeError(f"argnum must be int, got: {type(number)}")
        if -count <= number < count:
            return number % count
        raise RuntimeError(f"Got argnum={number}, but only {count} positional inputs")

    if isinstance(argnums, int):
        return wrap(argnums)
    if not isinstance(argnums, tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    wrapped = tuple(map(wrap, argnums))
    if not wrapped:
        raise RuntimeError("argnums must be non-empty")
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return wrapped


def _select_arguments(func, args, argnums):
    """Returns a function of the chosen arguments only, and these arguments."""
    argnums = _check_argnums_range(argnums, len(args))
    chosen = (argnums,) if isinstance(argnums, int) else argnums

    @functools.wraps(func)
    def call_with_chosen_arguments(*values):
        replaced = list(args)
        for place, value in zip(chosen, values):
            replaced[place] = value
        return func(*replaced)

    return call_with_chosen_arguments, [args[place] for place in chosen], isinstance(argnums, int)


def _split_aux(output, has_aux, caller):
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{caller}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


def _compute_gradients(outputs, inputs, cotangents):
    """Calls autograd.grad, with zeros for independent inputs; keeps the graph for outer transforms."""
    frame = inputs.frame
    outputs = [frame.show_own_dims(output) for output in outputs]
    pairs = [
        (output, _is_differentiable(frame.show_own_dims(cotangent)))
        for output, cotangent in zip(outputs, cotangents)
        if output.requires_grad
    ]
    if not pairs:
        return [torch.zeros_like(source) for source in inputs.seen]
    found = torch.autograd.grad(
        [output for output, _ in pairs],
        inputs.leaves,
        [cotangent for _, cotangent in pairs],
        create_graph=True,
        allow_unused=True,
    )
    return [
        torch.zeros_like(source) if grad is None else frame.from_value(grad) for grad, source in zip(found, inputs.seen)
    ]


def grad_and_value_impl(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...],
    has_aux: bool,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[Any, Any]:
    call_with_chosen_arguments, chosen, is_single = _select_arguments(
        lambda *values: func(*values, **kwargs), args, argnums
    )
    flat, spec = tree_flatten(tuple(chosen))
    inputs, records = _Inputs(flat), torch.is_grad_enabled()
    with _enter_transform():
        caller = "grad_and_value(f)(*args)"
        output, aux = _split_aux(call_with_chosen_arguments(*tree_unflatten(inputs.seen, spec)), has_aux, caller)
        if not isinstance(output, torch.Tensor):
            raise RuntimeError(f"{caller}: Expected f(*args) to return a Tensor, got {type(output)}")
        if output.dim() != 0:
            raise RuntimeError(
                f"{caller}: Expected f(*args) to return a scalar Tensor, got tensor with {output.dim()} dims. Maybe "
                "you wanted to use the vjp or jacrev APIs instead?"
            )
        grads = _compute_gradients([output], inputs, [torch.ones_like(output)])
        gradient = tree_unflatten(grads, spec)
        gradient = gradient[0] if is_single else gradient
        return _detach_results((gradient, (output, aux) if has_aux else output), inputs.leaves, records)


def vjp(
    func: Callable[..., Any], *primals: Any, has_aux: bool = False
) -> tuple[Any, Callable[..., Any]] | tuple[Any, Callable[..., Any], Any]:
    """Computes a function and returns the function from cotangents to gradients, ``u -> u' J``.

    Args:
        func (callable): takes `primals`, returns tensors at any depth.
        *primals: the arguments, all differentiated by.
        has_aux (bool): whether `func` returns ``(outputs, aux)``. Default: ``False``.

    Returns:
        tuple: ``(outputs, vjp_fn)`` or ``(outputs, vjp_fn, aux)``. ``vjp_fn(cotangents)``, cotangents
        structured as the outputs, returns a tuple with the gradient of each primal.

    Raises:
        RuntimeError: when the outputs are no tensors, or cotangents do not fit them.

    Example:
        >>> outputs, vjp_fn = torch.func.vjp(torch.square, torch.tensor([1.0, 2.0]))
        >>> vjp_fn(torch.tensor([1.0, 10.0]))
        (tensor([ 2., 40.]),)
    """
    inputs, outputs, flat_outputs, output_spec, aux, spec = _run_vjp(func, primals, has_aux)

    def wrapper(cotangents, retain_graph=True, create_graph=None):
        flat_cotangents, cotangent_spec = tree_flatten(cotangents)
        if cotangent_spec != output_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {treespec_pprint(cotangent_spec)}, primal output: "
                f"{treespec_pprint(output_spec)}"
            )
        records = torch.is_grad_enabled()
        with _force_recording_of_operators():
            grads = tree_unflatten(_compute_gradients(flat_outputs, inputs, flat_cotangents), spec)
            return _detach_results(grads, inputs.leaves, records)

    with _leave_inference_mode():
        released, aux = _detach_results((outputs, aux), inputs.leaves, torch.is_grad_enabled())
    return (released, wrapper, aux) if has_aux else (released, wrapper)


def _run_vjp(func, primals, has_aux):
    flat, spec = tree_flatten(primals)
    inputs = _Inputs(flat)
    with _enter_transform():
        result = func(*tree_unflatten(inputs.seen, spec))
        outputs, aux = _split_aux(result, has_aux, "vjp(f, *primals)")
        flat_outputs, output_spec = tree_flatten(outputs)
        _check_outputs_are_tensors(flat_outputs, "vjp(f, *primals)", outputs)
        for output in flat_outputs:
            if not (output.is_floating_point() or output.is_complex()):
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                    f"{output.dtype}"
                )
    return inputs, outputs, flat_outputs, output_spec, aux, spec


def _check_outputs_are_tensors(values, caller, output):
    if not values:
        raise RuntimeError(f"{caller}: Expected f to be a function that has non-empty output (got output = {output})")
    for value in values:
        if not isinstance(value, torch.Tensor):
            raise RuntimeError(
                f"{caller}: expected f(*primals) to return only tensors, got unsupported type {type(value)}"
            )


def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> tuple[Any, Any] | tuple[Any, Any, Any]:
    """Computes a function and its derivative in a direction, ``J v``, in forward mode.

    Args:
        func (callable): takes `primals`, returns tensors at any depth.
        primals (tuple): the arguments.
        tangents (tuple): the direction, structured and shaped as `primals`.
        strict (bool): raises where an output does not depend on an input, instead of returning zeros.
            Default: ``False``.
        has_aux (bool): whether `func` returns ``(outputs, aux)``. Default: ``False``.

    Returns:
        tuple: ``(outputs, derivatives)`` or ``(outputs, derivatives, aux)``.

    Raises:
        RuntimeError: when the arguments do not fit each other.

    Example:
        >>> torch.func.jvp(torch.square, (torch.tensor([3.0]),), (torch.tensor([1.0]),))
        (tensor([9.]), tensor([6.]))
    """
    caller = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{caller}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    flat, spec = tree_flatten(primals)
    flat_tangents, tangent_spec = tree_flatten(tangents)
    if spec != tangent_spec:
        raise RuntimeError(
            f"{caller}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {spec} and tangents with structure "
            f"{tangent_spec}"
        )
    if not flat:
        raise RuntimeError(f"{caller}: Expected primals to contain at least one Tensor.")
    for name, values in (("primals", flat), ("tangents", flat_tangents)):
        for value in values:
            if not isinstance(value, torch.Tensor):
                raise RuntimeError(f"{caller}: Expected {name} to only contain Tensors, got {type(value)}")
    outputs, derivatives, aux = _run_with_tangents(func, flat, spec, flat_tangents, strict, has_aux, caller)
    return (outputs, derivatives, aux) if has_aux else (outputs, derivatives)


def _run_with_tangents(func, flat, spec, flat_tangents, strict, has_aux, caller):
    """Returns (outputs, their tangents, aux) at a new level."""
    make_dual, unpack_dual = torch._C._VariableFunctions._make_dual, torch._C._VariableFunctions._unpack_dual
    enabled = torch._C._is_fwd_grad_enabled()
    level = forward_ad._open_level()
    torch._C._set_fwd_grad_enabled(True)

    def primal_of(value):
        return unpack_dual(value, level=level)[0] if isinstance(value, torch.Tensor) else value

    def tangent_of(value):
        tangent = unpack_dual(value, level=level)[1]
        if tangent is None and strict:
            raise RuntimeError(
                "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not "
                "allowed with strict=True."
            )
        return torch.zeros_like(value) if tangent is None else tangent

    try:
        with mark_differentiating_transform(), _leave_inference_mode():
            duals = [
                make_dual(_is_differentiable(value), _is_differentiable(tangent), level=level)
                for value, tangent in zip(flat, flat_tangents)
            ]
            outputs, aux = _split_aux(func(*tree_unflatten(duals, spec)), has_aux, caller)
            flat_outputs, output_spec = tree_flatten(outputs)
            _check_outputs_are_tensors(flat_outputs, caller, outputs)
            derivatives = [tangent_of(value) for value in flat_outputs]
            derivatives = tree_unflatten(derivatives, output_spec)
            return tree_map(primal_of, outputs), derivatives, tree_map(primal_of, aux)
    finally:
        forward_ad._close_level(level)
        torch._C._set_fwd_grad_enabled(enabled)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Computes a function and returns its linear approximation there, the function ``v -> J v``.

    `func` runs once; each further direction costs only the linear part, unlike repeated `jvp`.

    Args:
        func (callable): takes `primals`, returns tensors at any depth.
        *primals: the arguments.

    Returns:
        tuple: ``(outputs, jvp_fn)``; ``jvp_fn(*tangents)`` takes directions structured as `primals`.

    Raises:
        RuntimeError: when tangents do not fit the primals.

    Example:
        >>> outputs, jvp_fn = torch.func.linearize(torch.square, torch.tensor([3.0]))
        >>> jvp_fn(torch.tensor([1.0])), jvp_fn(torch.tensor([2.0]))
        (tensor([6.]), tensor([12.]))
    """
    flat, spec = tree_flatten(primals)
    inputs = _Inputs(flat)
    with _enter_transform():
        outputs = func(*tree_unflatten(inputs.seen, spec))
        flat_outputs, output_spec = tree_flatten(outputs)
        _check_outputs_are_tensors(flat_outputs, "linearize(f, *primals)", outputs)
        weights = _Inputs([torch.zeros_like(output) for output in flat_outputs])
        pulled = _compute_gradients(flat_outputs, inputs, weights.seen)

    def jvp_fn(*tangents):
        flat_tangents, tangent_spec = tree_flatten(tangents)
        if tangent_spec != spec:
            raise RuntimeError(f"Expected the tangents {tangent_spec} to have the same argspec as the primals {spec}")
        for number, (tangent, primal) in enumerate(zip(flat_tangents, flat)):
            for what in ("shape", "device", "dtype"):
                if getattr(tangent, what) != getattr(primal, what):
                    raise RuntimeError(
                        f"tangent:{number} with {what} {getattr(tangent, what)} in flattened pytree doesn't match the "
                        f"{what} {getattr(primal, what)} of the corresponding primal."
                    )
        records = torch.is_grad_enabled()
        with _force_recording_of_operators():
            derivatives = _compute_gradients(pulled, weights, flat_tangents)
            return _detach_results(tree_unflatten(derivatives, output_spec), [*inputs.leaves, *weights.leaves], records)

    with _leave_inference_mode():
        return _detach_results(outputs, inputs.leaves, torch.is_grad_enabled()), jvp_fn


def _make_basis(tensors):
    """Returns, for each tensor, one step in each direction of all of them: (all elements, *its shape)."""
    sizes = [tensor.numel() for tensor in tensors]
    total, start, blocks = sum(sizes), 0, []
    for tensor, size in zip(tensors, sizes):
        block = tensor.new_zeros(total, size)
        block.diagonal(-start).fill_(1)
        blocks.append(block.view(total, *tensor.shape))
        start += size
    return blocks


def _split_by_input(rows, outer, inner, is_transposed):
    """Splits rows of derivatives, one per element of `outer`, into a block for each of `outer` and each of `inner`."""
    split = [row.split([tensor.numel() for tensor in outer], dim=0) for row in rows]
    blocks = []
    for number, tensor in enumerate(outer):
        block = []
        for parts, other in zip(split, inner):
            part = parts[number]
            if is_transposed:
                block.append(part.movedim(0, -1).reshape(other.shape + tensor.shape))
            else:
                block.append(part.reshape(tensor.shape + other.shape))
        blocks.append(block)
    return blocks


def jacrev(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """Returns the Jacobian of a function as a function, computed in reverse mode.

    Good where there are fewer outputs than inputs. Entry by entry its shape is that of the output
    followed by that of the input.

    Args:
        func (callable): returns tensors at any depth, or with `has_aux` ``(outputs, aux)``.
        argnums (int or tuple of int): which arguments to differentiate by. Default: ``0``.
        has_aux (bool): whether `func` also returns an auxiliary value. Default: ``False``.
        chunk_size (int, optional): how many rows are computed at a time. Default: all.
        _preallocate_and_copy (bool): writes chunks into the result. Default: ``False``.

    Returns:
        callable: takes the arguments of `func`, returns the Jacobian, structured as the outputs and,
        within, as the chosen arguments; or ``(jacobian, aux)``.

    Raises:
        ValueError: when `chunk_size` is not positive.

    Example:
        >>> torch.func.jacrev(torch.square)(torch.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    def wrapper(*args):
        call_with_chosen_arguments, chosen, is_single = _select_arguments(func, args, argnums)
        found = vjp(call_with_chosen_arguments, *chosen, has_aux=has_aux)
        outputs, pull_back = found[:2]
        flat_outputs, output_spec = tree_flatten(outputs)
        flat_primals, spec = tree_flatten(tuple(chosen))

        def pull_back_to_row(*cotangents):
            return tuple(tree_flatten(pull_back(tree_unflatten(list(cotangents), output_spec)))[0])

        rows = vmap_impl(pull_back_to_row, 0, 0, "error", chunk_size, tuple(_make_basis(flat_outputs)), {})
        blocks = _split_by_input(rows, flat_outputs, flat_primals, is_transposed=False)
        blocks = [tree_unflatten(block, spec) for block in blocks]
        jacobian = tree_unflatten([block[0] if is_single else block for block in blocks], output_spec)
        return (jacobian, found[2]) if has_aux else jacobian

    return functools.wraps(func)(wrapper) if hasattr(func, "__name__") else wrapper


def jacfwd(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """Returns the Jacobian of a function as a function, computed in forward mode.

    Good where there are fewer inputs than outputs. The result is that of `jacrev`.

    Args:
        func (callable): returns tensors at any depth, or with `has_aux` ``(outputs, aux)``.
        argnums (int or tuple of int): which arguments to differentiate by. Default: ``0``.
        has_aux (bool): whether `func` also returns an auxiliary value. Default: ``False``.
        randomness (str): how random operations behave, as in `vmap`. Default: ``"error"``.

    Returns:
        callable: takes the arguments of `func`, returns the Jacobian or ``(jacobian, aux)``.

    Example:
        >>> torch.func.jacfwd(torch.square)(torch.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """

    def wrapper(*args):
        call_with_chosen_arguments, chosen, is_single = _select_arguments(func, args, argnums)
        flat, spec = tree_flatten(tuple(chosen))
        seen = {}

        def push_to_column(*tangents):
            found = jvp(
                call_with_chosen_arguments, tuple(chosen), tree_unflatten(list(tangents), spec), has_aux=has_aux
            )
            seen["aux"] = found[2] if has_aux else None
            flat_derivatives, seen["spec"] = tree_flatten(found[1])
            return tuple(flat_derivatives), found[2] if has_aux else ()

        columns, aux = vmap_impl(push_to_column, 0, 0, randomness, None, tuple(_make_basis(flat)), {})
        shapes = [column[0] if column.shape[0] else column.new_empty(column.shape[1:]) for column in columns]
        by_input = _split_by_input(columns, flat, shapes, is_transposed=True)
        blocks = []
        for number in range(len(columns)):
            block = tree_unflatten([blocks_of_input[number] for blocks_of_input in by_input], spec)
            blocks.append(block[0] if is_single else block)
        jacobian = tree_unflatten(blocks, seen["spec"])
        # vmap stacked one aux per direction; all are equal, so the first one is returned.
        return (jacobian, tree_map(lambda value: value[0], aux)) if has_aux else jacobian

    return functools.wraps(func)(wrapper) if hasattr(func, "__name__") else wrapper


def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """Returns the Hessian of a function as a function: ``jacfwd(jacrev(func))``.

    Args:
        func (callable): returns tensors at any depth.
        argnums (int or tuple of int): which arguments to differentiate by. Default: ``0``.

    Returns:
        callable: takes the arguments of `func`, returns second derivatives.

    Example:
        >>> torch.func.hessian(lambda x: (x ** 3).sum())(torch.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)


def debug_unwrap(tensor: torch.Tensor, *, recurse: bool = True) -> torch.Tensor:
    """Returns what a batched tensor holds under `vmap`: the tensor with its mapped dimension.

    For printing and inspection only: transforms do not see operations on it.

    Args:
        tensor (Tensor): any tensor.
        recurse (bool): unwraps all levels, not just the innermost. Default: ``True``.

    Returns:
        Tensor: the tensor inside, or the same tensor where there is none.

    Example:
        >>> def f(x):
        ...     print(tuple(x.shape), tuple(torch.func.debug_unwrap(x).shape))
        ...     return x
        >>> _ = torch.func.vmap(f)(torch.zeros(2, 3))
        (3,) (2, 3)
    """
    while _C._functorch.is_batchedtensor(tensor):
        tensor = _C._functorch.get_unwrapped(tensor)
        if not recurse:
            break
    return tensor


for _function in (vjp, jvp, linearize, jacrev, jacfwd, hessian, functionalize, debug_unwrap):
    _function.__module__ = __name__.removesuffix("_functorch.eager_transforms") + "func"
