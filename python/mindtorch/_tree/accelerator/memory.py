"""Memory of the accelerator there is: its own module's functions."""

from collections import OrderedDict

from ..types import Device
from ._utils import _get_device_index, need_module

__all__ = [
    "empty_cache",
    "empty_host_cache",
    "get_memory_info",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
]


def empty_cache() -> None:
    """Gives memory that nobody uses back to the devices."""
    need_module().empty_cache()


def empty_host_cache() -> None:
    """Gives pinned memory that nobody uses back to the system."""
    need_module().host_empty_cache()


def memory_stats(device_index: Device = None, /) -> OrderedDict:
    """The caching allocator's figures for a device by name."""
    return need_module().memory_stats(_get_device_index(device_index, optional=True))


def memory_allocated(device_index: Device = None, /) -> int:
    """Bytes in use by tensors."""
    return memory_stats(device_index).get("allocated_bytes.all.current", 0)


def max_memory_allocated(device_index: Device = None, /) -> int:
    """The most bytes that were in use by tensors."""
    return memory_stats(device_index).get("allocated_bytes.all.peak", 0)


def memory_reserved(device_index: Device = None, /) -> int:
    """Bytes that the caching allocator holds."""
    return memory_stats(device_index).get("reserved_bytes.all.current", 0)


def max_memory_reserved(device_index: Device = None, /) -> int:
    """The most bytes that the caching allocator held."""
    return memory_stats(device_index).get("reserved_bytes.all.peak", 0)


def reset_accumulated_memory_stats(device_index: Device = None, /) -> None:
    """Starts the "allocated" and "freed" figures anew."""
    need_module().reset_accumulated_memory_stats(_get_device_index(device_index, optional=True))


def reset_peak_memory_stats(device_index: Device = None, /) -> None:
    """Makes the peaks what is in use now."""
    need_module().reset_peak_memory_stats(_get_device_index(device_index, optional=True))


def get_memory_info(device_index: Device = None, /) -> tuple[int, int]:
    """(free, total) bytes of a device, as it reports them."""
    return need_module().mem_get_info(_get_device_index(device_index, optional=True))
