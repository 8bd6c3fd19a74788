"""torch.mps as a build without Metal has it."""

from .._absent_device import refuse_all, refusing

__all__ = [
    "Event",
    "compile_shader",
    "current_allocated_memory",
    "device_count",
    "driver_allocated_memory",
    "empty_cache",
    "event",
    "get_rng_state",
    "is_available",
    "load_metallib",
    "manual_seed",
    "profiler",
    "recommended_max_memory",
    "seed",
    "set_per_process_memory_fraction",
    "set_rng_state",
    "synchronize",
]


def _is_in_bad_fork() -> bool:
    return False


def is_available() -> bool:
    """False: no MPS here."""
    return False


def device_count() -> int:
    """0: no MPS here."""
    return 0


def manual_seed(seed: int) -> None:
    """Seeds Metal's generator where there is one."""
    int(seed)


for _declared, _hook in {
    "current_allocated_memory()": "getCurrentAllocatedMemory",
    "driver_allocated_memory()": "getDriverAllocatedMemory",
    "empty_cache()": "emptyCache",
    "get_rng_state(device='mps')": "getDefaultGenerator",
    "recommended_max_memory()": "getRecommendedMaxMemory",
    "seed()": "getDefaultGenerator",
    "set_per_process_memory_fraction(fraction)": "setMemoryFraction",
    "set_rng_state(new_state, device='mps')": "getDefaultGenerator",
    "synchronize()": "deviceSynchronize",
}.items():
    refuse_all(__name__, (_declared,), RuntimeError, f"Cannot execute {_hook}() without MPS backend.")
del _declared, _hook
compile_shader = refusing(__name__, "compile_shader(source)", RuntimeError, "MPS is not available")
load_metallib = refusing(__name__, "load_metallib(source)", RuntimeError, "MPS is not available")

from . import event, profiler  # noqa: E402
from .event import Event  # noqa: E402
