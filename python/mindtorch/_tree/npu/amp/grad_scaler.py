"""torch.npu.amp.GradScaler: torch.amp.GradScaler('npu')."""

from ...amp.grad_scaler import GradScaler as _GradScaler

__all__ = ["GradScaler"]


class GradScaler(_GradScaler):
    """torch.amp.GradScaler("npu", ...)."""

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
