"""Memory of NPUs: the caching allocator, what it holds and what it did; and pinned memory of the host."""

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
    "caching_allocator_alloc",
    "caching_allocator_delete",
    "caching_allocator_disabled",
    "caching_allocator_enable",
    "get_per_process_memory_fraction",
    "set_per_process_memory_fraction",
    "empty_cache",
    "host_empty_cache",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "host_memory_stats",
    "host_memory_stats_as_nested_dict",
    "reset_accumulated_host_memory_stats",
    "reset_peak_host_memory_stats",
    "memory_allocated",
    "max_memory_allocated",
    "memory_reserved",
    "max_memory_reserved",
    "memory_cached",
    "max_memory_cached",
    "memory_snapshot",
    "memory_summary",
    "list_gpu_processes",
    "mem_get_info",
    "get_allocator_backend",
    "NPUPluggableAllocator",
    "change_current_allocator",
    "MemPool",
    "use_mem_pool",
]

# ---- memory for other libraries


def caching_allocator_alloc(size, device=None, stream=None):
    """The address of `size` bytes for use on a stream (the current one); give it back with caching_allocator_delete."""
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
    """Frees what caching_allocator_alloc gave."""
    backend._npu_npuCachingAllocator_raw_delete(mem_ptr)


def caching_allocator_enable(value: bool = True) -> None:
    """Memory of NPUs always comes from the caching allocator; switching it off is refused."""
    if is_initialized() and not value:
        raise NotImplementedError("torch.npu.caching_allocator_enable(False) is not supported")


@contextlib.contextmanager
def caching_allocator_disabled():
    """A block without the caching allocator: refused, as caching_allocator_enable(False)."""
    caching_allocator_enable(False)
    yield


# ---- limits and the cache


def _fraction_device(device) -> int:
    _lazy_init()
    return _get_device_index(current_device() if device is None else device)


def set_per_process_memory_fraction(fraction, device=None) -> None:
    """Limits this process to a share (0 to 1) of a device's memory."""
    index = _fraction_device(device)
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if fraction < 0 or fraction > 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    backend._npu_setMemoryFraction(fraction, index)


def get_per_process_memory_fraction(device=None) -> float:
    """The share of a device's memory that this process may use."""
    index = _fraction_device(device)
    return backend._npu_getMemoryFraction(index)


def empty_cache() -> None:
    """Gives memory that nobody uses back to the devices."""
    if is_initialized():
        backend._npu_emptyCache()


def host_empty_cache() -> None:
    """Gives pinned memory that nobody uses back to the system."""
    if is_initialized():
        backend._npu_hostEmptyCache()


def mem_get_info(device=None) -> tuple[int, int]:
    """(free, total) bytes of a device, as it reports them."""
    _lazy_init()
    return backend._npu_memGetInfo(_get_device_index(device, optional=True))


# ---- statistics


def _nested(flat: dict[str, Any]) -> dict[str, Any]:
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
    """The caching allocator's figures for a device by name ("allocated_bytes.all.current", ...), in bytes or counts."""
    return OrderedDict(sorted(_flat_memory_stats(device).items()))


def memory_stats_as_nested_dict(device=None) -> dict[str, Any]:
    """memory_stats() as dictionaries in dictionaries."""
    return _nested(_flat_memory_stats(device))


def _flat_host_stats() -> dict[str, int]:
    return backend._npu_hostMemoryStats() if is_initialized() else {}


def host_memory_stats() -> dict[str, Any]:
    """Figures of the allocator of pinned host memory."""
    return OrderedDict(sorted(_flat_host_stats().items()))


def host_memory_stats_as_nested_dict() -> dict[str, Any]:
    """host_memory_stats() as dictionaries in dictionaries."""
    return _nested(_flat_host_stats())


def reset_accumulated_memory_stats(device=None) -> None:
    """Starts the "allocated" and "freed" figures and the counters anew."""
    backend._npu_resetAccumulatedMemoryStats(_optional_index(device))


def reset_peak_memory_stats(device=None) -> None:
    """Makes the peaks what is in use now."""
    backend._npu_resetPeakMemoryStats(_optional_index(device))


def reset_accumulated_host_memory_stats() -> None:
    """reset_accumulated_memory_stats for pinned host memory."""
    backend._npu_resetAccumulatedHostMemoryStats()


def reset_peak_host_memory_stats() -> None:
    """reset_peak_memory_stats for pinned host memory."""
    backend._npu_resetPeakHostMemoryStats()


def _optional_index(device) -> int:
    """The index of a device where there are any; without, the call after this one refuses."""
    return _get_device_index(device, optional=True) if has_device() else -1


def _reset_peak_by_old_name(name: str, device) -> None:
    warnings.warn(
        f"torch.npu.{name} now calls torch.npu.reset_peak_memory_stats, which resets /all/ peak memory stats.",
        FutureWarning,
        stacklevel=3,
    )
    reset_peak_memory_stats(device)


def reset_max_memory_allocated(device=None) -> None:
    """Deprecated: reset_peak_memory_stats."""
    _reset_peak_by_old_name("reset_max_memory_allocated", device)


def reset_max_memory_cached(device=None) -> None:
    """Deprecated: reset_peak_memory_stats."""
    _reset_peak_by_old_name("reset_max_memory_cached", device)


def memory_allocated(device=None) -> int:
    """Bytes in use by tensors."""
    return memory_stats(device).get("allocated_bytes.all.current", 0)


def max_memory_allocated(device=None) -> int:
    """The most bytes that were in use by tensors."""
    return memory_stats(device).get("allocated_bytes.all.peak", 0)


def memory_reserved(device=None) -> int:
    """Bytes that the caching allocator holds."""
    return memory_stats(device).get("reserved_bytes.all.current", 0)


def max_memory_reserved(device=None) -> int:
    """The most bytes that the caching allocator held."""
    return memory_stats(device).get("reserved_bytes.all.peak", 0)


def _renamed(old: str, new: str) -> None:
    warnings.warn(f"`torch.npu.{old}` has been renamed to `torch.npu.{new}`", FutureWarning, stacklevel=3)


def memory_cached(device=None) -> int:
    """Deprecated: memory_reserved."""
    _renamed("memory_cached", "memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device=None) -> int:
    """Deprecated: max_memory_reserved."""
    _renamed("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)


def memory_summary(device=None, abbreviated: bool = False) -> str:
    """memory_stats() as a table for people."""
    stats = memory_stats(device)
    stats["allocated_bytes.all.current"]  # without a device this key is missing, and that is the error
    return memory_table(stats, _get_device_index(device, optional=True), abbreviated)


# ---- snapshots


def _snapshot(device=None) -> dict[str, Any]:
    """The segments that the caching allocator holds, and no history: it is not recorded."""
    return backend._npu_memorySnapshot(None)


def memory_snapshot(mempool_id=None, include_traces=True) -> list[dict[str, Any]]:
    """The segments that the caching allocator holds on all devices, or those of one graph's pool."""
    return backend._npu_memorySnapshot(None if mempool_id is None else tuple(mempool_id))["segments"]


def _dump_snapshot(filename="dump_snapshot.pickle") -> None:
    """Writes _snapshot() to a file, which torch's memory viewer opens."""
    snapshot = _snapshot()
    with open(filename, "wb") as file:
        pickle.dump(snapshot, file)


def _record_memory_history(enabled="all", *args, **kwargs) -> None:
    if has_device() and enabled is not None:
        raise NotImplementedError("torch.npu.memory._record_memory_history is not supported: no history is kept")
    backend._npu_record_memory_history  # noqa: B018 - without a device the function is missing


# ---- what else torch.cuda has


def list_gpu_processes(device=None) -> str:
    """The processes on a device, which the vendor's npu-smi lists."""
    return "pynvml module not found, please install nvidia-ml-py" if not has_device() else "use npu-smi info"


def get_allocator_backend() -> str:
    """"native": the caching allocator."""
    return backend._npu_getAllocatorBackend()


class NPUPluggableAllocator:
    """An allocator of another library's, which this build cannot use."""

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str):
        if has_device():
            raise NotImplementedError("torch.npu.NPUPluggableAllocator is not supported")
        backend._npu_customAllocator  # noqa: B018 - without a device the function is missing


def change_current_allocator(allocator) -> None:
    """Another library's allocator in the place of ours: refused."""
    if has_device():
        raise NotImplementedError("torch.npu.change_current_allocator is not supported")
    backend._npu_changeCurrentAllocator  # noqa: B018 - without a device the function is missing


class MemPool:
    """A pool of memory of the program's own, which this build does not have (graphs have pools)."""

    def __new__(cls, allocator=None, use_on_oom: bool = False, no_split: bool = False):
        if has_device():
            raise NotImplementedError("torch.npu.MemPool is not supported")
        raise RuntimeError("Tried to instantiate dummy base class MemPool")


@contextlib.contextmanager
def use_mem_pool(pool, device=None):
    """A block whose memory comes from a MemPool: refused, as there are none."""
    _lazy_init()
    raise NotImplementedError("torch.npu.use_mem_pool is not supported")
    yield


def _set_allocator_settings(env: str) -> None:
    """Settings as MINDTORCH_NPU_ALLOC_CONF has them, for allocations from now on."""
    _C._npu_setAllocatorSettings(env)
