"""torch.npu.amp.GradScaler: torch.amp.GradScaler('npu')."""

from ...amp.grad_scaler import GradScaler as _GradScaler

__all__ = ["GradScaler"]


class GradScaler(_GradScaler):
    """Scales losses against float16's underflow: torch.amp.GradScaler("npu", ...).

    Args:
        init_scale (float): the first scale. Default: ``65536.0``.
        growth_factor (float): multiplies the scale after `growth_interval` steps without inf or NaN.
            Default: ``2.0``.
        backoff_factor (float): multiplies it after a step with inf or NaN. Default: ``0.5``.
        growth_interval (int): the number of such steps. Default: ``2000``.
        dynamic (bool): only ``True`` is supported; otherwise NotImplementedError.
        enabled (bool): without it, scale and step do nothing more than usual. Default: ``True``.
    """

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        dynamic: bool = True,
        enabled: bool = True,
    ) -> None:
        if not dynamic:  # a constant scale: it neither grows nor shrinks
            raise NotImplementedError("torch.npu.amp.GradScaler: dynamic=False is not supported")
        super().__init__("npu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
