"""PowerSGD, which is not here: its names are, and refuse, as programs import them beside other hooks."""

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
