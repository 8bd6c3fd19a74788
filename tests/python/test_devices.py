"""Devices that a CPU build lacks behave and fail as in torch's CPU build."""

import io

import pytest
from outcomes import result

CALLS = """
cuda.is_available() cuda.device_count() cuda.current_device() cuda.is_initialized() cuda.init() cuda.synchronize()
cuda.Stream() cuda.Event() cuda.FloatTensor(1) cuda.manual_seed(0) cuda.manual_seed_all(0) cuda.get_rng_state()
cuda.get_rng_state_all() cuda.memory_allocated() cuda.max_memory_allocated() cuda.memory_stats() cuda.empty_cache()
cuda.get_device_properties(0) cuda.get_device_name() cuda.get_device_capability() cuda.is_bf16_supported()
cuda.set_device(0) cuda.set_device(-1) cuda.device(0).__enter__() cuda.stream(None).__enter__() cuda.CUDAGraph()
cuda.graph_pool_handle() cuda.is_current_stream_capturing() cuda.current_stream() cuda.mem_get_info() cuda.ipc_collect()
cuda.reset_peak_memory_stats() cuda.memory_summary() cuda.utilization() cuda.nvtx.range_push("a") cuda.get_arch_list()
cuda.get_gencode_flags() cuda.default_generators cuda.has_half cuda.cudaStatus.SUCCESS cuda.initial_seed()
cuda.can_device_access_peer(0,0) cuda.caching_allocator_alloc(8) cuda.amp.common.amp_definitely_not_available()
accelerator.is_available() accelerator.current_accelerator() accelerator.device_count() accelerator.synchronize()
accelerator.current_device_index() accelerator.device_index(None).__enter__() accelerator.device_index(0).__enter__()
accelerator.memory_stats() accelerator.empty_cache() mps.is_available() mps.device_count() mps.empty_cache() mps.seed()
mps.current_allocated_memory() mps.compile_shader("") mps.event.Event() mps.profiler.start() mtia.is_available()
mtia.device_count() mtia.init() mtia.synchronize() mtia.memory_stats() xpu.is_available() xpu.device_count() xpu.init()
xpu.synchronize() xpu.current_device() xpu.memory_allocated() xpu.Stream() xpu.manual_seed(1) xpu.empty_cache()
xpu.device(0).__enter__() cpu.is_available() cpu.device_count() cpu.current_device() cpu.synchronize()
backends.cuda.is_built() backends.mps.is_built() backends.mps.is_available() backends.cudnn.is_available()
backends.cudnn.version() backends.cudnn.benchmark backends.cudnn.enabled backends.cudnn.deterministic
backends.cudnn.allow_tf32 backends.cuda.matmul.allow_tf32 backends.cuda.matmul.nothing backends.opt_einsum.strategy
backends.quantized.engine backends.mha.get_fastpath_enabled() backends.cusparselt.is_available()
jit.is_scripting() jit.is_tracing() compiler.is_compiling() compiler.is_exporting() _dynamo.is_compiling()
""".split()

# Results that differ because the builds differ: torch's has the engines oneDNN and XNNPACK.
_DIFFERENT = {"backends.quantized.engine"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [call for call in CALLS if call not in _DIFFERENT])
def test_answers_and_refusals_are_torchs(call, mt, oracle):
    def eval_call(torch):
        import importlib

        importlib.import_module(f"{torch.__name__}.{call.split('.')[0]}")
        return eval(f"torch.{call}", {"torch": torch})

    assert result(eval_call, mt) == result(eval_call, oracle)


DEVICES = """
() (None) ('cpu') ('cpu',0) ('cpu',None) ('cpu:0',None) ('cpu:0',1) ('cpu',-1) ('cpu',index=None) (type='cpu')
(type='cpu',index=0) (type='cpu',index=None) (device='cpu') (device=torch.device('cpu')) (torch.device('cpu'))
(torch.device('cpu'),0) (torch.device('cpu'),None) (0) (0,0) (-1) (1.5) ('cpu',1.5) ('cpu','0') ('cpu',True) (True)
('cpu',0,0) (foo='cpu') ('cpu',foo=1) (type=0) (type=0,index=0) (device='cpu',index=0) (index=0) ('cpu',type='cpu')
('cpu',device='cpu') (type=None) (type=None,index=0) ([]) ('cpu',[]) ('foo') ('') (type='cpu:0') ('cpu',128)
('cpu',255) ('cpu:') ('cpu:-1') ('cpu:01') ('cpu',300) ('cpu',2**40) ('cpu',2**70) (2**70)
('cpu',index=torch.tensor(1)) (torch.tensor(1)) (None,None) (index=None) (device=None) (type='cpu',device='cpu') (int)
(device=1) ('cpu',index=1.0) (1.0,1) ('cpu0') ('cuda1') ('foo0') ('12') ('1:0') ('cuda_0') ('_cuda') ('foo_bar:0')
""".split()


@pytest.mark.parametrize("arguments", DEVICES)
def test_a_device_is_made_or_refused_as_torchs(arguments, mt, oracle):
    def make_device(torch):
        return repr(eval(f"torch.device{arguments}", {"torch": torch}))

    assert result(make_device, mt) == result(make_device, oracle)


MOVES = """
x.to(d) x.to(device=d) x.to(d,torch.float32) x.to(d,non_blocking=True) x.to(d,copy=False) x.to(torch.empty(1,device=d))
m.to(d).weight torch.nn.utils.rnn.pack_sequence([x]).to(d).data
torch.as_tensor(x,device=d) torch.as_tensor(x.numpy(),device=d)
torch.asarray(x,device=d) torch.asarray(x,device=d,copy=False) torch.asarray(x.numpy(),device=d,copy=False)
torch.sparse_coo_tensor(i,x,device=d)._values() torch.sparse_csr_tensor(c,i[0],x,(2,2),device=d).values()
torch.ops.aten.to.device(x,torch.device(d),torch.float32) torch.ops.aten.to.dtype_layout(x,device=torch.device(d))
""".split()


@pytest.mark.parametrize("device", ["cpu", "cpu:0", "cpu:1"])
@pytest.mark.parametrize("call", MOVES)
@pytest.mark.filterwarnings("ignore:Sparse")
def test_a_tensor_is_copied_to_a_cpu_with_an_index_and_stays_on_one_without(call, device, mt, oracle):
    def copy_between_cpu_indices(torch):
        x, m, i, c = torch.ones(2), torch.nn.Linear(1, 2), torch.tensor([[0, 1]]), torch.tensor([0, 1, 2])
        before = {x.data_ptr(), m.weight.data_ptr()}
        moved = eval(call, {"torch": torch, "x": x, "m": m, "i": i, "c": c, "d": device})
        return moved.data_ptr() in before, str(moved.device)

    assert result(copy_between_cpu_indices, mt) == result(copy_between_cpu_indices, oracle)


@pytest.mark.parametrize("device", ["cpu", "cpu:0", "meta", "meta:0", "meta:1"])
def test_a_tensor_moved_to_a_device_with_an_index_is_a_result_in_the_graph(device, mt, oracle):
    def move_in_graph(torch):
        x = torch.ones(2, device=torch.device(device).type, requires_grad=True)
        moved = x.to(device)
        return moved is x, moved.is_leaf, type(moved.grad_fn).__name__, str(moved.device)

    assert result(move_in_graph, mt) == result(move_in_graph, oracle)


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("index", ["", ":0", ":1"])
@pytest.mark.parametrize("kind", ["cpu", "meta", "cuda"])
def test_loading_accepts_and_refuses_devices_with_an_index_as_torchs(kind, index, zipped, mt, oracle):
    def save_and_load_at(torch, location):
        file = io.BytesIO()
        torch.save(torch.ones(2), file, _use_new_zipfile_serialization=zipped)
        file.seek(0)
        return str(torch.load(file, map_location=location(torch)).device)

    for location in (lambda torch: kind + index, lambda torch: torch.device(kind + index)):
        ours, theirs = (result(lambda t, at=location: save_and_load_at(t, at), torch) for torch in (mt, oracle))
        assert ours == theirs


NORMALS = ["m, s", "m, 1.0", "0.0, s", "m", "mean=m, std=s", "0.0, 1.0, (2,)"]


@pytest.mark.parametrize("arguments", NORMALS)
def test_device_mode_ignores_functions_without_device_argument(arguments, mt, oracle):
    def sample_in_device_mode(torch):
        with torch.device("cpu"):
            torch.manual_seed(3)
            return eval(f"torch.normal({arguments})", {"torch": torch, "m": torch.zeros(2), "s": torch.ones(2)})

    assert result(sample_in_device_mode, mt) == result(sample_in_device_mode, oracle)


def test_a_device_mode_fills_in_the_device_of_the_same_functions_as_torchs(mt, oracle):
    def list_device_constructors(torch):
        return {function.__name__ for function in torch.utils._device._device_constructors()}

    absent = {"empty_quantized", "nested_tensor"} | {
        name for name in list_device_constructors(oracle) if name.startswith("sparse_")
    }
    assert list_device_constructors(mt) | absent == list_device_constructors(oracle) | {"sparse_csr_tensor"}


def test_errors_of_devices_have_their_names_in_cuda(mt):
    assert mt.cuda.OutOfMemoryError is mt.OutOfMemoryError
    assert mt.cuda.AcceleratorError is mt.AcceleratorError


def test_cudnn_flags_are_kept_and_restored(mt):
    cudnn = mt.backends.cudnn
    with cudnn.flags(enabled=False, benchmark=True):
        assert not cudnn.enabled and cudnn.benchmark
    assert cudnn.enabled and not cudnn.benchmark
    cudnn.deterministic = True
    assert cudnn.deterministic
    cudnn.deterministic = False
