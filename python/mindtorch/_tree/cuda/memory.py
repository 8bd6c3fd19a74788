"""Memory of CUDA devices: nothing is allocated where there is none."""

import contextlib
import warnings
from collections import OrderedDict
from typing import Any

from .._absent_device import refuse_all, refuse_missing, refusing_class

_NO_CUDA = "Torch not compiled with CUDA enabled"

MemPool = refusing_class(
    __name__,
    "MemPool(allocator=None, use_on_oom=False, no_split=False)",
    RuntimeError,
    "Tried to instantiate dummy base class MemPool",
)
CUDAPluggableAllocator = refusing_class(
    __name__,
    "CUDAPluggableAllocator(path_to_so_file, alloc_fn_name, free_fn_name)",
    AttributeError,
    "module 'torch._C' has no attribute '_cuda_customAllocator'",
)


def empty_cache() -> None:
    """Gives cached memory back; without CUDA there is none."""


def memory_stats(device=None) -> dict[str, Any]:
    """The allocator's counters: none here."""
    return OrderedDict()


def memory_stats_as_nested_dict(device=None) -> dict[str, Any]:
    """`memory_stats` as a tree: empty."""
    return {}


def host_memory_stats() -> dict[str, Any]:
    """The pinned memory's counters: none."""
    return OrderedDict()


def host_memory_stats_as_nested_dict() -> dict[str, Any]:
    """`host_memory_stats` as a tree: empty."""
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


def _renamed(old: str, new: str) -> None:
    warnings.warn(f"`torch.cuda.{old}` has been renamed to `torch.cuda.{new}`", FutureWarning, stacklevel=3)


def memory_cached(device=None) -> int:
    """Deprecated: `memory_reserved`."""
    _renamed("memory_cached", "memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device=None) -> int:
    """Deprecated: `max_memory_reserved`."""
    _renamed("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)


def _reset_peak(name: str) -> None:
    warnings.warn(
        f"torch.cuda.{name} now calls torch.cuda.reset_peak_memory_stats, which resets /all/ peak memory stats.",
        FutureWarning,
        stacklevel=3,
    )
    reset_peak_memory_stats()  # noqa: F821


def reset_max_memory_allocated(device=None) -> None:
    """Deprecated: `reset_peak_memory_stats`."""
    _reset_peak("reset_max_memory_allocated")


def reset_max_memory_cached(device=None) -> None:
    """Deprecated: `reset_peak_memory_stats`."""
    _reset_peak("reset_max_memory_cached")


def memory_summary(device=None, abbreviated: bool = False) -> str:
    """KeyError: there are no statistics."""
    # The table begins with this entry of the (empty) statistics.
    return memory_stats(device)["allocated_bytes.all.current"]


def list_gpu_processes(device=None) -> str:
    """Text: pynvml is missing."""
    return "pynvml module not found, please install nvidia-ml-py"


def caching_allocator_enable(value: bool = True) -> None:
    """Switches caching; without CUDA there is no allocator to switch."""


@contextlib.contextmanager
def caching_allocator_disabled():
    """Changes nothing: no device here."""
    yield


@contextlib.contextmanager
def use_mem_pool(pool, device=None):
    """Raises: no CUDA here."""
    raise AssertionError(_NO_CUDA)
    yield


refuse_all(
    __name__,
    (
        "caching_allocator_alloc(size, device=None, stream=None)",
        "get_per_process_memory_fraction(device=None)",
        "mem_get_info(device=None)",
        "set_per_process_memory_fraction(fraction, device=None)",
    ),
    AssertionError,
    _NO_CUDA,
)
refuse_missing(
    __name__,
    {
        "_record_memory_history(enabled='all', *args, **kwargs)": "_cuda_record_memory_history",
        "caching_allocator_delete(mem_ptr)": "_cuda_cudaCachingAllocator_raw_delete",
        "change_current_allocator(allocator)": "_cuda_changeCurrentAllocator",
        "get_allocator_backend()": "_cuda_getAllocatorBackend",
        "memory_snapshot(mempool_id=None, include_traces=True)": "_cuda_memorySnapshot",
        "reset_accumulated_host_memory_stats()": "_cuda_resetAccumulatedHostMemoryStats",
        "reset_accumulated_memory_stats(device=None)": "_cuda_resetAccumulatedMemoryStats",
        "reset_peak_host_memory_stats()": "_cuda_resetPeakHostMemoryStats",
        "reset_peak_memory_stats(device=None)": "_cuda_resetPeakMemoryStats",
    },
)
