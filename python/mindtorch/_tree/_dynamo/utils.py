"""torch._dynamo.utils: queries of a graph compiler, which does not exist here."""

import collections
import warnings

from .._root import torch
from ..utils._python_dispatch import is_traceable_wrapper_subclass
from .eval_frame import is_dynamo_supported

_warned = set()

# torch's compiler counts its events here; without a compiler the counters stay empty.
counters: "collections.defaultdict[str, collections.Counter[str]]" = collections.defaultdict(collections.Counter)


def is_compile_supported(device_type) -> bool:
    """Whether functions for a device can be compiled: no."""
    torch.device(device_type)
    return is_dynamo_supported()


def warn_once(msg: str, stacklevel: int = 1) -> None:
    """Emits a warning once."""
    if msg not in _warned:
        _warned.add(msg)
        warnings.warn(msg, stacklevel=stacklevel + 1)


def clone_input(x: torch.Tensor, *, dtype: "torch.dtype | None" = None) -> torch.Tensor:
    """Returns a leaf with the values, strides and gradient of a tensor, in memory of its own.

    Args:
        x (Tensor): the tensor.
        dtype (torch.dtype, optional): the copy's type. Default: ``None``, that of `x`.

    Returns:
        Tensor: the copy; it requires a gradient if `x` is a leaf that does.
    """
    with torch.no_grad():
        copy = x.detach().clone()
        is_plain = x.layout == torch.strided and copy.stride() != x.stride() and 0 not in x.stride()
        if is_plain and not is_traceable_wrapper_subclass(x):
            copy = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device).copy_(x)
        if dtype is not None:
            copy = copy.to(dtype)
    if x.is_leaf:
        copy.requires_grad_(x.requires_grad)
        if x.grad is not None:
            copy.grad = clone_input(x.grad, dtype=dtype)
    return copy
