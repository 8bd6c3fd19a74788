"""torch.accelerator: the current accelerator, here an NPU; without one, torch's results for a CPU-only machine."""

from __future__ import annotations

import warnings

from .. import _C
from .._root import torch
from ..types import Device
from .graphs import Graph
from .memory import (
    empty_cache,
    empty_host_cache,
    get_memory_info,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
)
from ._utils import _get_device_index, require_accelerator_module

__all__ = [
    "Graph",
    "current_accelerator",
    "current_device_idx",
    "current_device_index",
    "get_device_capability",
    "current_stream",
    "device_count",
    "device_index",
    "empty_cache",
    "empty_host_cache",
    "get_memory_info",
    "is_available",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "set_device_idx",
    "set_device_index",
    "set_stream",
    "synchronize",
]


def device_count() -> int:
    """Returns the number of accelerators.

    Returns:
        int: 0 without one.
    """
    return _C._npu_getDeviceCount()


def is_available() -> bool:
    """Returns whether there is an accelerator.

    Returns:
        bool: whether there is.
    """
    return device_count() > 0


def current_accelerator(check_available: bool = False) -> torch.device | None:
    """Returns the kind of the accelerator.

    Args:
        check_available (bool): ignored: returned devices are always available. Default: ``False``.

    Returns:
        torch.device or None: without an index; None without an accelerator.
    """
    return torch.device("npu") if is_available() else None


def current_device_index() -> int:
    """Returns the index of this thread's device.

    Returns:
        int: the index.

    Raises:
        RuntimeError: without an accelerator.
    """
    return require_accelerator_module().current_device()


def set_device_index(device: torch.device | str | int | None, /) -> None:
    """Makes a device this thread's.

    Args:
        device (torch.device, str or int): the device, with an index.

    Raises:
        RuntimeError: without an accelerator.
        ValueError: when the device is of another kind or has no index.
    """
    require_accelerator_module().set_device(_get_device_index(device))


def current_device_idx() -> int:
    """Returns the index of this thread's device; the old name of `current_device_index`.

    Returns:
        int: the index.
    """
    warnings.warn("Use `current_device_index` instead.", FutureWarning, stacklevel=2)
    return current_device_index()


def set_device_idx(device: torch.device | str | int | None, /) -> None:
    """Makes a device this thread's; the old name of `set_device_index`.

    Args:
        device (torch.device, str or int): the device, with an index.
    """
    warnings.warn("Use `set_device_index` instead.", FutureWarning, stacklevel=2)
    set_device_index(device)


def get_device_capability(device: Device = None, /) -> dict:
    """Returns what a device can do.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        dict: ``"supported_dtypes"``, the dtypes that its tensors can have.

    Raises:
        RuntimeError: without an accelerator.
    """
    require_accelerator_module()
    _get_device_index(device, optional=True)
    names = "uint8 int8 int16 int32 int64 float16 float32 float64 bool bfloat16 complex64 complex128"
    return {"supported_dtypes": {getattr(torch, name) for name in names.split()}}


def current_stream(device: Device = None, /) -> torch.Stream:
    """Returns the current stream of a device in this thread.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        torch.Stream: the stream.

    Raises:
        RuntimeError: without an accelerator.
    """
    require_accelerator_module()
    stream_id, index, kind = _C._npu_getCurrentStream(_get_device_index(device, optional=True))
    return torch.Stream(stream_id=stream_id, device_index=index, device_type=kind)


def set_stream(stream: torch.Stream) -> None:
    """Makes a stream, and its device, current in this thread.

    Args:
        stream (torch.Stream): the stream.

    Raises:
        RuntimeError: without an accelerator.
    """
    require_accelerator_module().set_stream(stream)


def synchronize(device: Device = None, /) -> None:
    """Waits for all work of a device.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Raises:
        RuntimeError: without an accelerator.
    """
    require_accelerator_module()
    index = _get_device_index(device, optional=True)
    if torch.npu.is_initialized():
        torch.npu.synchronize(index)


class device_index:
    """Makes a device current for a block.

    Args:
        device (int or None): the index; None leaves the current one.

    Raises:
        RuntimeError: on entry, without an accelerator.
    """

    def __init__(self, device: int | None, /) -> None:
        self.idx = device
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx is not None:
            require_accelerator_module()
            self.prev_idx = _C._npu_exchangeDevice(self.idx)

    def __exit__(self, *exc_info: object) -> None:
        if self.idx is not None:
            _C._npu_exchangeDevice(self.prev_idx)
