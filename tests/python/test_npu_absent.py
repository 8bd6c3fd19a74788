"""torch.npu without a device behaves like torch.cuda of real torch's CPU build, with NPU for CUDA."""

import inspect
import warnings

import pytest
from outcomes import plain

# Names of torch.cuda that differ here, and names of NVIDIA's own libraries and tools.
RENAMED = {
    "CUDAGraph": "NPUGraph",
    "CUDAPluggableAllocator": "NPUPluggableAllocator",
    "CudaError": "NpuError",
    "DeferredCudaCallError": "DeferredNpuCallError",
    "cudaStatus": "npuStatus",
    "cudart": "npurt",
    "nvtx": "mstx",
}
NVIDIAS = {"GreenContext", "jiterator", "nccl", "sparse", "tunable"}

CALLS = """
is_available() device_count() current_device() is_initialized() init() synchronize() Stream() Event() Stream(0)
FloatTensor(1) BoolTensor([1]) FloatStorage(1) manual_seed(0) manual_seed_all(0) manual_seed("x") seed() seed_all()
get_rng_state() get_rng_state_all() set_rng_state_all([]) memory_allocated() max_memory_allocated() memory_reserved()
max_memory_reserved() memory_cached() max_memory_cached() memory_stats() memory_stats(0) memory_stats_as_nested_dict()
host_memory_stats() host_memory_stats_as_nested_dict() empty_cache() get_device_properties(0) get_device_name()
get_device_capability() is_bf16_supported() is_bf16_supported(False) is_tf32_supported() set_device(0) set_device(-1)
set_device("cpu") device(0).__enter__() device("cpu") device_of(torch.ones(1)).__enter__() stream(None).__enter__()
CUDAGraph() graph_pool_handle() is_current_stream_capturing() graph(None) current_stream() default_stream()
get_stream_from_external(1) mem_get_info() mem_get_info(0) ipc_collect() reset_peak_memory_stats()
reset_accumulated_memory_stats() reset_max_memory_allocated() reset_max_memory_cached() memory_summary()
memory_snapshot() memory._snapshot() memory._record_memory_history() reset_peak_host_memory_stats()
reset_accumulated_host_memory_stats() utilization() temperature() power_draw() clock_rate() memory_usage()
device_memory_used() get_arch_list() get_gencode_flags() default_generators has_half has_magma cudaStatus.SUCCESS
initial_seed() can_device_access_peer(0,1) caching_allocator_alloc(8) caching_allocator_delete(8)
caching_allocator_enable() cudart() current_blas_handle() current_solver_handle() get_sync_debug_mode()
set_sync_debug_mode(0) set_per_process_memory_fraction(0.5) get_per_process_memory_fraction() MemPool()
get_allocator_backend() change_current_allocator(None) amp.common.amp_definitely_not_available()
list_gpu_processes() profiler.start() profiler.profile().__enter__() nvtx.mark("a") nvtx.range("a").__enter__()
use_mem_pool(None).__enter__() _lazy_init() _is_compiled() _is_in_bad_fork() _lazy_call(int) set_stream(None)
_exchange_device(0) _maybe_exchange_device(0) _get_rng_state_offset() _set_rng_state_offset(4) OutOfMemoryError
""".split()


def _translate_to_cuda(text):
    for theirs, ours in [*RENAMED.items(), ("CUDA", "NPU"), ("cuda", "npu"), ("NVTX", "MSTX"), ("nvtx", "mstx")]:
        text = text.replace(theirs, ours)
    return text


def _describe_outcome(torch, call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = plain(eval(call, {"torch": torch}), torch)
        except Exception as error:
            value = (type(error).__name__, str(error).replace("mindtorch.", "torch."))
    return value, [(item.category.__name__, str(item.message).replace("mindtorch.", "torch.")) for item in caught]


@pytest.mark.parametrize("call", CALLS)
def test_calls_without_a_device_are_torch_cudas(call, mt, oracle):
    theirs = _describe_outcome(oracle, f"torch.cuda.{call}")
    assert _describe_outcome(mt, f"torch.npu.{_translate_to_cuda(call)}") == eval(_translate_to_cuda(repr(theirs)))


@pytest.mark.parametrize(
    "call",
    [
        "torch.zeros(2, device='cuda')",
        "torch.rand(2, device='cuda')",
        "torch.tensor([1.0], device='cuda')",
        "torch.ones(2).to('cuda')",
        "torch.ones(2).to('cuda:1')",
        "torch.ones(2).cuda()",
        "torch.ones(2).is_cuda",
        "torch.ones(2).untyped_storage().is_cuda",
        "torch.nn.Linear(2, 2).cuda()",
        "torch.nn.Linear(2, 2).to('cuda')",
        "torch.nn.utils.rnn.PackedSequence(torch.ones(2), torch.tensor([1, 1])).is_cuda",
        "torch.nn.utils.rnn.PackedSequence(torch.ones(2), torch.tensor([1, 1])).cuda()",
        "torch.UntypedStorage(2, device='cuda')",
        "torch.zeros_like(torch.ones(2), device='cuda')",
        "torch.ones(2).new_zeros(2, device='cuda')",
        "torch.autocast('cuda')._enabled",
        "torch.amp.GradScaler('cuda').is_enabled()",
        "torch.get_device_module('cuda').is_available()",
        "torch.Stream('cuda')",
        "torch.Event('cuda')",
    ],
)
def test_missing_device_errors_match_those_of_cuda(call, mt, oracle):
    theirs = _describe_outcome(oracle, call)
    assert _describe_outcome(mt, _translate_to_cuda(call)) == eval(_translate_to_cuda(repr(theirs)))


@pytest.mark.parametrize(
    "call",
    [
        "torch.ones(2).pin_memory()",
        "torch.ones(2).is_pinned()",
        "torch.ones(2).to(0)",
        "torch.ones(2).cuda(1)",
        "torch.accelerator.Graph()",
        "torch.accelerator.current_accelerator()",
        "torch.accelerator.get_memory_info()",
        "torch.accelerator.current_stream()",
        "torch.accelerator.synchronize()",
        "torch.accelerator.memory_allocated()",
        "torch.accelerator.current_device_idx()",
    ],
)
def test_calls_without_accelerator_match_torch(call, mt, oracle):
    assert _describe_outcome(mt, call) == _describe_outcome(oracle, call)


def test_every_public_name_of_torch_cuda_is_there(mt, oracle):
    names = {RENAMED.get(name, name) for name in oracle.cuda.__all__} - NVIDIAS
    assert sorted(name for name in names if not hasattr(mt.npu, name)) == []
    assert sorted(names - set(mt.npu.__all__)) == []
    names = {RENAMED.get(name, name) for name in oracle.cuda.memory.__all__}
    assert sorted(name for name in names if not hasattr(mt.npu.memory, name)) == []


@pytest.mark.parametrize("name", ["CUDAGraph", "Stream", "Event", "ExternalStream", "StreamContext", "device"])
def test_classes_have_torch_cudas_members(name, mt, oracle):
    theirs, ours = getattr(oracle.cuda, name), getattr(mt.npu, name.replace("CUDA", "NPU"))
    names = {member.replace("cuda", "npu") for member in dir(theirs) if not member.startswith("_")}
    assert sorted(names - set(dir(ours))) == []


def test_parameters_are_torch_cudas(mt, oracle):
    def list_parameters(function):
        return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]

    differing = []
    for name in oracle.cuda.__all__:
        theirs, ours = getattr(oracle.cuda, name), getattr(mt.npu, RENAMED.get(name, name), None)
        if inspect.isfunction(theirs) and ours is not None and list_parameters(theirs) != list_parameters(ours):
            differing.append((name, list_parameters(theirs), list_parameters(ours)))
    # As in torch, the device's name decides whether a state belongs to the current device.
    assert [name for name, *_ in differing] == ["get_rng_state", "set_rng_state"]


def test_errors_are_torchs_own_classes(mt):
    assert mt.npu.OutOfMemoryError is mt.OutOfMemoryError and issubclass(mt.npu.OutOfMemoryError, RuntimeError)
    assert mt.npu.AcceleratorError is mt.AcceleratorError


def test_legacy_types_name_the_npu(mt):
    assert repr(mt.npu.HalfTensor) == "<class 'torch.npu.HalfTensor'>"
    assert mt.npu.HalfTensor.dtype is mt.float16
    assert not isinstance(mt.ones(1), mt.npu.FloatTensor)
    with pytest.raises(AssertionError, match="Torch not compiled with NPU enabled"):
        mt.ones(1).type("torch.npu.FloatTensor")


def test_settings_accept_only_the_actual_behaviour(mt):
    mt.npu.set_compile_mode(jit_compile=False)
    mt.npu.config.allow_internal_format = False
    assert mt.npu.matmul.allow_hf32 is False and mt.npu.is_jit_compile_false()
    with pytest.raises(NotImplementedError, match="jit_compile"):
        mt.npu.set_compile_mode(jit_compile=True)
    with pytest.raises(NotImplementedError, match="allow_internal_format"):
        mt.npu.config.allow_internal_format = True
    with pytest.raises(NotImplementedError, match="'ACL_OP_DEBUG_LEVEL'"):
        mt.npu.set_option({"ACL_OP_DEBUG_LEVEL": "1"})


def test_the_private_backend_is_the_npu(mt):
    mt.utils.rename_privateuse1_backend("npu")
    with pytest.raises(RuntimeError, match="has already been set! Current backend: npu"):
        mt.utils.rename_privateuse1_backend("foo")
    with pytest.raises(RuntimeError, match="has already been registered with is_npu"):
        mt.utils.generate_methods_for_privateuse1_backend()


def test_files_from_an_npu_say_how_to_be_read(mt):
    with pytest.raises(RuntimeError, match="deserialize object on a NPU device but torch.npu.is_available"):
        mt.serialization.default_restore_location(mt.ones(2).untyped_storage(), "npu:0")


def test_torch_npu_is_the_same_backend(run_as_torch):
    out = run_as_torch(
        "import torch, torch_npu, torch_npu.npu.amp\n"
        "from torch_npu.npu import Stream\n"
        "print(torch_npu.npu is torch.npu, torch_npu.npu.amp is torch.npu.amp, Stream is torch.npu.Stream)\n"
        "print(torch_npu.__version__ == torch.__version__, torch.npu.is_available())"
    ).ok()
    assert out == "True True True\nTrue False\n"


def test_torch_npu_is_missing_if_torch_is_not_mindtorch(run_python):
    out = run_python("import mindtorch, importlib.util as u; mindtorch.ones(1); print(u.find_spec('torch_npu'))").ok()
    assert out == "None\n"


def test_npu_requested_by_transformers_is_unavailable(run_as_torch):
    pytest.importorskip("transformers")
    out = run_as_torch("from transformers.utils import is_torch_npu_available as a; print(a(), a(True))").ok()
    assert out == "False False\n"


def test_a_library_that_cannot_be_loaded_is_a_warning_and_no_device(run_python, tmp_path):
    code = """
import warnings, mindtorch as torch
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.manual_seed(0)
    print(torch.npu.is_available(), torch.npu.device_count(), torch.accelerator.is_available())
print([str(item.message).split(": ")[:2] for item in caught])
try:
    torch.ones(1, device="npu")
except RuntimeError as error:
    print(error)
"""
    path = tmp_path / "absent.so"
    printed = run_python(code, env={"MINDTORCH_ACL_PATH": str(path)}).ok().splitlines()
    assert printed[0] == "False 0 False"
    assert printed[1] == f"[['NPU initialization', 'cannot load NPU library {path}']]"
    assert printed[2].startswith(f"cannot load NPU library {path}: ")
