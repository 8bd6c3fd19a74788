"""grad, vjp, jvp, linearize, jacrev, jacfwd and hessian as functions of functions, on both modes of autograd."""

import functools

from .._absent_device import refuse_all
from .._root import torch
from ..autograd import forward_ad
from ..utils._pytree import tree_flatten, tree_map, tree_unflatten, treespec_pprint


def _enter(value):
    """An input as the transform sees it: part of the caller's graph where it has one, else a new leaf."""
    if not isinstance(value, torch.Tensor):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")
    if value.requires_grad:
        return value.view_as(value)
    return forward_ad._with_tangents(value.detach(), forward_ad._tangents_of(value)).requires_grad_()


def _depends_on_others(tensor, own) -> bool:
    """Whether a gradient could flow from `tensor` to a leaf that the transform did not make."""
    seen, pending = set(), [tensor.grad_fn]
    while pending:
        node = pending.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None and not any(leaf is mine for mine in own):
            return True
        pending.extend(next_node for next_node, _ in node.next_functions)
    return False


def _leave(results, own):
    """Results keep their graph only where it leads out of the transform."""

    def release(value):
        if not isinstance(value, torch.Tensor) or not value.requires_grad or _depends_on_others(value, own):
            return value
        tangents = [(level, release(tangent)) for level, tangent in forward_ad._tangents_of(value)]
        return forward_ad._with_tangents(value.detach(), tangents)

    return tree_map(release, results)


def _check_argnums(argnums, count):
    """Nonnegative indices, as an int or a tuple like the given one."""

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


def _select(func, args, argnums):
    """(function of the chosen arguments alone, the chosen arguments)"""
    argnums = _check_argnums(argnums, len(args))
    chosen = (argnums,) if isinstance(argnums, int) else argnums

    @functools.wraps(func)
    def partial(*values):
        replaced = list(args)
        for place, value in zip(chosen, values):
            replaced[place] = value
        return func(*replaced)

    return partial, [args[place] for place in chosen], isinstance(argnums, int)


def _split_aux(output, has_aux, caller):
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{caller}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


def _gradients(outputs, sources, cotangents):
    """autograd.grad with zeros where there is no dependence; keeps the graph for outer transforms."""
    pairs = [pair for pair in zip(outputs, cotangents) if pair[0].requires_grad]
    if not pairs:
        return [torch.zeros_like(source) for source in sources]
    found = torch.autograd.grad(
        [output for output, _ in pairs],
        sources,
        [cotangent for _, cotangent in pairs],
        create_graph=True,
        allow_unused=True,
    )
    return [torch.zeros_like(source) if grad is None else grad for grad, source in zip(found, sources)]


def grad_and_value_impl(func, argnums, has_aux, args, kwargs):
    partial, chosen, is_single = _select(lambda *values: func(*values, **kwargs), args, argnums)
    with torch.enable_grad():
        flat, spec = tree_flatten(tuple(chosen))
        sources = [_enter(value) for value in flat]
        caller = "grad_and_value(f)(*args)"
        output, aux = _split_aux(partial(*tree_unflatten(sources, spec)), has_aux, caller)
        if not isinstance(output, torch.Tensor):
            raise RuntimeError(f"{caller}: Expected f(*args) to return a Tensor, got {type(output)}")
        if output.dim() != 0:
            raise RuntimeError(
                f"{caller}: Expected f(*args) to return a scalar Tensor, got tensor with {output.dim()} dims. Maybe "
                "you wanted to use the vjp or jacrev APIs instead?"
            )
        grads = _gradients([output], sources, [torch.ones_like(output)])
        gradient = tree_unflatten(grads, spec)
        gradient = gradient[0] if is_single else gradient
        return _leave((gradient, (output, aux) if has_aux else output), sources)


def vjp(func, *primals, has_aux=False):
    """(outputs, function from cotangents to gradients)"""
    with torch.enable_grad():
        flat, spec = tree_flatten(primals)
        sources = [_enter(value) for value in flat]
        result = func(*tree_unflatten(sources, spec))
        outputs, aux = _split_aux(result, has_aux, "vjp(f, *primals)")
        flat_outputs, output_spec = tree_flatten(outputs)
        _check_tensors(flat_outputs, "vjp(f, *primals)")
        for output in flat_outputs:
            if not (output.is_floating_point() or output.is_complex()):
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                    f"{output.dtype}"
                )

    def wrapper(cotangents, retain_graph=True, create_graph=None):
        flat_cotangents, cotangent_spec = tree_flatten(cotangents)
        if cotangent_spec != output_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {treespec_pprint(cotangent_spec)}, primal output: "
                f"{treespec_pprint(output_spec)}"
            )
        with torch.enable_grad():
            grads = tree_unflatten(_gradients(flat_outputs, sources, flat_cotangents), spec)
            return _leave(grads, sources)

    released = _leave(outputs, sources)
    return (released, wrapper, _leave(aux, sources)) if has_aux else (released, wrapper)


def _check_tensors(values, caller):
    if not values:
        raise RuntimeError(
            f"{caller}: Expected f to be a function that has non-empty output (got output = {values})"
        )
    for value in values:
        if not isinstance(value, torch.Tensor):
            raise RuntimeError(
                f"{caller}: expected f(*primals) to return only tensors, got unsupported type {type(value)}"
            )


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """(outputs, directional derivative), in forward mode."""
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
    outputs, derivatives, aux = _push_forward(func, flat, spec, flat_tangents, strict, has_aux, caller)
    return (outputs, derivatives, aux) if has_aux else (outputs, derivatives)


def _push_forward(func, flat, spec, flat_tangents, strict, has_aux, caller):
    """(outputs, their tangents, aux) at a level of its own."""
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
        duals = [make_dual(value, tangent, level=level) for value, tangent in zip(flat, flat_tangents)]
        outputs, aux = _split_aux(func(*tree_unflatten(duals, spec)), has_aux, caller)
        flat_outputs, output_spec = tree_flatten(outputs)
        _check_tensors(flat_outputs, caller)
        derivatives = [tangent_of(value) for value in flat_outputs]
        derivatives = tree_unflatten(derivatives, output_spec)
        return tree_map(primal_of, outputs), derivatives, tree_map(primal_of, aux)
    finally:
        forward_ad._close_level(level)
        torch._C._set_fwd_grad_enabled(enabled)


def linearize(func, *primals):
    """(outputs, function from tangents to the derivative there): `func` runs once, its graph serves all tangents."""
    with torch.enable_grad():
        flat, spec = tree_flatten(primals)
        sources = [_enter(value) for value in flat]
        outputs = func(*tree_unflatten(sources, spec))
        flat_outputs, output_spec = tree_flatten(outputs)
        _check_tensors(flat_outputs, "linearize(f, *primals)")
        cotangents = [torch.zeros_like(output, requires_grad=True) for output in flat_outputs]
        pulled = _gradients(flat_outputs, sources, cotangents)

    def jvp_fn(*tangents):
        flat_tangents, tangent_spec = tree_flatten(tangents)
        if tangent_spec != spec:
            raise RuntimeError(
                "Expected the tangents to have the same pytree structure as the primals in the linearized function. "
                f"Got primals with structure {spec} and tangents with structure {tangent_spec}"
            )
        with torch.enable_grad():
            derivatives = _gradients(pulled, cotangents, flat_tangents)
            return _leave(tree_unflatten(derivatives, output_spec), [*sources, *cotangents])

    return _leave(outputs, sources), jvp_fn


def _jacobian_blocks(outputs, sources):
    """For each output, its Jacobians by all sources: one backward per element."""
    blocks = []
    for output in outputs:
        rows = []
        for index in range(output.numel()):
            cotangent = torch.zeros_like(output).reshape(-1)
            cotangent[index] = 1
            rows.append(_gradients([output], sources, [cotangent.view(output.shape)]))
        columns = zip(*rows) if rows else [[] for _ in sources]
        blocks.append(
            [
                torch.stack(list(column)).view(output.shape + source.shape)
                if output.numel()
                else source.new_zeros(output.shape + source.shape)
                for column, source in zip(columns, sources)
            ]
        )
    return blocks


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    """The Jacobian, as a function."""
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    def wrapper(*args):
        partial, chosen, is_single = _select(func, args, argnums)
        with torch.enable_grad():
            flat, spec = tree_flatten(tuple(chosen))
            sources = [_enter(value) for value in flat]
            outputs, aux = _split_aux(partial(*tree_unflatten(sources, spec)), has_aux, "jacrev(f, *primals)")
            flat_outputs, output_spec = tree_flatten(outputs)
            _check_tensors(flat_outputs, "jacrev(f, *primals)")
            blocks = [tree_unflatten(block, spec) for block in _jacobian_blocks(flat_outputs, sources)]
            blocks = [block[0] if is_single else block for block in blocks]
            jacobian = tree_unflatten(blocks, output_spec)
            return _leave((jacobian, aux) if has_aux else jacobian, sources)

    return functools.wraps(func)(wrapper) if hasattr(func, "__name__") else wrapper


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """The Jacobian, as a function: one pass in forward mode per element of the inputs."""

    def wrapper(*args):
        partial, chosen, is_single = _select(func, args, argnums)
        flat, spec = tree_flatten(tuple(chosen))
        for value in flat:
            if not isinstance(value, torch.Tensor):
                raise RuntimeError(f"jacfwd(f, *primals): Expected all inputs to be Tensors, got {type(value)}")
        zeros = [torch.zeros_like(value) for value in flat]
        columns = [[] for _ in flat]  # per input, per element: the outputs' tangents
        outputs = aux = None
        for which, value in enumerate(flat):
            for index in range(value.numel()):
                step = torch.zeros_like(value, memory_format=torch.contiguous_format).view(-1)
                step[index] = 1
                tangents = [*zeros[:which], step.view(value.shape), *zeros[which + 1 :]]
                outputs, derivatives, aux = _push_forward(
                    partial, flat, spec, tangents, False, has_aux, "jacfwd"
                )
                columns[which].append(tree_flatten(derivatives)[0])
        if outputs is None:
            outputs, aux = _split_aux(partial(*chosen), has_aux, "jacfwd")
        flat_outputs, output_spec = tree_flatten(outputs)
        blocks = []
        for number, output in enumerate(flat_outputs):
            block = [
                torch.stack([step[number] for step in steps], -1).view(output.shape + value.shape)
                if steps
                else output.new_zeros(output.shape + value.shape)
                for steps, value in zip(columns, flat)
            ]
            block = tree_unflatten(block, spec)
            blocks.append(block[0] if is_single else block)
        jacobian = tree_unflatten(blocks, output_spec)
        return (jacobian, aux) if has_aux else jacobian

    return functools.wraps(func)(wrapper) if hasattr(func, "__name__") else wrapper


def hessian(func, argnums=0):
    """The Jacobian of the gradient."""
    return jacfwd(jacrev(func, argnums), argnums)


refuse_all(
    __name__,
    (
        "functionalize(func, *, remove='mutations')",
        "debug_unwrap(tensor, *, recurse=True)",
    ),
    NotImplementedError,
    "torch.func.{name} is not available",
)

for _function in (vjp, jvp, linearize, jacrev, jacfwd, hessian):
    _function.__module__ = __name__.removesuffix("_functorch.eager_transforms") + "func"
