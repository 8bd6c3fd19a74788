"""Activation checkpointing: saves memory in forward, and repeats forward during backward."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from .._lazy import lazy_attributes
from .._root import torch
from ..autograd.function import Function
from ._checkpoint_recompute import (
    CheckpointError,
    GraphExecGroup,
    _CheckpointFrame,
    _internal_assert,
    _StopRecomputationError,
    checkpointed_region,
)
from ._checkpoint_state import (
    DefaultDeviceType,
    RegionState,
    _get_autocast_kwargs,
    _get_device_module,
    _infer_device_type,
    get_device_states,
    set_device_states,
)

__all__ = [
    "checkpoint", "checkpoint_sequential", "CheckpointError", "CheckpointFunction", "check_backward_validity",
    "detach_variable", "get_device_states", "set_device_states", "noop_context_fn", "set_checkpoint_early_stop",
    "DefaultDeviceType", "set_checkpoint_debug_enabled", "CheckpointPolicy", "SelectiveCheckpointContext",
    "create_selective_checkpoint_contexts", "SAC_IGNORED_OPS", "GraphExecGroup",
]

_DEFAULT_DETERMINISM_MODE = "default"
_checkpoint_debug_enabled: bool | None = None
_enable_checkpoint_early_stop: bool | None = None


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None):
    """Overrides the argument `debug` of all checkpoints inside the block.

    Args:
        enabled (bool or None): the value; None leaves the arguments alone.

    Returns:
        A context manager.

    Example:
        >>> with torch.utils.checkpoint.set_checkpoint_debug_enabled(False):
        ...     y = torch.utils.checkpoint.checkpoint(torch.sin, torch.zeros(1), use_reentrant=False)
    """
    global _checkpoint_debug_enabled
    previous, _checkpoint_debug_enabled = _checkpoint_debug_enabled, enabled
    try:
        yield
    finally:
        _checkpoint_debug_enabled = previous


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool):
    """Overrides the argument `early_stop` of all checkpoints inside the block.

    Args:
        enable (bool): the value.

    Returns:
        A context manager.

    Example:
        >>> with torch.utils.checkpoint.set_checkpoint_early_stop(False):
        ...     y = torch.utils.checkpoint.checkpoint(torch.sin, torch.zeros(1), use_reentrant=False)
    """
    global _enable_checkpoint_early_stop
    previous, _enable_checkpoint_early_stop = _enable_checkpoint_early_stop, enable
    try:
        yield
    finally:
        _enable_checkpoint_early_stop = previous


def detach_variable(inputs: tuple[Any, ...]) -> "tuple[torch.Tensor, ...]":
    """Returns new leaves with the same data and the same `requires_grad`.

    Args:
        inputs (tuple): tensors; other things stay.

    Returns:
        tuple: the leaves.

    Raises:
        RuntimeError: when `inputs` is no tuple.

    Example:
        >>> (x,) = torch.utils.checkpoint.detach_variable((torch.ones(1, requires_grad=True) * 2,))
        >>> x.is_leaf, x.requires_grad
        (True, True)
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")

    def leaf(value):
        if not isinstance(value, torch.Tensor):
            return value
        detached = value.detach()
        detached.requires_grad = value.requires_grad
        return detached

    return tuple(map(leaf, inputs))


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warns where no tensor among the inputs requires gradients.

    Args:
        inputs (iterable): the inputs.

    Example:
        >>> torch.utils.checkpoint.check_backward_validity([torch.ones(1, requires_grad=True)])
    """
    if not any(value.requires_grad for value in inputs if isinstance(value, torch.Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


class CheckpointFunction(Function):
    """The reentrant form of `checkpoint`: forward without a graph, and a backward within backward.

    Args:
        *args, **kwargs: not used; the class is called by `apply`.

    Example:
        >>> issubclass(torch.utils.checkpoint.CheckpointFunction, torch.autograd.Function)
        True
    """

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.state = RegionState(args, preserve_rng_state)
        # Passes tensors through autograd, so that in-place changes are detected.
        ctx.tensor_indices = [index for index, arg in enumerate(args) if isinstance(arg, torch.Tensor)]
        ctx.inputs = [None if isinstance(arg, torch.Tensor) else arg for arg in args]
        ctx.save_for_backward(*[args[index] for index in ctx.tensor_indices])
        with torch.no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx, *args):
        if not torch.autograd._is_checkpoint_valid():
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
                "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
                ".backward() without passing the `inputs` argument."
            )
        inputs = list(ctx.inputs)
        for index, tensor in zip(ctx.tensor_indices, ctx.saved_tensors, strict=True):
            inputs[index] = tensor
        detached = detach_variable(tuple(inputs))
        with ctx.state.replay(), torch.enable_grad():
            outputs = ctx.run_function(*detached)
        if isinstance(outputs, torch.Tensor):
            outputs = (outputs,)
        wanted = [
            (output, grad)
            for output, grad in zip(outputs, args)
            if isinstance(output, torch.Tensor) and output.requires_grad
        ]
        if not wanted:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        torch.autograd.backward(*map(list, zip(*wanted)))
        return None, None, *(value.grad if isinstance(value, torch.Tensor) else None for value in detached)


def noop_context_fn():
    """Returns two contexts that do nothing, for forward and recomputation.

    Returns:
        tuple: the contexts.

    Example:
        >>> len(torch.utils.checkpoint.noop_context_fn())
        2
    """
    return contextlib.nullcontext(), contextlib.nullcontext()


def _default_meta_extractor(x) -> dict[str, Any]:
    return {"shape": x.shape, "dtype": x.dtype, "device": x.device}


_allowed_determinism_checks_to_fns = {
    _DEFAULT_DETERMINISM_MODE: _default_meta_extractor,
    "none": lambda _: None,
}


def _warn_use_reentrant_not_given(message):
    warnings.warn(
        f"{message} use_reentrant=False is recommended, but if you need to preserve the current default behavior, you "
        "can pass use_reentrant=True. Refer to docs for more details on the differences between the two variants.",
        stacklevel=3,
    )


def _raise_unexpected_keywords(kwargs):
    raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))


def checkpoint(
    function,
    *args,
    use_reentrant: bool | None = None,
    context_fn: Callable[
        [], tuple[contextlib.AbstractContextManager, contextlib.AbstractContextManager]
    ] = noop_context_fn,
    determinism_check: str = _DEFAULT_DETERMINISM_MODE,
    debug: bool = False,
    early_stop: bool = True,
    **kwargs,
):
    """Calls a function and keeps only its inputs for backward, which calls it again (Chen et al. 2016).

    That saves the memory of intermediate results for the time of a second forward. The function has
    to compute the same again; random numbers and autocast are repeated.

    The form without reentry (`use_reentrant=False`) is recommended: it works with
    `torch.autograd.grad`, keyword arguments, and inputs and outputs of any structure, and stops the
    recomputation once it has what backward needs.

    Args:
        function (callable): the function.
        *args: its arguments.
        use_reentrant (bool, optional): which form; True with a warning where it is not given.
        context_fn (callable): returns two contexts, for forward and for recomputation; not with
            reentry. Default: `noop_context_fn`.
        determinism_check (str): ``"default"`` compares shapes, dtypes and devices of what was saved
            with the recomputed, ``"none"`` nothing. Default: ``"default"``.
        debug (bool): errors show the operators of both runs. Default: ``False``.
        early_stop (bool): stops the recomputation early. Default: ``True``.
        **kwargs: arguments of `function`; ``preserve_rng_state=False`` does not repeat random numbers.

    Returns:
        What `function` returned.

    Raises:
        ValueError: when options exclude each other.
        CheckpointError: in backward, when the recomputation differs.

    Example:
        >>> x = torch.tensor([2.0], requires_grad=True)
        >>> y = torch.utils.checkpoint.checkpoint(lambda x: (x * x).exp().log(), x, use_reentrant=False)
        >>> y.backward()
        >>> x.grad
        tensor([4.])
    """
    if use_reentrant is None:
        _warn_use_reentrant_not_given(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, "
            "calling checkpoint without use_reentrant will raise an exception."
        )
        use_reentrant = True
    preserve_rng_state = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            _raise_unexpected_keywords(kwargs)
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve_rng_state, *args)

    unpack_error_cb = None
    if debug if _checkpoint_debug_enabled is None else _checkpoint_debug_enabled:
        if context_fn is not noop_context_fn:
            raise ValueError("debug=True is incompatible with non-default context_fn")
        from ._checkpoint_debug import debug_contexts

        context_fn, unpack_error_cb = debug_contexts()
    if determinism_check not in _allowed_determinism_checks_to_fns:
        raise ValueError(
            f"determinism_check should be one of {list(_allowed_determinism_checks_to_fns)}, "
            f"but got {determinism_check}"
        )
    if _enable_checkpoint_early_stop is not None:
        early_stop = _enable_checkpoint_early_stop
    with checkpointed_region(
        function,
        args,
        kwargs,
        (preserve_rng_state, early_stop),
        context_fn(),
        unpack_error_cb,
        _allowed_determinism_checks_to_fns[determinism_check],
    ):
        return function(*args, **kwargs)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Checkpoints a sequential model in pieces; the last one runs plainly.

    Args:
        functions (Sequential or list of callable): the model.
        segments (int): number of pieces.
        input (Tensor): its input.
        use_reentrant (bool, optional): as in `checkpoint`.
        **kwargs: only ``preserve_rng_state``.

    Returns:
        The output of the model.

    Raises:
        ValueError: when another keyword is given.

    Example:
        >>> model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
        >>> x = torch.ones(1, 2, requires_grad=True)
        >>> y = torch.utils.checkpoint.checkpoint_sequential(model, 2, x, use_reentrant=False)
        >>> torch.equal(y, model(x))
        True
    """
    if use_reentrant is None:
        _warn_use_reentrant_not_given(
            "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. In "
            "version 2.9 we will raise an exception if use_reentrant is not passed."
        )
        use_reentrant = True
    preserve_rng_state = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        _raise_unexpected_keywords(kwargs)
    if isinstance(functions, torch.nn.Sequential):
        functions = list(functions.children())

    def run_segment(part):
        def forward(value):
            for function in part:
                value = function(value)
            return value

        return forward

    size = len(functions) // segments
    last = size * (segments - 1)
    for start in range(0, last, size):
        input = checkpoint(
            run_segment(functions[start : start + size]),
            input,
            use_reentrant=use_reentrant,
            preserve_rng_state=preserve_rng_state,
        )
    return run_segment(functions[last:])(input)


# Loaded on first use, because these names need torch.ops and dispatch modes.
__getattr__ = lazy_attributes(
    __name__,
    names=dict.fromkeys(
        ("CheckpointPolicy", "SAC_IGNORED_OPS", "SelectiveCheckpointContext", "create_selective_checkpoint_contexts"),
        "_checkpoint_selective",
    ),
)

# Pickles and `repr` name these classes by their public module.
for _cls in (CheckpointError, GraphExecGroup, DefaultDeviceType):
    _cls.__module__ = __name__
