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
    """Lists the dtypes that autocast can use on NPUs.

    Returns:
        list[torch.dtype]: float16, bfloat16 and float32.
    """
    return [torch.float16, torch.bfloat16, torch.float32]


def is_autocast_enabled() -> bool:
    """Returns whether autocast on NPUs is in force in this thread.

    Returns:
        bool: whether it is.
    """
    return _C.is_autocast_enabled("npu")


def set_autocast_enabled(enable: bool) -> None:
    """Switches autocast on NPUs for this thread; torch.autocast("npu") does so for a block.

    Args:
        enable (bool): whether it is in force.
    """
    _C.set_autocast_enabled("npu", enable)


def get_autocast_dtype():
    """Returns the dtype that autocast narrows to on NPUs.

    Returns:
        torch.dtype: float16 unless set otherwise.
    """
    return _C.get_autocast_dtype("npu")


def set_autocast_dtype(dtype) -> None:
    """Sets the dtype that autocast narrows to on NPUs.

    Args:
        dtype (torch.dtype): the dtype, of get_amp_supported_dtype.
    """
    _C.set_autocast_dtype("npu", dtype)
