"""torch.cuda.amp.GradScaler, deprecated in favour of torch.amp.GradScaler('cuda')."""

import warnings

from ...amp.grad_scaler import GradScaler as _GradScaler

__all__ = ["GradScaler"]


class GradScaler(_GradScaler):
    """Scales losses against float16's underflow: the deprecated name of torch.amp.GradScaler("cuda", ...).

    Without CUDA it warns and is disabled.

    Args:
        init_scale (float): the first scale. Default: ``65536.0``.
        growth_factor (float): multiplies the scale after `growth_interval` steps without inf or NaN.
            Default: ``2.0``.
        backoff_factor (float): multiplies it after a step with inf or NaN. Default: ``0.5``.
        growth_interval (int): the number of such steps. Default: ``2000``.
        enabled (bool): whether it scales at all. Default: ``True``.
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
            "`torch.cuda.amp.GradScaler(args...)` is deprecated. "
            "Please use `torch.amp.GradScaler('cuda', args...)` instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
