"""autocast on NPUs under torch_npu's own names."""

from .. import _C
from .._root import torch

__all__ = [
    "get_amp_supported_dtype",
    "is_autocast_enabled",
    "set_autocast_enabled",
    "get_autocast_dtype",
    "set_autocast_dtype",
]


def get_amp_supported_dtype() -> list:
    """The dtypes that autocast can narrow to."""
    return [torch.float16, torch.bfloat16, torch.float32]


def is_autocast_enabled() -> bool:
    """Whether autocast on NPUs is in force."""
    return _C.is_autocast_enabled("npu")


def set_autocast_enabled(enable: bool) -> None:
    """Switches autocast on NPUs for this thread."""
    _C.set_autocast_enabled("npu", enable)


def get_autocast_dtype():
    """The dtype that autocast narrows to."""
    return _C.get_autocast_dtype("npu")


def set_autocast_dtype(dtype) -> None:
    """Sets the dtype that autocast narrows to."""
    _C.set_autocast_dtype("npu", dtype)
