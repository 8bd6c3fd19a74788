"""torch.cuda.amp.autocast, deprecated in favour of torch.amp.autocast('cuda')."""

import warnings

from ..._root import torch
from ...amp import autocast_mode as _amp

__all__ = ["autocast", "custom_fwd", "custom_bwd"]


def _warn(call: str, replacement: str) -> None:
    warnings.warn(f"`torch.cuda.amp.{call}` is deprecated. Please use `{replacement}` instead.", FutureWarning, 3)


class autocast(_amp.autocast):
    """Deprecated: torch.amp.autocast("cuda", ...)."""

    def __init__(self, enabled: bool = True, dtype: torch.dtype = torch.float16, cache_enabled: bool = True):
        _warn("autocast(args...)", "torch.amp.autocast('cuda', args...)")
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


def _cast(value, dtype):
    _warn("autocast_mode._cast(value, dtype)", "torch.amp.autocast_mode._cast(value, 'cuda', dtype)")
    return _amp._cast(value, "cuda", dtype)


def custom_fwd(fwd=None, *, cast_inputs=None):
    """Deprecated: torch.amp.custom_fwd(..., device_type="cuda")."""
    _warn("custom_fwd(args...)", "torch.amp.custom_fwd(args..., device_type='cuda')")
    return _amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd):
    """Deprecated: torch.amp.custom_bwd(..., device_type="cuda")."""
    _warn("custom_bwd(args...)", "torch.amp.custom_bwd(args..., device_type='cuda')")
    return _amp.custom_bwd(bwd, device_type="cuda")
