"""torch.cpu: the interface of device modules for the CPU, for device-independent code."""

from __future__ import annotations

import contextlib
from functools import lru_cache
from typing import Any

from .._root import torch
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
    """Returns the processor's instruction sets, name, caches and cores.

    Returns:
        dict: by name.

    Example:
        >>> "architecture" in torch.cpu.get_capabilities()
        True
    """
    from ._capabilities import describe_cpu_capabilities

    return describe_cpu_capabilities(_cpu_flags())


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
    """Returns whether there is a CPU: True.

    Returns:
        bool: always True.

    Example:
        >>> torch.cpu.is_available()
        True
    """
    return True


def is_initialized() -> bool:
    """Returns whether the CPU was started: True, since it needs no start.

    Returns:
        bool: always True.

    Example:
        >>> torch.cpu.is_initialized()
        True
    """
    return True


def synchronize(device: torch.device | str | int | None = None) -> None:
    """Waits for queued work; on the CPU every call has ended when it returns.

    Args:
        device (torch.device, str or int, optional): ignored.

    Example:
        >>> torch.cpu.synchronize()
    """


class Stream:
    """Stands for the one order in which the CPU works, for code that is written for any device.

    Args:
        priority (int): ignored. Default: ``-1``.

    Example:
        >>> torch.cpu.Stream().wait_stream(torch.cpu.current_stream())
    """

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream) -> None:
        """Does nothing: work of another stream is done already.

        Args:
            stream (Stream): ignored.
        """

    def record_event(self) -> "Event":
        """Returns an event.

        Returns:
            Event: one that has happened.
        """
        return Event()

    def wait_event(self, event) -> None:
        """Waits for an event, which has happened.

        Args:
            event (Event): the event.
        """
        event.wait()


class Event:
    """A moment that has always passed, for code that is written for any device.

    Args:
        *args, **kwargs: ignored.

    Example:
        >>> torch.cpu.Event().query()
        True
    """

    def __init__(self, *args, **kwargs) -> None:
        pass

    def query(self) -> bool:
        """Returns whether the work before it is done: True.

        Returns:
            bool: always True.
        """
        return True

    def record(self, stream=None) -> None:
        """Does nothing: all work before it is done.

        Args:
            stream (Stream, optional): ignored.
        """

    def synchronize(self) -> None:
        """Does nothing: CPU work is complete when a call returns."""

    def wait(self, stream=None) -> None:
        """Does nothing: there is nothing to wait for.

        Args:
            stream (Stream, optional): ignored.
        """


_default_cpu_stream = Stream()
_current_stream = _default_cpu_stream


def current_stream(device: torch.device | str | int | None = None) -> Stream:
    """Returns the current stream of the CPU.

    Args:
        device (torch.device, str or int, optional): ignored.

    Returns:
        Stream: the stream.

    Example:
        >>> isinstance(torch.cpu.current_stream(), torch.cpu.Stream)
        True
    """
    return _current_stream


class StreamContext:
    """Makes a stream current for a block.

    Args:
        stream (Stream or None): the stream; None leaves the current one.

    Example:
        >>> with torch.cpu.StreamContext(torch.cpu.Stream()):
        ...     x = torch.ones(1)
    """

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


def stream(stream: torch.cpu.Stream) -> contextlib.AbstractContextManager:
    """Makes a stream current for a block.

    Args:
        stream (Stream or None): the stream; None leaves the current one.

    Returns:
        StreamContext: the context manager.

    Example:
        >>> with torch.cpu.stream(torch.cpu.Stream()):
        ...     x = torch.ones(1)
    """
    return StreamContext(stream)


def device_count() -> int:
    """Returns the number of CPUs as devices: 1.

    Returns:
        int: always 1.

    Example:
        >>> torch.cpu.device_count()
        1
    """
    return 1


def set_device(device: torch.device | str | int | None) -> None:
    """Does nothing: there is one CPU to choose.

    Args:
        device (torch.device, str or int): ignored.

    Example:
        >>> torch.cpu.set_device("cpu")
    """


def current_device() -> str:
    """Returns the current device.

    Returns:
        str: ``"cpu"``.

    Example:
        >>> torch.cpu.current_device()
        'cpu'
    """
    return "cpu"


__getattr__ = lazy_attributes(__name__, modules=("amp",))
