"""torch._prims_common.wrappers: conversions of arguments."""

from .._root import torch
from . import Number, dtype_to_type


def _maybe_convert_to_dtype(a, dtype):
    """Returns a tensor or number, or a tuple of those in a sequence, in another dtype; None stays None."""
    if a is None:
        return None
    if isinstance(a, torch.Tensor):
        return a.to(dtype) if a.dtype != dtype else a
    if isinstance(a, Number):
        return dtype_to_type(dtype)(a)
    if isinstance(a, (list, tuple)):
        return tuple(_maybe_convert_to_dtype(item, dtype) for item in a)
    raise ValueError(f"Received unsupported type {type(a)}. Expected TensorLike, Number, or Sequence!")
