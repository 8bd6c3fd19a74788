"""torch.xpu as a build without XPU has it."""

from collections import OrderedDict
from typing import Any

from .._absent_device import refuse_all, refuse_missing, refusing_class

_NO_XPU = "Torch not compiled with XPU enabled"

default_generators: tuple = ()
_initialized = False

Stream = refusing_class(__name__, "Stream", RuntimeError, "Tried to instantiate dummy base class Stream")
Event = refusing_class(__name__, "Event", RuntimeError, "Tried to instantiate dummy base class Event")


def _is_compiled() -> bool:
    return False


def _is_in_bad_fork() -> bool:
    return False


def _lazy_init():
    raise AssertionError(_NO_XPU)


def init() -> None:
    _lazy_init()


def is_available() -> bool:
    return False


def is_initialized():
    return False


def device_count() -> int:
    return 0


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return False


def is_tf32_supported() -> bool:
    return False


def get_arch_list() -> list[str]:
    return []


def get_gencode_flags() -> str:
    return ""


def empty_cache() -> None:
    """Gives cached memory back; without XPU there is none."""


def memory_stats(device=None) -> dict[str, Any]:
    return OrderedDict()


def memory_stats_as_nested_dict(device=None) -> dict[str, Any]:
    return {}


def memory_allocated(device=None) -> int:
    return 0


def max_memory_allocated(device=None) -> int:
    return 0


def memory_reserved(device=None) -> int:
    return 0


def max_memory_reserved(device=None) -> int:
    return 0


def manual_seed(seed: int) -> None:
    """Takes effect when XPU starts, so here never."""
    int(seed)


def manual_seed_all(seed: int) -> None:
    int(seed)


def seed() -> None:
    """Takes effect when XPU starts, so here never."""


def seed_all() -> None:
    """Takes effect when XPU starts, so here never."""


def get_rng_state_all() -> list:
    return []


class device:
    def __init__(self, device: Any):
        self.idx = device if isinstance(device, int) else getattr(device, "index", None)

    def __enter__(self):
        if self.idx is not None and self.idx >= 0:
            raise NotImplementedError("PyTorch was compiled without XPU support")

    def __exit__(self, type: Any, value: Any, traceback: Any):
        return False


class StreamContext:
    def __init__(self, stream) -> None:
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            _lazy_init()

    def __exit__(self, type: Any, value: Any, traceback: Any):
        return None


def stream(stream) -> StreamContext:
    return StreamContext(stream)


refuse_all(
    __name__,
    (
        "can_device_access_peer",
        "current_device",
        "current_stream",
        "get_device_capability",
        "get_device_name",
        "get_device_properties",
        "get_rng_state",
        "get_stream_from_external",
        "initial_seed",
        "mem_get_info",
        "set_device",
        "set_stream",
        "synchronize",
    ),
    AssertionError,
    _NO_XPU,
)
refuse_missing(
    __name__,
    {
        "reset_peak_memory_stats": "_xpu_resetPeakMemoryStats",
        "reset_accumulated_memory_stats": "_xpu_resetAccumulatedMemoryStats",
    },
)
