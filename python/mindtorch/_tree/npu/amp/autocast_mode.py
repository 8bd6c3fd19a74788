"""torch.npu.amp.autocast: torch.amp.autocast('npu')."""

from ..._root import torch
from ...amp import autocast_mode as _amp

__all__ = ["autocast", "custom_fwd", "custom_bwd"]


class autocast(_amp.autocast):
    """Runs a block with automatic mixed precision on NPUs: torch.amp.autocast("npu", ...).

    Args:
        enabled (bool): whether autocast is in force in the block. Default: ``True``.
        dtype (torch.dtype, optional): the dtype to narrow to. Default: float16.
        cache_enabled (bool): keeps casts of parameters for the block. Default: ``True``.
    """

    def __init__(self, enabled: bool = True, dtype=None, cache_enabled: bool = True):
        super().__init__(
            "npu", enabled=enabled, dtype=torch.float16 if dtype is None else dtype, cache_enabled=cache_enabled
        )


def custom_fwd(fwd=None, *, cast_inputs=None):
    """Decorates the forward of an autograd.Function: torch.amp.custom_fwd(..., device_type="npu").

    Args:
        fwd (Callable, optional): the forward; left out when used with arguments.
        cast_inputs (torch.dtype, optional): casts floating NPU inputs and runs without autocast.
            Default: ``None``.

    Returns:
        Callable: the decorated function, or a decorator.
    """
    return _amp.custom_fwd(fwd, device_type="npu", cast_inputs=cast_inputs)


def custom_bwd(bwd):
    """Decorates the backward of an autograd.Function: torch.amp.custom_bwd(..., device_type="npu").

    Args:
        bwd (Callable): the backward; runs under the forward's autocast state.

    Returns:
        Callable: the decorated function.
    """
    return _amp.custom_bwd(bwd, device_type="npu")
