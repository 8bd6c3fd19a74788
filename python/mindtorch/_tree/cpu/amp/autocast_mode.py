"""torch.cpu.amp.autocast, deprecated in favour of torch.amp.autocast('cpu')."""

from __future__ import annotations

import warnings

from ..._root import torch
from ...amp import autocast_mode as _amp

__all__ = ["autocast"]


class autocast(_amp.autocast):
    """Runs chosen operators in a narrower dtype; deprecated: ``torch.amp.autocast("cpu", ...)``.

    Args:
        enabled (bool): whether to cast. Default: ``True``.
        dtype (torch.dtype): the narrower dtype. Default: ``torch.bfloat16``.
        cache_enabled (bool): whether casts are cached. Default: ``True``.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     with torch.cpu.amp.autocast():
        ...         (torch.ones(2, 2) @ torch.ones(2, 2)).dtype
        torch.bfloat16
    """

    def __init__(self, enabled: bool = True, dtype: torch.dtype = None, cache_enabled: bool = True):
        warnings.warn(
            "`torch.cpu.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cpu', args...)` instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(
            "cpu", enabled=enabled, dtype=torch.bfloat16 if dtype is None else dtype, cache_enabled=cache_enabled
        )
