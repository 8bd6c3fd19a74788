"""Memory of CUDA devices: without CUDA nothing is allocated."""

import contextlib
import warnings
from collections import OrderedDict
from typing import Any

from .. import _absent_answers
from .._absent_device import define_refusing_functions, define_missing_as_refusing, make_refusing_class

_NO_CUDA = "Torch not compiled with CUDA enabled"

MemPool = make_refusing_class(
    __name__,
    "MemPool(allocator=None, use_on_oom=False, no_split=False): A pool of memory of the program's own.",
    RuntimeError,
    "Tried to instantiate dummy base class MemPool",
)
CUDAPluggableAllocator = make_refusing_class(
    __name__,
    "CUDAPluggableAllocator(path_to_so_file, alloc_fn_name, free_fn_name): An allocator from another library.",
    AttributeError,
    "module 'torch._C' has no attribute '_cuda_customAllocator'",
)


_absent_answers.define(
    __name__,
    "CUDA",
    _absent_answers.empty_cache,
    _absent_answers.memory_stats,
    _absent_answers.memory_stats_as_nested_dict,
    _absent_answers.memory_allocated,
    _absent_answers.max_memory_allocated,
    _absent_answers.memory_reserved,
    _absent_answers.max_memory_reserved,
)


def host_memory_stats() -> dict[str, Any]:
    """Returns the figures of the allocator of pinned host memory.

    Returns:
        dict[str, Any]: empty, as this build has none.
    """
    return OrderedDict()


def host_memory_stats_as_nested_dict() -> dict[str, Any]:
    """Returns host_memory_stats() as dicts in dicts.

    Returns:
        dict[str, Any]: empty.
    """
    return {}


def _make_deprecated(old: str, new: str) -> None:
    warnings.warn(f"`torch.cuda.{old}` has been renamed to `torch.cuda.{new}`", FutureWarning, stacklevel=3)


def memory_cached(device=None) -> int:
    """Returns memory_reserved(); deprecated, with a warning.

    Args:
        device (torch.device, str or int, optional): not looked at.

    Returns:
        int: 0 bytes, as this build has no CUDA.
    """
    _make_deprecated("memory_cached", "memory_reserved")
    return memory_reserved(device)  # noqa: F821


def max_memory_cached(device=None) -> int:
    """Returns max_memory_reserved(); deprecated, with a warning.

    Args:
        device (torch.device, str or int, optional): not looked at.

    Returns:
        int: 0 bytes, as this build has no CUDA.
    """
    _make_deprecated("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)  # noqa: F821


def _reset_peak_by_old_name(name: str) -> None:
    warnings.warn(
        f"torch.cuda.{name} now calls torch.cuda.reset_peak_memory_stats, which resets /all/ peak memory stats.",
        FutureWarning,
        stacklevel=3,
    )
    reset_peak_memory_stats()  # noqa: F821


def reset_max_memory_allocated(device=None) -> None:
    """Would reset the peak figures: warns that it is deprecated, then raises AttributeError without CUDA.

    Args:
        device (torch.device, str or int, optional): not looked at.
    """
    _reset_peak_by_old_name("reset_max_memory_allocated")


def reset_max_memory_cached(device=None) -> None:
    """Would reset the peak figures: warns that it is deprecated, then raises AttributeError without CUDA.

    Args:
        device (torch.device, str or int, optional): not looked at.
    """
    _reset_peak_by_old_name("reset_max_memory_cached")


def memory_summary(device=None, abbreviated: bool = False) -> str:
    """Would write memory_stats() as a table: raises KeyError, as there are no figures.

    Args:
        device (torch.device, str or int, optional): not looked at.
        abbreviated (bool): not looked at. Default: ``False``.

    Returns:
        str: nothing, since it always raises.
    """
    # Raises KeyError: the statistics are empty, and this entry is the first that the table shows.
    return memory_stats(device)["allocated_bytes.all.current"]  # noqa: F821


def list_gpu_processes(device=None) -> str:
    """Would list the processes on a device: gives the text of a program that lacks NVIDIA's tools.

    Args:
        device (torch.device, str or int, optional): not looked at.

    Returns:
        str: the text.
    """
    return "pynvml module not found, please install nvidia-ml-py"


def caching_allocator_enable(value: bool = True) -> None:
    """Would switch the caching allocator: does nothing, as this build has none.

    Args:
        value (bool): ignored. Default: ``True``.
    """


@contextlib.contextmanager
def caching_allocator_disabled():
    """Would switch the caching allocator off for a block: changes nothing, as this build has none.

    Returns:
        a context manager.
    """
    yield


@contextlib.contextmanager
def use_mem_pool(pool, device=None):
    """Would take a block's memory from a MemPool: raises AssertionError on entry, as this build has none.

    Args:
        pool (MemPool): not looked at.
        device (torch.device, str or int, optional): not looked at.

    Returns:
        a context manager.
    """
    raise AssertionError(_NO_CUDA)
    yield


define_refusing_functions(
    __name__,
    (
        (
            "caching_allocator_alloc(size, device=None, stream=None): "
            "Allocates memory for use on a stream, and returns its address."
        ),
        (
            "get_per_process_memory_fraction(device=None): "
            "Returns the share of a device's memory that this process may use."
        ),
        "mem_get_info(device=None): Returns the free and the total memory of a device, in bytes.",
        "set_per_process_memory_fraction(fraction, device=None): Limits this process to a share of a device's memory.",
    ),
    AssertionError,
    _NO_CUDA,
)
define_missing_as_refusing(
    __name__,
    {
        "_record_memory_history(enabled='all', *args, **kwargs)": "_cuda_record_memory_history",
        "caching_allocator_delete(mem_ptr): Frees memory of caching_allocator_alloc.": (
            "_cuda_cudaCachingAllocator_raw_delete"
        ),
        "change_current_allocator(allocator): Replaces the allocator of device memory.": "_cuda_changeCurrentAllocator",
        "get_allocator_backend(): Returns the name of the allocator.": "_cuda_getAllocatorBackend",
        "memory_snapshot(mempool_id=None, include_traces=True): Lists the segments that the allocator holds.": (
            "_cuda_memorySnapshot"
        ),
        "reset_accumulated_host_memory_stats(): Sets the accumulated figures of pinned host memory to 0.": (
            "_cuda_resetAccumulatedHostMemoryStats"
        ),
        "reset_accumulated_memory_stats(device=None): Sets the accumulated figures of a device's memory to 0.": (
            "_cuda_resetAccumulatedMemoryStats"
        ),
        "reset_peak_host_memory_stats(): Sets the peaks of pinned host memory to what is in use.": (
            "_cuda_resetPeakHostMemoryStats"
        ),
        "reset_peak_memory_stats(device=None): Sets the peaks of a device's memory to what is in use.": (
            "_cuda_resetPeakMemoryStats"
        ),
    },
)
