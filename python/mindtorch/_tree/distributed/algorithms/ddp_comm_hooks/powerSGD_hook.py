"""PowerSGD is unsupported: its names exist and raise, because programs import them with other hooks."""

from ...._absent_device import refuse_all, refusing_class

__all__ = ["PowerSGDState", "powerSGD_hook", "batched_powerSGD_hook"]

PowerSGDState = refusing_class(
    __name__, "PowerSGDState(*args, **kwargs)", NotImplementedError, "PowerSGDState is not implemented"
)
refuse_all(
    __name__,
    ("powerSGD_hook(state, bucket)", "batched_powerSGD_hook(state, bucket)"),
    NotImplementedError,
    "{name} is not implemented",
)
