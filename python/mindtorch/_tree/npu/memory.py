"""Memory of NPUs: the caching allocator and its statistics, and pinned host memory."""

import contextlib
import pickle
import warnings
from collections import OrderedDict
from typing import Any

from .. import _C
from ._backend import backend, has_device
from ._devices import _get_device_index, current_device, device as _device_context
from ._memory_summary import memory_table
from ._start import _lazy_init, is_initialized

__all__ = [
    "caching_allocator_alloc", "caching_allocator_delete", "caching_allocator_disabled", "caching_allocator_enable",
    "get_per_process_memory_fraction", "set_per_process_memory_fraction", "empty_cache", "host_empty_cache",
    "memory_stats", "memory_stats_as_nested_dict", "reset_accumulated_memory_stats", "reset_peak_memory_stats",
    "reset_max_memory_allocated", "reset_max_memory_cached", "host_memory_stats", "host_memory_stats_as_nested_dict",
    "reset_accumulated_host_memory_stats", "reset_peak_host_memory_stats", "memory_allocated", "max_memory_allocated",
    "memory_reserved", "max_memory_reserved", "memory_cached", "max_memory_cached", "memory_snapshot",
    "memory_summary", "list_gpu_processes", "mem_get_info", "get_allocator_backend", "NPUPluggableAllocator",
    "change_current_allocator", "MemPool", "use_mem_pool",
]

# ---- allocation of NPU memory for other libraries


def caching_allocator_alloc(size, device=None, stream=None):
    """Allocates memory for use on a stream; give it back with caching_allocator_delete.

    Args:
        size (int): the number of bytes.
        device (torch.device, str or int, optional): the device. Default: the current one.
        stream (Stream or int, optional): the stream, or its handle. Default: the current one.

    Returns:
        int: the address.

    Raises:
        TypeError: when `stream` is neither.
    """
    from .streams import Stream, current_stream

    index = _get_device_index(current_device() if device is None else device)
    if stream is None:
        stream = current_stream(index)
    if isinstance(stream, Stream):
        stream = stream.npu_stream
    if not isinstance(stream, int):
        raise TypeError(
            "Invalid type for stream argument, must be "
            "`torch.npu.Stream` or `int` representing a pointer "
            "to an existing stream"
        )
    with _device_context(index):
        return backend._npu_npuCachingAllocator_raw_alloc(size, stream)


def caching_allocator_delete(mem_ptr) -> None:
    """Frees memory of caching_allocator_alloc.

    Args:
        mem_ptr (int): the address.
    """
    backend._npu_npuCachingAllocator_raw_delete(mem_ptr)


def caching_allocator_enable(value: bool = True) -> None:
    """Switches the caching allocator; NPU memory always comes from it.

    Args:
        value (bool): True; False raises NotImplementedError once a device is in use.
    """
    if is_initialized() and not value:
        raise NotImplementedError("torch.npu.caching_allocator_enable(False) is not supported")


@contextlib.contextmanager
def caching_allocator_disabled():
    """Would switch the caching allocator off for a block: as caching_allocator_enable(False).

    Returns:
        a context manager.
    """
    caching_allocator_enable(False)
    yield


# ---- limits and the cache


def _fraction_device(device) -> int:
    _lazy_init()
    return _get_device_index(current_device() if device is None else device)


def set_per_process_memory_fraction(fraction, device=None) -> None:
    """Limits this process to a share of a device's memory; allocations beyond raise OutOfMemoryError.

    Args:
        fraction (float): the share, from 0 to 1.
        device (torch.device, str or int, optional): the device. Default: the current one.

    Raises:
        TypeError: when `fraction` is no float.
        ValueError: when it is not between 0 and 1.
    """
    index = _fraction_device(device)
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if fraction < 0 or fraction > 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    backend._npu_setMemoryFraction(fraction, index)


def get_per_process_memory_fraction(device=None) -> float:
    """Returns the share of a device's memory that this process may use.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        float: the share, from 0 to 1.
    """
    index = _fraction_device(device)
    return backend._npu_getMemoryFraction(index)


def empty_cache() -> None:
    """Returns unused cached memory to the devices; does nothing before a device is in use."""
    if is_initialized():
        backend._npu_emptyCache()


def host_empty_cache() -> None:
    """Returns unused cached pinned memory to the system."""
    if is_initialized():
        backend._npu_hostEmptyCache()


def mem_get_info(device=None) -> tuple[int, int]:
    """Returns the free and the total memory of a device, as the device reports them.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        tuple[int, int]: bytes that are free, and all bytes.
    """
    _lazy_init()
    return backend._npu_memGetInfo(_get_device_index(device, optional=True))


# ---- statistics


def _nest_statistics(flat: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in flat.items():
        *groups, last = name.split(".")
        place = result
        for group in groups:
            place = place.setdefault(group, {})
        place[last] = value
    return result


def _flat_memory_stats(device) -> dict[str, int]:
    return backend._npu_memoryStats(_get_device_index(device, optional=True)) if is_initialized() else {}


def memory_stats(device=None) -> dict[str, Any]:
    """Returns the caching allocator's figures for a device.

    Names are ``what.pool.which``: what is "allocated_bytes", "reserved_bytes", "allocation" and so on; pool
    "all", "large_pool" or "small_pool"; which "current", "peak", "allocated" (in all) or "freed".

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        OrderedDict[str, int]: figures by name, in bytes or counts; empty before a device is in use.
    """
    return OrderedDict(sorted(_flat_memory_stats(device).items()))


def memory_stats_as_nested_dict(device=None) -> dict[str, Any]:
    """Returns memory_stats() as dicts in dicts, by the parts of the names.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        dict[str, Any]: the figures.
    """
    return _nest_statistics(_flat_memory_stats(device))


def _flat_host_stats() -> dict[str, int]:
    return backend._npu_hostMemoryStats() if is_initialized() else {}


def host_memory_stats() -> dict[str, Any]:
    """Returns the figures of the allocator of pinned host memory, by name.

    Returns:
        OrderedDict[str, int]: in bytes or counts; empty before a device is in use.
    """
    return OrderedDict(sorted(_flat_host_stats().items()))


def host_memory_stats_as_nested_dict() -> dict[str, Any]:
    """Returns host_memory_stats() as dicts in dicts, by the parts of the names.

    Returns:
        dict[str, Any]: the figures.
    """
    return _nest_statistics(_flat_host_stats())


def reset_accumulated_memory_stats(device=None) -> None:
    """Sets the "allocated" and "freed" figures and the counters of memory_stats to 0.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.
    """
    backend._npu_resetAccumulatedMemoryStats(_optional_index(device))


def reset_peak_memory_stats(device=None) -> None:
    """Sets the "peak" figures of memory_stats to the current ones.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.
    """
    backend._npu_resetPeakMemoryStats(_optional_index(device))


def reset_accumulated_host_memory_stats() -> None:
    """Sets the "allocated" and "freed" counts of host_memory_stats to 0."""
    backend._npu_resetAccumulatedHostMemoryStats()


def reset_peak_host_memory_stats() -> None:
    """Sets the "peak" counts of host_memory_stats to the current ones."""
    backend._npu_resetPeakHostMemoryStats()


def _optional_index(device) -> int:
    """Returns the index of a device if there are any; otherwise, the following call raises."""
    return _get_device_index(device, optional=True) if has_device() else -1


def _reset_peak_by_old_name(name: str, device) -> None:
    warnings.warn(
        f"torch.npu.{name} now calls torch.npu.reset_peak_memory_stats, which resets /all/ peak memory stats.",
        FutureWarning,
        stacklevel=3,
    )
    reset_peak_memory_stats(device)


def reset_max_memory_allocated(device=None) -> None:
    """Resets all peaks, as reset_peak_memory_stats does; deprecated, with a warning.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.
    """
    _reset_peak_by_old_name("reset_max_memory_allocated", device)


def reset_max_memory_cached(device=None) -> None:
    """Resets all peaks, as reset_peak_memory_stats does; deprecated, with a warning.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.
    """
    _reset_peak_by_old_name("reset_max_memory_cached", device)


def memory_allocated(device=None) -> int:
    """Returns the memory that tensors use on a device.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        int: bytes.
    """
    return memory_stats(device).get("allocated_bytes.all.current", 0)


def max_memory_allocated(device=None) -> int:
    """Returns the most memory that tensors used on a device since the last reset_peak_memory_stats.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        int: bytes.
    """
    return memory_stats(device).get("allocated_bytes.all.peak", 0)


def memory_reserved(device=None) -> int:
    """Returns the memory that the caching allocator holds on a device, in use or not.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        int: bytes.
    """
    return memory_stats(device).get("reserved_bytes.all.current", 0)


def max_memory_reserved(device=None) -> int:
    """Returns the most memory that the caching allocator held since the last reset_peak_memory_stats.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        int: bytes.
    """
    return memory_stats(device).get("reserved_bytes.all.peak", 0)


def _make_deprecated(old: str, new: str) -> None:
    warnings.warn(f"`torch.npu.{old}` has been renamed to `torch.npu.{new}`", FutureWarning, stacklevel=3)


def memory_cached(device=None) -> int:
    """Returns memory_reserved(); deprecated, with a warning.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        int: bytes.
    """
    _make_deprecated("memory_cached", "memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device=None) -> int:
    """Returns max_memory_reserved(); deprecated, with a warning.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        int: bytes.
    """
    _make_deprecated("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)


def memory_summary(device=None, abbreviated: bool = False) -> str:
    """Writes memory_stats() as a table.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.
        abbreviated (bool): leaves out the two pools. Default: ``False``.

    Returns:
        str: the table.

    Raises:
        KeyError: when no device is in use.
    """
    stats = memory_stats(device)
    stats["allocated_bytes.all.current"]  # without a device this key is missing, which is the error
    return memory_table(stats, _get_device_index(device, optional=True), abbreviated)


# ---- snapshots


def _snapshot(device=None) -> dict[str, Any]:
    """Returns the segments of the caching allocator, without history, which is not recorded."""
    return backend._npu_memorySnapshot(None)


def memory_snapshot(mempool_id=None, include_traces=True) -> list[dict[str, Any]]:
    """Lists the segments that the caching allocator holds on all devices.

    Args:
        mempool_id (tuple, optional): a graph's pool: only its segments. Default: all.
        include_traces (bool): not looked at, since no history is kept. Default: ``True``.

    Returns:
        list[dict]: address, size, stream and blocks of each segment.
    """
    return backend._npu_memorySnapshot(None if mempool_id is None else tuple(mempool_id))["segments"]


def _dump_snapshot(filename="dump_snapshot.pickle") -> None:
    """Writes _snapshot() to a file for torch's memory viewer."""
    snapshot = _snapshot()
    with open(filename, "wb") as file:
        pickle.dump(snapshot, file)


def _record_memory_history(enabled="all", *args, **kwargs) -> None:
    if has_device() and enabled is not None:
        raise NotImplementedError("torch.npu.memory._record_memory_history is not supported: no history is kept")
    backend._npu_record_memory_history  # noqa: B018 - without a device the function is missing


# ---- further functions of torch.cuda


def list_gpu_processes(device=None) -> str:
    """Would list the processes on a device: gives a text that names the program which does.

    Args:
        device (torch.device, str or int, optional): not looked at.

    Returns:
        str: the text.
    """
    return "pynvml module not found, please install nvidia-ml-py" if not has_device() else "use npu-smi info"


def get_allocator_backend() -> str:
    """Returns the name of the allocator.

    Returns:
        str: "native", the caching allocator.
    """
    return backend._npu_getAllocatorBackend()


class NPUPluggableAllocator:
    """Would be an allocator from another library: raises NotImplementedError.

    Without a device it raises AttributeError.

    Args:
        path_to_so_file, alloc_fn_name, free_fn_name (str): the library and its functions; ignored.
    """

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str):
        if has_device():
            raise NotImplementedError("torch.npu.NPUPluggableAllocator is not supported")
        backend._npu_customAllocator  # noqa: B018 - without a device the function is missing


def change_current_allocator(allocator) -> None:
    """Would replace the allocator: raises NotImplementedError, or AttributeError without a device.

    Args:
        allocator (NPUPluggableAllocator): not looked at.
    """
    if has_device():
        raise NotImplementedError("torch.npu.change_current_allocator is not supported")
    backend._npu_changeCurrentAllocator  # noqa: B018 - without a device the function is missing


class MemPool:
    """Would be a pool of memory of the program's own: raises NotImplementedError (graphs have pools).

    Without a device it raises RuntimeError.

    Args:
        allocator, use_on_oom, no_split: not looked at.
    """

    def __new__(cls, allocator=None, use_on_oom: bool = False, no_split: bool = False):
        if has_device():
            raise NotImplementedError("torch.npu.MemPool is not supported")
        raise RuntimeError("Tried to instantiate dummy base class MemPool")


@contextlib.contextmanager
def use_mem_pool(pool, device=None):
    """Would take a block's memory from a MemPool: raises NotImplementedError, as there are none.

    Args:
        pool (MemPool): not looked at.
        device (torch.device, str or int, optional): not looked at.

    Returns:
        a context manager, which raises on entry.
    """
    _lazy_init()
    raise NotImplementedError("torch.npu.use_mem_pool is not supported")
    yield


def _set_allocator_settings(env: str) -> None:
    """Changes settings in the format of MINDTORCH_NPU_ALLOC_CONF for later allocations."""
    _C._npu_setAllocatorSettings(env)
