"""torch.xpu as in a build without XPU."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from .. import _absent_answers
from .._absent_device import define_refusing_functions, define_missing_as_refusing, make_refusing_class

_NO_XPU = "Torch not compiled with XPU enabled"

default_generators: tuple = ()
_initialized = False


def _make_dummy(declaration: str) -> type:
    name = declaration.partition("(")[0]
    return make_refusing_class(__name__, declaration, RuntimeError, f"Tried to instantiate dummy base class {name}")


Stream = _make_dummy("Stream(device=None, priority=0, **kwargs): A queue of a device's work.")
Event = _make_dummy("Event(enable_timing=False): A mark in a stream's work.")


_absent_answers.define(
    __name__,
    "XPU",
    _absent_answers._is_compiled,
    _absent_answers._is_in_bad_fork,
    _absent_answers.is_available,
    _absent_answers.is_initialized,
    _absent_answers.device_count,
    _absent_answers.is_bf16_supported,
    _absent_answers.is_tf32_supported,
    _absent_answers.get_arch_list,
    _absent_answers.get_gencode_flags,
    _absent_answers.empty_cache,
    _absent_answers.memory_stats,
    _absent_answers.memory_stats_as_nested_dict,
    _absent_answers.memory_allocated,
    _absent_answers.max_memory_allocated,
    _absent_answers.memory_reserved,
    _absent_answers.max_memory_reserved,
    _absent_answers.manual_seed,
    _absent_answers.manual_seed_all,
    _absent_answers.seed,
    _absent_answers.seed_all,
    _absent_answers.get_rng_state_all,
)


def _lazy_init():
    raise AssertionError(_NO_XPU)


def init() -> None:
    """Would initialise XPU: always raises AssertionError, as this build has none."""
    _lazy_init()


class device:
    """Makes a device current for a block; entering it raises NotImplementedError for index 0 and above.

    Args:
        device (torch.device, str or int): the device; None and negative indices leave the current one.
    """

    def __init__(self, device: Any):
        self.idx = device if isinstance(device, int) else getattr(device, "index", None)

    def __enter__(self):
        if self.idx is not None and self.idx >= 0:
            raise NotImplementedError("PyTorch was compiled without XPU support")

    def __exit__(self, type: Any, value: Any, traceback: Any):
        return False


class StreamContext:
    """Makes a stream current for a block; entering it raises AssertionError unless the stream is None.

    Args:
        stream (Stream or None): None, which changes nothing; this build has no XPU streams.
    """

    def __init__(self, stream) -> None:
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            _lazy_init()

    def __exit__(self, type: Any, value: Any, traceback: Any):
        return None


def stream(stream) -> StreamContext:
    """Makes a stream current for a block.

    Args:
        stream (Stream or None): None, which changes nothing; this build has no XPU streams.

    Returns:
        StreamContext: the context manager.
    """
    return StreamContext(stream)


def set_rng_state(new_state, device="xpu") -> None:
    """Sets the state of a XPU device's generator: does nothing, as this build has none.

    Args:
        new_state (Tensor): the state; ignored.
        device (torch.device, str or int): not looked at. Default: ``"xpu"``.
    """


def set_rng_state_all(new_states) -> None:
    """Sets the states of the XPU devices' generators: does nothing, as this build has none.

    Args:
        new_states (Iterable[Tensor]): the states; are gone through.
    """
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


define_refusing_functions(
    __name__,
    (
        "can_device_access_peer(device, peer): Tells whether a device can read another's memory.",
        "current_device(): Returns the index of the current device.",
        "current_stream(device=None): Returns the stream that a device's work goes to.",
        "get_device_capability(device=None): Returns what a device can do: for CUDA, (major, minor).",
        "get_device_name(device=None): Returns the name of a device.",
        "get_device_properties(device=None): Returns the name, the memory and other properties of a device.",
        "get_rng_state(device='xpu'): Returns the state of a device's random generator.",
        "get_stream_from_external(data_ptr, device=None): Returns a Stream for one that another library made.",
        "initial_seed(): Returns the seed of the current device's random generator.",
        "mem_get_info(device=None): Returns the free and the total memory of a device, in bytes.",
        "set_device(device): Makes a device current.",
        "set_stream(stream): Makes a stream current.",
        "synchronize(device=None): Waits until all work of a device is done.",
    ),
    AssertionError,
    _NO_XPU,
)
define_refusing_functions(
    __name__,
    (
        (
            "get_per_process_memory_fraction(device=None): "
            "Returns the share of a device's memory that this process may use."
        ),
        "set_per_process_memory_fraction(fraction, device=None): Limits this process to a share of a device's memory.",
    ),
    AssertionError,
    _NO_XPU,
)
define_refusing_functions(
    __name__,
    (
        "clock_rate(device=None): Returns the clock rate of a device.",
        "device_memory_used(device=None): Returns the bytes in use on a device by all processes.",
        "memory_usage(device=None): Returns the percentage of time in which a device's memory was accessed.",
        "power_draw(device=None): Returns the power that a device draws.",
        "temperature(device=None): Returns the temperature of a device in degrees Celsius.",
        "utilization(device=None): Returns the percentage of time in which a device worked.",
    ),
    ImportError,
    "pyzes is required; install it with 'pip install pyzes'.",
)
define_refusing_functions(
    __name__,
    ("graph_pool_handle(): Returns the name of a new pool of memory for graphs.",),
    RuntimeError,
    "Tried to instantiate dummy base class _xpu_graph_pool_handle",
)
define_refusing_functions(
    __name__,
    ("is_current_stream_capturing(): Returns whether a graph is being recorded on the current stream.",),
    RuntimeError,
    "Tried to instantiate dummy base class _xpu_isCurrentStreamCapturing",
)
XPUGraph = _make_dummy("XPUGraph(keep_graph=False): Work of a stream, recorded once and replayed.")
MemPool = _make_dummy("MemPool(allocator=None, use_on_oom=False): A pool of memory of the program's own.")
define_missing_as_refusing(
    __name__,
    {
        "change_current_allocator(allocator): Replaces the allocator of device memory.": "_xpu_changeCurrentAllocator",
        "reset_peak_memory_stats(device=None): Sets the peaks of a device's memory to what is in use.": (
            "_xpu_resetPeakMemoryStats"
        ),
        "reset_accumulated_memory_stats(device=None): Sets the accumulated figures of a device's memory to 0.": (
            "_xpu_resetAccumulatedMemoryStats"
        ),
    },
)
