"""torch._dynamo.utils: queries of a graph compiler, which does not exist here."""

import collections
import warnings

from .._root import torch
from .eval_frame import is_dynamo_supported

_warned = set()

# How often the compiler did what: nothing is ever counted.
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
