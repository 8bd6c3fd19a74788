"""Memory of the accelerator, through the functions of its own module."""

from collections import OrderedDict

from ..types import Device
from ._utils import _get_device_index, require_accelerator_module

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
    """Returns unused cached memory to the devices."""
    require_accelerator_module().empty_cache()


def empty_host_cache() -> None:
    """Returns unused cached pinned memory to the system."""
    require_accelerator_module().host_empty_cache()


def memory_stats(device_index: Device = None, /) -> OrderedDict:
    """Returns figures of the caching allocator of a device.

    Args:
        device_index (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        OrderedDict: figures by name.
    """
    return require_accelerator_module().memory_stats(_get_device_index(device_index, optional=True))


def memory_allocated(device_index: Device = None, /) -> int:
    """Returns the bytes in use by tensors.

    Args:
        device_index (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        int: bytes.
    """
    return memory_stats(device_index).get("allocated_bytes.all.current", 0)


def max_memory_allocated(device_index: Device = None, /) -> int:
    """Returns the most bytes that were in use by tensors.

    Args:
        device_index (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        int: bytes.
    """
    return memory_stats(device_index).get("allocated_bytes.all.peak", 0)


def memory_reserved(device_index: Device = None, /) -> int:
    """Returns the bytes that the caching allocator holds.

    Args:
        device_index (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        int: bytes.
    """
    return memory_stats(device_index).get("reserved_bytes.all.current", 0)


def max_memory_reserved(device_index: Device = None, /) -> int:
    """Returns the most bytes that the caching allocator held.

    Args:
        device_index (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        int: bytes.
    """
    return memory_stats(device_index).get("reserved_bytes.all.peak", 0)


def reset_accumulated_memory_stats(device_index: Device = None, /) -> None:
    """Sets the "allocated" and "freed" figures to zero.

    Args:
        device_index (torch.device, str or int, optional): the device. Default: the current one.
    """
    require_accelerator_module().reset_accumulated_memory_stats(_get_device_index(device_index, optional=True))


def reset_peak_memory_stats(device_index: Device = None, /) -> None:
    """Resets the peaks to the current values.

    Args:
        device_index (torch.device, str or int, optional): the device. Default: the current one.
    """
    require_accelerator_module().reset_peak_memory_stats(_get_device_index(device_index, optional=True))


def get_memory_info(device_index: Device = None, /) -> tuple[int, int]:
    """Returns free and total memory of a device, as it reports them.

    Args:
        device_index (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        tuple of int: ``(free, total)`` in bytes.
    """
    return require_accelerator_module().mem_get_info(_get_device_index(device_index, optional=True))
