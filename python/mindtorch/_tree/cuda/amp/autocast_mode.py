"""torch.cuda.amp.autocast, deprecated in favour of torch.amp.autocast('cuda')."""

import warnings

from ..._root import torch
from ...amp import autocast_mode as _amp

__all__ = ["autocast", "custom_fwd", "custom_bwd"]


def _warn_deprecated(call: str, replacement: str) -> None:
    warnings.warn(f"`torch.cuda.amp.{call}` is deprecated. Please use `{replacement}` instead.", FutureWarning, 3)


class autocast(_amp.autocast):
    """Runs a block with automatic mixed precision: the deprecated name of torch.amp.autocast("cuda", ...).

    Without CUDA torch.amp.autocast warns, and the block runs in full precision.

    Args:
        enabled (bool): whether autocast is in force in the block. Default: ``True``.
        dtype (torch.dtype): the dtype to narrow to. Default: float16.
        cache_enabled (bool): keeps casts of parameters for the block. Default: ``True``.
    """

    def __init__(self, enabled: bool = True, dtype: torch.dtype = torch.float16, cache_enabled: bool = True):
        _warn_deprecated("autocast(args...)", "torch.amp.autocast('cuda', args...)")
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


def _cast(value, dtype):
    _warn_deprecated("autocast_mode._cast(value, dtype)", "torch.amp.autocast_mode._cast(value, 'cuda', dtype)")
    return _amp._cast(value, "cuda", dtype)


def custom_fwd(fwd=None, *, cast_inputs=None):
    """Decorates the forward of an autograd.Function: torch.amp.custom_fwd(..., device_type="cuda").

    Deprecated, with a warning.

    Args:
        fwd (Callable, optional): the forward; left out when used with arguments.
        cast_inputs (torch.dtype, optional): casts floating CUDA inputs and runs without autocast.
            Default: ``None``.

    Returns:
        Callable: the decorated function, or a decorator.
    """
    _warn_deprecated("custom_fwd(args...)", "torch.amp.custom_fwd(args..., device_type='cuda')")
    return _amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd):
    """Decorates the backward of an autograd.Function: torch.amp.custom_bwd(..., device_type="cuda").

    Deprecated, with a warning.

    Args:
        bwd (Callable): the backward; runs under the forward's autocast state.

    Returns:
        Callable: the decorated function.
    """
    _warn_deprecated("custom_bwd(args...)", "torch.amp.custom_bwd(args..., device_type='cuda')")
    return _amp.custom_bwd(bwd, device_type="cuda")
