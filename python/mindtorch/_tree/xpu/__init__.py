"""torch.xpu as a build without XPU has it."""

from collections import OrderedDict
from typing import Any

from .._absent_device import refuse_all, refuse_missing, refusing_class

_NO_XPU = "Torch not compiled with XPU enabled"

default_generators: tuple = ()
_initialized = False


def _dummy(declaration: str) -> type:
    name = declaration.partition("(")[0]
    return refusing_class(__name__, declaration, RuntimeError, f"Tried to instantiate dummy base class {name}")


Stream = _dummy("Stream(device=None, priority=0, **kwargs)")
Event = _dummy("Event(enable_timing=False)")


def _is_compiled() -> bool:
    return False


def _is_in_bad_fork() -> bool:
    return False


def _lazy_init():
    raise AssertionError(_NO_XPU)


def init() -> None:
    """Raises: there is no XPU here."""
    _lazy_init()


def is_available() -> bool:
    """False: no XPU here."""
    return False


def is_initialized():
    """False: there are no devices."""
    return False


def device_count() -> int:
    """0: no XPU here."""
    return 0


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """False: there is no device."""
    return False


def is_tf32_supported() -> bool:
    """False: there is no device."""
    return False


def get_arch_list() -> list[str]:
    """Empty: not built."""
    return []


def get_gencode_flags() -> str:
    """Empty: not built."""
    return ""


def empty_cache() -> None:
    """Gives cached memory back; without XPU there is none."""


def memory_stats(device=None) -> dict[str, Any]:
    """Counters of the allocator: none."""
    return OrderedDict()


def memory_stats_as_nested_dict(device=None) -> dict[str, Any]:
    """`memory_stats` as a tree: empty."""
    return {}


def memory_allocated(device=None) -> int:
    """Bytes in tensors: 0."""
    return 0


def max_memory_allocated(device=None) -> int:
    """The largest `memory_allocated` so far: 0."""
    return 0


def memory_reserved(device=None) -> int:
    """Bytes held by the allocator: 0."""
    return 0


def max_memory_reserved(device=None) -> int:
    """The largest `memory_reserved` so far: 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Takes effect when XPU starts, so here never."""
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Seeds every device: none, here."""
    int(seed)


def seed() -> None:
    """Takes effect when XPU starts, so here never."""


def seed_all() -> None:
    """Takes effect when XPU starts, so here never."""


def get_rng_state_all() -> list:
    """The random state of each device: none."""
    return []


class device:
    """A block on another device; raises for index 0 and above."""

    def __init__(self, device: Any):
        self.idx = device if isinstance(device, int) else getattr(device, "index", None)

    def __enter__(self):
        if self.idx is not None and self.idx >= 0:
            raise NotImplementedError("PyTorch was compiled without XPU support")

    def __exit__(self, type: Any, value: Any, traceback: Any):
        return False


class StreamContext:
    """A block on a stream; None changes nothing."""

    def __init__(self, stream) -> None:
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            _lazy_init()

    def __exit__(self, type: Any, value: Any, traceback: Any):
        return None


def stream(stream) -> StreamContext:
    """A StreamContext."""
    return StreamContext(stream)


def set_rng_state(new_state, device="xpu") -> None:
    """Takes effect when XPU starts, so here never; no error, as in torch."""


def set_rng_state_all(new_states) -> None:
    """Sets the random state of each device, in turn."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


refuse_all(
    __name__,
    (
        "can_device_access_peer(device, peer)",
        "current_device()",
        "current_stream(device=None)",
        "get_device_capability(device=None)",
        "get_device_name(device=None)",
        "get_device_properties(device=None)",
        "get_rng_state(device='xpu')",
        "get_stream_from_external(data_ptr, device=None)",
        "initial_seed()",
        "mem_get_info(device=None)",
        "set_device(device)",
        "set_stream(stream)",
        "synchronize(device=None)",
    ),
    AssertionError,
    _NO_XPU,
)
refuse_all(
    __name__,
    (
        "get_per_process_memory_fraction(device=None)",
        "set_per_process_memory_fraction(fraction, device=None)",
    ),
    AssertionError,
    _NO_XPU,
)
refuse_all(
    __name__,
    (
        "clock_rate(device=None)",
        "device_memory_used(device=None)",
        "memory_usage(device=None)",
        "power_draw(device=None)",
        "temperature(device=None)",
        "utilization(device=None)",
    ),
    ImportError,
    "pyzes is required; install it with 'pip install pyzes'.",
)
refuse_all(
    __name__, ("graph_pool_handle()",), RuntimeError, "Tried to instantiate dummy base class _xpu_graph_pool_handle"
)
refuse_all(
    __name__,
    ("is_current_stream_capturing()",),
    RuntimeError,
    "Tried to instantiate dummy base class _xpu_isCurrentStreamCapturing",
)
XPUGraph = _dummy("XPUGraph(keep_graph=False)")
MemPool = _dummy("MemPool(allocator=None, use_on_oom=False)")
refuse_missing(
    __name__,
    {
        "change_current_allocator(allocator)": "_xpu_changeCurrentAllocator",
        "reset_peak_memory_stats(device=None)": "_xpu_resetPeakMemoryStats",
        "reset_accumulated_memory_stats(device=None)": "_xpu_resetAccumulatedMemoryStats",
    },
)
