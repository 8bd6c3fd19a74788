"""torch.cpu.amp.GradScaler, deprecated in favour of torch.amp.GradScaler('cpu')."""

import warnings

from ...amp.grad_scaler import GradScaler as _GradScaler

__all__ = ["GradScaler"]


class GradScaler(_GradScaler):
    """Scales losses against underflow; deprecated: ``torch.amp.GradScaler("cpu", ...)``.

    Args:
        init_scale (float): first scale. Default: ``65536.0``.
        growth_factor (float): above 1. Default: ``2.0``.
        backoff_factor (float): below 1. Default: ``0.5``.
        growth_interval (int): good steps before the scale grows. Default: ``2000``.
        enabled (bool): False makes all methods pass things through. Default: ``True``.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     scaler = torch.cpu.amp.GradScaler(init_scale=8.0)
        >>> scaler.scale(torch.tensor(1.0))
        tensor(8.)
    """

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        warnings.warn(
            "`torch.cpu.amp.GradScaler(args...)` is deprecated. "
            "Please use `torch.amp.GradScaler('cpu', args...)` instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
