"""torch.npu.amp.autocast: torch.amp.autocast('npu')."""

from ..._root import torch
from ...amp import autocast_mode as _amp

__all__ = ["autocast", "custom_fwd", "custom_bwd"]


class autocast(_amp.autocast):
    """torch.amp.autocast("npu", ...), float16 by default."""

    def __init__(self, enabled: bool = True, dtype=None, cache_enabled: bool = True):
        super().__init__(
            "npu", enabled=enabled, dtype=torch.float16 if dtype is None else dtype, cache_enabled=cache_enabled
        )


def custom_fwd(fwd=None, *, cast_inputs=None):
    """torch.amp.custom_fwd(..., device_type="npu")."""
    return _amp.custom_fwd(fwd, device_type="npu", cast_inputs=cast_inputs)


def custom_bwd(bwd):
    """torch.amp.custom_bwd(..., device_type="npu")."""
    return _amp.custom_bwd(bwd, device_type="npu")
