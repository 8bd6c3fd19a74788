"""torch.autograd: backward, grad, and the ways to extend and inspect differentiation."""

import warnings
from collections.abc import Mapping, Sequence

from .. import _C
from .._lazy import lazy_attributes
from .._root import torch
from ..overrides import handle_torch_function, has_torch_function, is_tensor_like
from . import graph
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .function import Function, NestedIOFunction
from .grad_mode import (
    _force_original_view_tracking,
    _unsafe_preserve_version_counter,
    enable_grad,
    enforce_grad_layout_policy,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from .gradcheck import gradcheck, gradgradcheck
from .graph import GradientEdge, _engine_run_backward
from .variable import Variable

__all__ = [
    "Variable",
    "Function",
    "backward",
    "grad_mode",
    "NestedIOFunction",
    "detect_anomaly",
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "enforce_grad_layout_policy",
    "variable",
]


def _describe_mismatch(kind, index_grad, grad_value, index_out, out_value):
    given = f"grad_output[{index_grad}] has a {kind} of {grad_value}"
    return f"{given} and output[{index_out}] has a {kind} of {out_value}."


def _check_given_grad(index, out_shape, out_dtype, grad, is_grads_batched):
    first = grad[0] if is_grads_batched else grad
    if tuple(out_shape) != tuple(first.shape):
        if is_grads_batched:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                "output, but a mismatch was detected: "
                + _describe_mismatch("shape", index, first.shape[1:], index, out_shape)
                + " If you only want some tensors in `grad_output` to be considered batched, consider using vmap."
            )
        raise RuntimeError("Mismatch in shape: " + _describe_mismatch("shape", index, first.shape, index, out_shape))
    if out_dtype.is_complex != grad.dtype.is_complex:
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            + _describe_mismatch("dtype", index, grad.dtype, index, out_dtype)
        )


def _check_given_nested_grad(index, out, grad):
    if not torch.is_same_size(out, grad):
        sizes = [t._nested_tensor_size() if t.layout == torch.strided else t.shape for t in (grad, out)]
        raise RuntimeError("Mismatch in shape: " + _describe_mismatch("shape", index, sizes[0], index, sizes[1]))


def _make_implicit_grad(out, shape, dtype, device):
    """Returns the gradient 1 of a real scalar."""
    if (out if shape is None else shape).numel() != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    if not dtype.is_floating_point:
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {dtype}")
    if isinstance(out, GradientEdge):
        return torch.ones(shape, dtype=dtype, device=device)
    return torch.ones_like(out, memory_format=torch.preserve_format)


def _make_grads(outputs, grads, is_grads_batched):
    """Checks the given output gradients and creates the missing ones."""
    result = []
    for index, (out, grad) in enumerate(zip(outputs, grads)):
        is_edge = isinstance(out, GradientEdge)
        if is_edge:
            meta = out.node._input_metadata[out.output_nr]
            shape, dtype, device = torch.Size(meta.shape), meta.dtype, meta.device
            if is_grads_batched and isinstance(grad, torch.Tensor) and tuple(shape) != tuple(grad[0].shape):
                raise RuntimeError("Batched grads are not supported with GradientEdge")
        else:
            if not isinstance(out, torch.Tensor):
                raise AssertionError("Expected output to be a torch.Tensor")
            shape, dtype, device = (None if out.is_nested else out.shape), out.dtype, None
        if isinstance(grad, torch.Tensor) and shape is None:
            _check_given_nested_grad(index, out, grad)
        elif isinstance(grad, torch.Tensor):
            _check_given_grad(index, shape, dtype, grad, is_grads_batched)
        elif grad is not None:
            raise TypeError("gradients can be either Tensors or None, but got " + type(grad).__name__)
        elif is_edge or out.requires_grad:
            grad = _make_implicit_grad(out, shape, dtype, device)
        result.append(grad)
    return tuple(result)


def _tensor_or_tensors_to_tuple(tensors, length):
    if tensors is None:
        return (None,) * length
    return (tensors,) if isinstance(tensors, torch.Tensor) else tuple(tensors)


def _outputs_as_tuple(outputs):
    return (outputs,) if is_tensor_like(outputs) or isinstance(outputs, GradientEdge) else tuple(outputs)


def _inputs_as_tuple(inputs, caller):
    if is_tensor_like(inputs) or isinstance(inputs, GradientEdge):
        found = (inputs,)
    elif type(inputs) is dict:
        found = tuple(inputs.values())
    elif isinstance(inputs, Mapping):
        raise TypeError(
            f"`inputs` argument to `{caller}()` must be a dict, not {type(inputs).__name__}. "
            "Other Mapping types are not supported."
        )
    else:
        found = tuple(inputs)
    if not found:
        raise RuntimeError(f"`inputs` argument to `{caller}()` cannot be empty.")
    return found


def _list_overridable(outputs, inputs):
    return tuple(value for value in (*outputs, *inputs) if is_tensor_like(value))


def backward(
    tensors: torch.Tensor | Sequence[torch.Tensor] | GradientEdge | Sequence[GradientEdge],
    grad_tensors: torch.Tensor | Sequence[torch.Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: torch.Tensor | Sequence[torch.Tensor | None] | None = None,
    inputs: torch.Tensor
    | Sequence[torch.Tensor]
    | GradientEdge
    | Sequence[GradientEdge]
    | dict[str, torch.Tensor]
    | None = None,
) -> None:
    """Computes gradients of `tensors` and adds them to the `grad` of the leaves they depend on.

    Gradients accumulate: clear them between steps. The graph is freed on the way unless `retain_graph`
    is set. Given `inputs`, only these get gradients.

    Args:
        tensors (Tensor, GradientEdge or sequence): the roots to differentiate.
        grad_tensors (Tensor or sequence, optional): gradient with respect to each of `tensors`; None
            stands for 1 where a tensor is a real scalar, or needs no gradient. Default: ``None``.
        retain_graph (bool, optional): keeps the graph for another backward. Default: as `create_graph`.
        create_graph (bool): records the computation, so that results can be differentiated again.
            Default: ``False``.
        grad_variables (optional): deprecated name of `grad_tensors`.
        inputs (Tensor, GradientEdge, sequence or dict, optional): where gradients are accumulated; not
            empty. Default: all leaves.

    Raises:
        RuntimeError: when a tensor has no graph or is no scalar and has no given gradient, when shapes
            differ, or when the graph has been freed.

    Example:
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> torch.autograd.backward((x ** 2).sum())
        >>> x.grad
        tensor([2., 4.])
    """
    if _C._are_functorch_transforms_active():
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
            "functorch.vjp instead or call backward() outside of functorch transforms."
        )
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only "
                "use `grad_tensors`."
            )
        grad_tensors = grad_variables
    targets = () if inputs is None else _inputs_as_tuple(inputs, "backward")
    tensors = _outputs_as_tuple(tensors)
    overridable = _list_overridable(tensors, targets)
    if has_torch_function(overridable):
        return handle_torch_function(
            backward,
            overridable,
            tensors,
            grad_tensors=grad_tensors,
            retain_graph=retain_graph,
            create_graph=create_graph,
            inputs=None if inputs is None else targets,
        )
    grads = _make_grads(tensors, _tensor_or_tensors_to_tuple(grad_tensors, len(tensors)), is_grads_batched=False)
    if retain_graph is None:
        retain_graph = create_graph
    _engine_run_backward(
        tensors, grads, retain_graph, create_graph, targets, allow_unreachable=True, accumulate_grad=True
    )


def grad(
    outputs: torch.Tensor | Sequence[torch.Tensor] | GradientEdge | Sequence[GradientEdge],
    inputs: torch.Tensor | Sequence[torch.Tensor] | GradientEdge | Sequence[GradientEdge] | dict[str, torch.Tensor],
    grad_outputs: torch.Tensor | Sequence[torch.Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[torch.Tensor, ...] | dict[str, torch.Tensor]:
    """Computes and returns gradients of `outputs` with respect to `inputs`; accumulates nothing.

    The result is the sum over outputs of vector-Jacobian products with `grad_outputs`.

    Args:
        outputs (Tensor, GradientEdge or sequence): the roots to differentiate.
        inputs (Tensor, GradientEdge, sequence or dict): with respect to what.
        grad_outputs (Tensor or sequence, optional): gradient with respect to each output; None stands
            for 1 where an output is a real scalar. Default: ``None``.
        retain_graph (bool, optional): keeps the graph for another call. Default: as `create_graph`.
        create_graph (bool): records the computation, so that results can be differentiated again.
            Default: ``False``.
        only_inputs (bool): deprecated and ignored. Default: ``True``.
        allow_unused (bool, optional): returns None for inputs that were not used, instead of an error.
            Default: as `materialize_grads`.
        is_grads_batched (bool): takes the first dimension of each grad_output as a batch of vectors,
            and stacks the results. Default: ``False``.
        materialize_grads (bool): returns zeros for inputs that were not used. Default: ``False``.

    Returns:
        tuple of Tensor: one gradient per input; a dict with the same keys where `inputs` is a dict.

    Raises:
        RuntimeError: when an input was not used and may not be, shapes differ, or the graph has been
            freed.
        ValueError: when `materialize_grads` comes with ``allow_unused=False``.

    Example:
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> (first,) = torch.autograd.grad(x ** 3, x, create_graph=True)
        >>> (second,) = torch.autograd.grad(first, x)
        >>> first.item(), second.item()
        (27.0, 18.0)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if allow_unused is None:
        allow_unused = materialize_grads
    outputs = _outputs_as_tuple(outputs)
    targets = _inputs_as_tuple(inputs, "grad")
    overridable = _list_overridable(outputs, targets)
    if has_torch_function(overridable):
        result = handle_torch_function(
            grad,
            overridable,
            outputs,
            targets,
            grad_outputs=grad_outputs,
            retain_graph=retain_graph,
            create_graph=create_graph,
            only_inputs=only_inputs,
            allow_unused=allow_unused,
            is_grads_batched=is_grads_batched,
            materialize_grads=materialize_grads,
        )
        return dict(zip(inputs, result, strict=True)) if type(inputs) is dict else result
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    grads = _make_grads(outputs, _tensor_or_tensors_to_tuple(grad_outputs, len(outputs)), is_grads_batched)
    if retain_graph is None:
        retain_graph = create_graph

    def vjp(cotangents, retain):
        return _engine_run_backward(
            outputs, cotangents, retain, create_graph, targets, allow_unused, accumulate_grad=False
        )

    result = _batched_vjp(vjp, grads, retain_graph) if is_grads_batched else vjp(grads, retain_graph)
    if materialize_grads:
        result = _materialize_zeros(result, targets, create_graph)
    return dict(zip(inputs, result, strict=True)) if type(inputs) is dict else result


def _batched_vjp(vjp, grads, retain_graph):
    """Runs one backward per row of the given gradients and stacks the results."""
    sizes = {grad.size(0) for grad in grads if grad is not None}
    if len(sizes) != 1:
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sorted(sizes)} for "
            "the mapped dimension"
        )
    count = sizes.pop()
    rows = [
        vjp(tuple(None if grad is None else grad[row] for grad in grads), retain_graph or row + 1 < count)
        for row in range(count)
    ]
    return tuple(None if column[0] is None else torch.stack(column) for column in zip(*rows))


def _materialize_zeros(result, targets, create_graph):
    if any(found is None and not is_tensor_like(target) for found, target in zip(result, targets, strict=True)):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    return tuple(
        torch.zeros_like(target, requires_grad=create_graph) if found is None else found
        for found, target in zip(result, targets, strict=True)
    )


def _is_checkpoint_valid():
    return Variable._execution_engine.is_checkpoint_valid()


def variable(*args, **kwargs):
    """Raises RuntimeError: `torch.tensor` took its place.

    Args:
        *args, **kwargs: ignored.

    Returns:
        Nothing, since it always raises.
    """
    raise RuntimeError("torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead")


variable.Variable = Variable

is_multithreading_enabled = _C._is_multithreading_enabled
is_view_replay_enabled = _C._is_view_replay_enabled

SavedTensor = _C._autograd.SavedTensor
_push_saved_tensors_default_hooks = _C._autograd._push_saved_tensors_default_hooks
_pop_saved_tensors_default_hooks = _C._autograd._pop_saved_tensors_default_hooks

__getattr__ = lazy_attributes(
    __name__,
    modules=("forward_ad", "functional", "profiler", "profiler_util"),
    names=dict.fromkeys(("ProfilerActivity", "DeviceType", "kineto_available", "_profiler_enabled"), "profiler"),
)
