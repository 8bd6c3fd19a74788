"""torch.cuda as in a build without CUDA: no devices, and errors from functions that need one."""

from __future__ import annotations

from functools import lru_cache as _lru_cache
from typing import NoReturn

from .. import _absent_answers
from .._absent_device import define_refusing_functions, make_refusing_class
from .._C import AcceleratorError, OutOfMemoryError
from .._root import torch
from . import random as random
from .memory import (
    CUDAPluggableAllocator,
    MemPool,
    caching_allocator_alloc,
    caching_allocator_delete,
    caching_allocator_disabled,
    caching_allocator_enable,
    change_current_allocator,
    empty_cache,
    get_allocator_backend,
    get_per_process_memory_fraction,
    host_memory_stats,
    host_memory_stats_as_nested_dict,
    list_gpu_processes,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_snapshot,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_accumulated_host_memory_stats,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_host_memory_stats,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
    use_mem_pool,
)
from .random import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from .streams import Event, ExternalStream, Stream

_NO_CUDA = "Torch not compiled with CUDA enabled"
_NO_NVML = "nvidia-ml-py does not seem to be installed or it can't be imported."

_initialized = False
default_generators: tuple = ()
has_half: bool = True
has_magma: bool = False


class CudaError(RuntimeError):
    """Raised for a code of the CUDA runtime that is not success.

    Args:
        code (int): the code.
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"CUDA error {code} ({code})")


class DeferredCudaCallError(Exception):
    """Raised when a call that was deferred until CUDA's initialisation failed."""


class cudaStatus:
    """Codes of the CUDA runtime."""

    SUCCESS: int = 0
    ERROR_NOT_READY: int = 34


_absent_answers.define(
    __name__,
    "CUDA",
    _absent_answers._is_compiled,
    _absent_answers._is_in_bad_fork,
    _absent_answers.is_available,
    _absent_answers.is_initialized,
    _absent_answers.device_count,
    _absent_answers.is_bf16_supported,
    _absent_answers.is_tf32_supported,
    _absent_answers.get_arch_list,
    _absent_answers.get_gencode_flags,
)


def _lazy_init():
    raise AssertionError(_NO_CUDA)


def _lazy_call(callable, **kwargs):
    """Calls deferred until CUDA is initialised, which never happens here."""


def init() -> NoReturn:
    """Would initialise CUDA: always raises AssertionError, as this build has none."""
    _lazy_init()


@_lru_cache(maxsize=1)
def _device_count_nvml() -> int:
    return -1


def _device_index(device, optional: bool = False) -> int:
    """Returns the index of a device; -1 for None, which keeps the current one."""
    if isinstance(device, int):
        return device
    if device is None and optional:
        return -1
    found = torch.device(device) if isinstance(device, str) else device
    if isinstance(found, torch.device) and found.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {found}")
    if getattr(found, "index", None) is not None:
        return found.index
    return current_device()  # noqa: F821


def set_device(device) -> None:
    """Makes a device current: raises for every index but a negative one, which changes nothing.

    Args:
        device (torch.device, str or int): the device.

    Raises:
        AttributeError: when it names a device, as this build has none.
        ValueError: when it is not a CUDA device.
    """
    if _device_index(device) >= 0:
        raise AttributeError("module 'torch._C' has no attribute '_cuda_setDevice'")


class device:
    """Makes a device current for a block; entering it raises, but for None and negative indices.

    Args:
        device (torch.device, str or int): the device; None leaves the current one.

    Raises:
        RuntimeError: on entry, when it names a device, as this build has none.
        ValueError: when it is not a CUDA device.
    """

    def __init__(self, device):
        without_index = isinstance(device, torch.device) and device.type == "cuda" and device.index is None
        self.idx = None if without_index else _device_index(device, optional=True)
        self.prev_idx = -1

    def __enter__(self):
        if not self.idx < 0:
            raise RuntimeError("PyTorch was compiled without CUDA support")

    def __exit__(self, type, value, traceback):
        return False


class device_of(device):
    """Makes the device of a tensor or storage current for a block; nothing for those that are not on CUDA.

    Args:
        obj (Tensor or Storage): the object.
    """

    def __init__(self, obj):
        super().__init__(obj.get_device() if obj.is_cuda else -1)


class StreamContext:
    """Makes a stream current for a block; entering it raises AssertionError unless the stream is None.

    Args:
        stream (Stream or None): None, which changes nothing; this build has no CUDA streams.
    """

    def __init__(self, stream):
        self.stream = stream
        self.idx = -1

    def __enter__(self):
        if self.stream is not None:
            _lazy_init()

    def __exit__(self, type, value, traceback):
        return None


def stream(stream) -> StreamContext:
    """Makes a stream current for a block.

    Args:
        stream (Stream or None): None, which changes nothing; this build has no CUDA streams.

    Returns:
        StreamContext: the context manager.
    """
    return StreamContext(stream)


def set_stream(stream) -> None:
    """Makes a stream current: None changes nothing, and this build has no streams.

    Args:
        stream (Stream or None): the stream.

    Raises:
        AssertionError: when it is not None.
    """
    if stream is not None:
        _lazy_init()


def set_sync_debug_mode(debug_mode) -> None:
    """Would set the reaction to hidden waits for the device: always raises AssertionError without CUDA.

    Args:
        debug_mode (int or str): not looked at.
    """
    _lazy_init()


define_refusing_functions(
    __name__,
    (
        "can_device_access_peer(device, peer_device): Tells whether a device can read another's memory.",
        "cudart(): Returns the CUDA runtime as a module.",
        "check_error(res): Raises an error for a code of the runtime that is not success.",
        "current_blas_handle(): Returns the handle of the current stream's cuBLAS.",
        "current_device(): Returns the index of the current device.",
        "current_solver_handle(): Returns the handle of the current stream's cuSOLVER.",
        "current_stream(device=None): Returns the stream that a device's work goes to.",
        "default_stream(device=None): Returns the stream that a device starts with.",
        "get_device_capability(device=None): Returns what a device can do: for CUDA, (major, minor).",
        "get_device_name(device=None): Returns the name of a device.",
        "get_device_properties(device=None): Returns the name, the memory and other properties of a device.",
        "get_stream_from_external(data_ptr, device=None): Returns a Stream for one that another library made.",
        "get_sync_debug_mode(): Returns the mode of set_sync_debug_mode.",
        "ipc_collect(): Frees memory that other processes have shared.",
        "synchronize(device=None): Waits until all work of a device is done.",
    ),
    AssertionError,
    _NO_CUDA,
)
define_refusing_functions(
    __name__,
    (
        "clock_rate(device=None): Returns the clock rate of a device.",
        "device_memory_used(device=None): Returns the bytes in use on a device by all processes.",
        "memory_usage(device=None): Returns the percentage of time in which a device's memory was accessed.",
        "power_draw(device=None): Returns the power that a device draws.",
        "temperature(device=None): Returns the temperature of a device in degrees Celsius.",
        "utilization(device=None): Returns the percentage of time in which a device worked.",
    ),
    ModuleNotFoundError,
    _NO_NVML,
)

_CLASSES = (
    "BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short",
)  # fmt: skip
for _name in _CLASSES:
    _text = f"type torch.cuda.{_name}Tensor not available. Torch not compiled with CUDA enabled."
    globals()[f"{_name}Tensor"] = make_refusing_class(__name__, f"{_name}Tensor(*args, **kwargs)", TypeError, _text)
for _name in (*_CLASSES, "ComplexDouble", "ComplexFloat"):
    _declared = (
        f"{_name}Storage(*args, wrap_storage=None, dtype=None, device=None, _internal=False): A storage on CUDA."
    )
    globals()[f"{_name}Storage"] = make_refusing_class(__name__, _declared, AssertionError, _NO_CUDA)
del _name, _text, _declared

from . import amp, graphs, nccl, nvtx, profiler  # noqa: E402
from .graphs import CUDAGraph, graph, graph_pool_handle, is_current_stream_capturing, make_graphed_callables  # noqa: E402

__all__ = [
    name
    for name in globals()
    if not name.startswith("_")
    and name not in ("NoReturn", "define_refusing_functions", "make_refusing_class", "torch", "annotations")
]
