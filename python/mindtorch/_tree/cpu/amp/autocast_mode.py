"""torch.cpu.amp.autocast, deprecated in favour of torch.amp.autocast('cpu')."""

import warnings

from ..._root import torch
from ...amp import autocast_mode as _amp

__all__ = ["autocast"]


class autocast(_amp.autocast):
    """Deprecated: torch.amp.autocast("cpu", ...)."""

    def __init__(self, enabled: bool = True, dtype=None, cache_enabled: bool = True):
        warnings.warn(
            "`torch.cpu.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cpu', args...)` instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(
            "cpu", enabled=enabled, dtype=torch.bfloat16 if dtype is None else dtype, cache_enabled=cache_enabled
        )
