"""torch.npu: Ascend NPUs under the names of torch.cuda, and those that Ascend's torch_npu adds.

Everything here can be imported and queried without a device; functions that need one raise torch.cuda's errors.
"""

from .. import _C
from .._C import AcceleratorError, OutOfMemoryError
from .._typed_storage import make_legacy_class as _make_legacy_class
from ..storage import _LEGACY_NAMES
from ..types import Device
from ._backend import backend as _backend
from ._devices import (
    NpuError,
    _exchange_device,
    _get_device_index,
    _maybe_exchange_device,
    _NPUDeviceProperties,
    can_device_access_peer,
    check_error,
    clock_rate,
    current_blas_handle,
    current_device,
    current_solver_handle,
    device,
    device_memory_used,
    device_of,
    get_arch_list,
    get_device_capability,
    get_device_name,
    get_device_properties,
    get_gencode_flags,
    get_sync_debug_mode,
    ipc_collect,
    is_bf16_supported,
    is_tf32_supported,
    memory_usage,
    npurt,
    npuStatus,
    power_draw,
    set_device,
    set_sync_debug_mode,
    synchronize,
    temperature,
    utilization,
)
from ._start import (
    DeferredNpuCallError,
    _is_compiled,
    _is_in_bad_fork,
    _lazy_call,
    _lazy_init,
    device_count,
    init,
    is_available,
    is_initialized,
)
from .autocast_utils import (
    get_amp_supported_dtype,
    get_autocast_dtype,
    is_autocast_enabled,
    set_autocast_dtype,
    set_autocast_enabled,
)
from .graphs import NPUGraph, graph, graph_pool_handle, is_current_stream_capturing, make_graphed_callables
from .memory import (
    MemPool,
    NPUPluggableAllocator,
    caching_allocator_alloc,
    caching_allocator_delete,
    caching_allocator_disabled,
    caching_allocator_enable,
    change_current_allocator,
    empty_cache,
    get_allocator_backend,
    get_per_process_memory_fraction,
    host_empty_cache,
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
from .npu_config import (
    config,
    conv,
    get_mm_bmm_format_nd,
    is_jit_compile_false,
    matmul,
    set_compile_mode,
    set_mm_bmm_format_nd,
    set_option,
)
from .random import (
    _get_generator,
    _get_rng_state_offset,
    _set_rng_state_offset,
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
from .streams import (
    Event,
    ExternalStream,
    Stream,
    StreamContext,
    SyncLaunchStream,
    _set_stream_by_id,
    current_stream,
    default_stream,
    get_stream_from_external,
    set_stream,
    stream,
)

has_half: bool = True
has_magma: bool = False

globals().update(_C._npu_tensor_types)
for _name in _C._npu_tensor_types.keys() | {"ComplexDoubleTensor", "ComplexFloatTensor"}:
    _name = _name.replace("Tensor", "Storage")
    globals()[_name] = _make_legacy_class(_name, _LEGACY_NAMES[_name], "npu")
del _name

from . import amp, graphs, memory, mstx, profiler, random, streams  # noqa: E402


def __getattr__(name):
    if name == "default_generators":  # one per device, created on first use
        return tuple(_C._npu_defaultGenerator(index) for index in range(device_count()))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    name
    for name in globals()
    if not name.startswith("_") and name not in ("AcceleratorError", "Device")
] + ["default_generators"]
