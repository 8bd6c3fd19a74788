"""torch.mps as in a build without Metal."""

from .. import _absent_answers
from .._absent_device import define_refusing_functions, make_refusing_function

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


_absent_answers.define(
    __name__,
    "MPS",
    _absent_answers._is_in_bad_fork,
    _absent_answers.is_available,
    _absent_answers.device_count,
    _absent_answers.manual_seed,
)


for _declared, _hook in {
    "current_allocated_memory(): Returns the bytes that tensors use.": "getCurrentAllocatedMemory",
    "driver_allocated_memory(): Returns the bytes that the driver holds for this process.": "getDriverAllocatedMemory",
    "empty_cache(): Gives cached memory back.": "emptyCache",
    "get_rng_state(device='mps'): Returns the state of a device's random generator.": "getDefaultGenerator",
    "recommended_max_memory(): Returns how many bytes the device should use at most.": "getRecommendedMaxMemory",
    "seed(): Seeds the device's random generator at random.": "getDefaultGenerator",
    "set_per_process_memory_fraction(fraction): Limits this process to a share of a device's memory.": (
        "setMemoryFraction"
    ),
    "set_rng_state(new_state, device='mps'): Sets the state of a device's random generator.": "getDefaultGenerator",
    "synchronize(): Waits until all work of a device is done.": "deviceSynchronize",
}.items():
    define_refusing_functions(__name__, (_declared,), RuntimeError, f"Cannot execute {_hook}() without MPS backend.")
del _declared, _hook
compile_shader = make_refusing_function(
    __name__, "compile_shader(source): Compiles a Metal shader.", RuntimeError, "MPS is not available"
)
load_metallib = make_refusing_function(
    __name__, "load_metallib(source): Loads a compiled Metal library.", RuntimeError, "MPS is not available"
)

from . import event, profiler  # noqa: E402
from .event import Event  # noqa: E402
