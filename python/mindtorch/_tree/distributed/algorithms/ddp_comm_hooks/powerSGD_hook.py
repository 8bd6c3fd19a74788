"""PowerSGD is unsupported: its names exist and raise, because programs import them with other hooks."""

from ...._absent_device import define_refusing_functions, make_refusing_class

__all__ = ["PowerSGDState", "powerSGD_hook", "batched_powerSGD_hook"]

PowerSGDState = make_refusing_class(
    __name__, "PowerSGDState(*args, **kwargs)", NotImplementedError, "PowerSGDState is not implemented"
)
define_refusing_functions(
    __name__,
    ("powerSGD_hook(state, bucket)", "batched_powerSGD_hook(state, bucket)"),
    NotImplementedError,
    "{name} is not implemented",
)
