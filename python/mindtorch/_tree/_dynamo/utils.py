"""torch._dynamo.utils: what programs ask of a graph compiler that is not there."""

import warnings

from .._root import torch
from .eval_frame import is_dynamo_supported

_warned = set()


def is_compile_supported(device_type) -> bool:
    """Whether functions for a device can be compiled: no."""
    torch.device(device_type)
    return is_dynamo_supported()


def warn_once(msg: str, stacklevel: int = 1) -> None:
    """A warning that is not repeated."""
    if msg not in _warned:
        _warned.add(msg)
        warnings.warn(msg, stacklevel=stacklevel + 1)
