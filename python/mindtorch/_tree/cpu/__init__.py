"""torch.cpu: the interface of device modules, for code that is written for any device."""

import contextlib
from functools import lru_cache
from typing import Any

from .._lazy import lazy_attributes

__all__ = [
    "is_available",
    "is_initialized",
    "synchronize",
    "current_device",
    "current_stream",
    "stream",
    "set_device",
    "device_count",
    "Stream",
    "StreamContext",
    "Event",
    "get_capabilities",
]


@lru_cache(1)
def _cpu_flags() -> frozenset[str]:
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith(("flags", "Features")):
                return frozenset(line.split(":", 1)[1].split())
    return frozenset()


def get_capabilities() -> dict[str, Any]:
    """Which instruction sets the processor has, its name, caches and cores."""
    from ._capabilities import capabilities

    return capabilities(_cpu_flags())


def _is_avx2_supported() -> bool:
    return "avx2" in _cpu_flags()


def _is_avx512_supported() -> bool:
    return {"avx512f", "avx512vl", "avx512bw", "avx512dq"} <= _cpu_flags()


def _is_avx512_bf16_supported() -> bool:
    return "avx512_bf16" in _cpu_flags()


def _is_vnni_supported() -> bool:
    return "avx512_vnni" in _cpu_flags()


def _is_amx_tile_supported() -> bool:
    return "amx_tile" in _cpu_flags()


def _is_amx_fp16_supported() -> bool:
    return "amx_fp16" in _cpu_flags()


def is_available() -> bool:
    """True: the CPU."""
    return True


def is_initialized() -> bool:
    """True: a CPU needs no start."""
    return True


def synchronize(device=None) -> None:
    """Waits for queued work: on the CPU every call has ended when it returns."""


class Stream:
    """The one order in which the CPU does things."""

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream) -> None:
        """Work of another stream is done already."""

    def record_event(self) -> "Event":
        return Event()

    def wait_event(self, event) -> None:
        event.wait()


class Event:
    """A moment that has always passed."""

    def __init__(self, *args, **kwargs) -> None:
        pass

    def query(self) -> bool:
        return True

    def record(self, stream=None) -> None:
        """Nothing to mark: all work before it is done."""

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def wait(self, stream=None) -> None:
        """Nothing to wait for."""


_default_cpu_stream = Stream()
_current_stream = _default_cpu_stream


def current_stream(device=None) -> Stream:
    """The one stream of the CPU."""
    return _current_stream


class StreamContext:
    """Makes a stream current for a block; None leaves the current one."""

    def __init__(self, stream) -> None:
        self.stream = stream
        self.prev_stream = _default_cpu_stream

    def __enter__(self):
        global _current_stream
        if self.stream is not None:
            self.prev_stream, _current_stream = _current_stream, self.stream

    def __exit__(self, type: Any, value: Any, traceback: Any) -> None:
        global _current_stream
        if self.stream is not None:
            _current_stream = self.prev_stream


def stream(stream) -> contextlib.AbstractContextManager:
    """A StreamContext."""
    return StreamContext(stream)


def device_count() -> int:
    """1: the CPU."""
    return 1


def set_device(device) -> None:
    """There is one to choose."""


def current_device() -> str:
    """The current device: "cpu"."""
    return "cpu"


__getattr__ = lazy_attributes(__name__, modules=("amp",))
