"""Undocumented names that widely used packages import exist and match torch."""

import importlib
import importlib.util
import inspect
import io
import json
import subprocess
import sys
import typing

import numpy as np
import pytest
import torch_server
from outcomes import outcome


def test_legacy_tensor_types_are_classes_as_annotations_need_them(mt, oracle):
    for torch in (mt, oracle):
        kind = torch.FloatTensor
        assert isinstance(kind, type) and kind.__mro__ == (kind, object)
        assert (kind | None).__args__ == (kind, type(None))
        assert typing.Optional[kind].__args__ == (kind, type(None))  # noqa: UP045
        assert isinstance(torch.ones(1), kind | int) and not isinstance(torch.ones(1).int(), kind | str)
        assert not issubclass(kind, torch.Tensor)
        assert (repr(kind), kind.__name__, kind.__module__) == ("<class 'torch.FloatTensor'>", "FloatTensor", "torch")
        assert (kind.dtype, kind.is_cuda, kind.is_sparse) == (torch.float32, False, False)
        with pytest.raises(TypeError, match="is not an acceptable base type"):
            type("Mine", (kind,), {})


def test_numpy_of_a_tensor_that_needs_a_gradient_is_refused_only_while_gradients_are_recorded(mt, oracle):
    for torch in (mt, oracle):
        weight = torch.ones(2, requires_grad=True)
        with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
            weight.numpy()
        with torch.no_grad():
            assert np.array_equal(weight.numpy(), [1, 1]) and np.array_equal(np.asarray(weight), [1, 1])
        with torch.inference_mode():
            assert np.array_equal(weight.numpy(), [1, 1])


ARCHIVES = {
    "records": lambda r, t: r.get_all_records(),
    "size": lambda r, t: r.get_record_size("b"),
    "bytes": lambda r, t: (r.get_record("b"), r.get_record("version")),
    "id": lambda r, t: r.serialization_id(),
    "has": lambda r, t: (r.has_record("a"), r.has_record("zz")),
    "storage": lambda r, t: r.get_storage_from_record("c", 3, t.int64).untyped_storage().tolist(),
    "shape of a storage": lambda r, t: r.get_storage_from_record("c", 6, t.float32).shape,
    "another size": lambda r, t: r.get_storage_from_record("c", 7, t.float32),
    "no record": lambda r, t: r.get_record_size("zz"),
}


def _write_and_read_archive(torch):
    stream = io.BytesIO()
    writer = torch.PyTorchFileWriter(stream)
    writer.set_min_version(5)
    writer.write_record("a", b"abc", 3)
    writer.write_record("b", "text", 2)
    writer.write_record("c", torch.arange(3).untyped_storage(), 24)
    assert writer.get_all_written_records() == {"a", "b", "c"} and writer.serialization_id() == ""
    writer.write_end_of_file()
    return stream


@pytest.mark.parametrize("name", ARCHIVES)
def test_records_of_an_archive_are_torchs(name, mt, oracle):
    data = _write_and_read_archive(oracle).getvalue()
    assert _write_and_read_archive(mt).getvalue() == data

    def read_records(torch):
        return ARCHIVES[name](torch.PyTorchFileReader(io.BytesIO(data)), torch)

    assert outcome(read_records, mt) == outcome(read_records, oracle)


def test_archive_gets_its_path_when_complete(mt, oracle, tmp_path):
    path = tmp_path / "new.pt"
    writer = mt.PyTorchFileWriter(str(path))
    writer.write_record("a", b"abc", 3)
    assert writer.archive_name() == "new" and not path.exists()
    with pytest.raises(RuntimeError, match="Tried to serialize file twice: a"):
        writer.write_record("a", b"x", 1)
    writer.write_end_of_file()
    assert oracle.PyTorchFileReader(str(path)).get_record("a") == b"abc"
    with pytest.raises(RuntimeError):
        writer.write_record("b", b"x", 1)


def test_missing_archive_error_matches_torch(mt, oracle, tmp_path):
    def read_missing_archive(torch):
        return torch.PyTorchFileReader(str(tmp_path / "none.pt"))

    assert outcome(read_missing_archive, mt) == outcome(read_missing_archive, oracle)


PRODUCTS = {
    "values": lambda t, op: op(t.ones(3, 2), t.ones(3, 4), t.ones(4, 2), beta=2, alpha=0.5),
    "gradients": lambda t, op: t.autograd.grad(
        op(x := t.ones(3, 2, requires_grad=True), y := t.ones(3, 4, requires_grad=True), t.ones(4, 2), alpha=3).sum(),
        (x, y),
    ),
    "node": lambda t, op: type(op(t.ones(2, requires_grad=True), t.ones(3, 4), t.ones(4, 2)).grad_fn).__name__,
    "shapes": lambda t, op: op(t.ones(3, 2), t.ones(3, 4), t.ones(3, 2)),
    "meta": lambda t, op: op(*(t.ones(s, device="meta") for s in ((3, 2), (3, 4), (4, 2)))).shape,
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_sparse_addmm_of_dense_matrices_is_addmm(name, mt, oracle):
    call = PRODUCTS[name]
    assert outcome(lambda t: call(t, t.ops.aten._sparse_addmm), mt) == outcome(
        lambda t: call(t, t.ops.aten._sparse_addmm), oracle
    )


def test_sparse_mm_reduce_refuses_dense_matrices(mt):
    with pytest.raises(NotImplementedError, match="Could not run 'aten::_sparse_mm_reduce_impl' with arguments"):
        mt.ops.aten._sparse_mm_reduce_impl(mt.ones(2, 2), mt.ones(2, 2), "sum")


VALUES = (True, False, 3, 0, 2.5, "x", None)
SHAPE_QUERIES = (
    "guard_or_false", "guard_or_true", "statically_known_true", "statically_known_false", "guard_bool", "guard_int",
    "guard_float", "guard_scalar", "expect_true", "is_concrete_bool", "is_concrete_int", "is_concrete_float",
    "has_static_value", "is_symbolic", "has_free_symbols",
)  # fmt: skip


@pytest.mark.parametrize("question", SHAPE_QUERIES)
def test_symbolic_shape_queries_treat_sizes_as_plain_ints(question, mt, oracle):
    def query_symbolic_shapes(torch):
        ask = getattr(_import_symbolic_shapes(torch), question)
        return [outcome(lambda _, value=value: ask(value), torch) for value in VALUES]

    assert query_symbolic_shapes(mt) == query_symbolic_shapes(oracle)


def _import_symbolic_shapes(torch):
    import importlib

    return importlib.import_module(f"{torch.__name__}.fx.experimental.symbolic_shapes")


@pytest.mark.parametrize("pair", [(1, 1), (1, 2), ([1, 2], (1, 2)), ([1], [1, 2]), (1.0, 1.0), ([1], 2)])
def test_sizes_are_compared_as_symbols_would_be(pair, mt, oracle):
    assert outcome(lambda t: _import_symbolic_shapes(t).sym_eq(*pair), mt) == outcome(
        lambda t: _import_symbolic_shapes(t).sym_eq(*pair), oracle
    )


def test_tracing_and_export_raise_not_implemented(mt):
    import importlib

    at = lambda name: importlib.import_module(f"{mt.__name__}.{name}")  # noqa: E731
    fake, functional, proxy = map(
        at, ("_subclasses.fake_tensor", "_subclasses.functional_tensor", "fx.experimental.proxy_tensor")
    )
    assert not fake.is_fake(mt.ones(1)) and proxy.get_proxy_mode() is None and not mt.onnx.is_in_onnx_export()
    assert functional.mb_unwrap_functional_tensor(tensor := mt.ones(1)) is tensor
    assert not isinstance(tensor, (fake.FakeTensor, functional.FunctionalTensor, mt._dynamo.OptimizedModule))
    for refused in (
        lambda: fake.FakeTensorMode(),
        lambda: functional.FunctionalTensorMode(),
        lambda: proxy.make_fx(lambda x: x),
        lambda: mt.onnx.export(mt.nn.Linear(1, 1), (mt.ones(1),), "x.onnx"),
    ):
        with pytest.raises(NotImplementedError):
            refused()


ONNX_ERRORS = [("x", 9, None), ("aten::x", 9, 12)]


@pytest.mark.parametrize("arguments", ONNX_ERRORS)
def test_errors_of_exports_read_as_torchs(arguments, mt, oracle):
    ours, theirs = (t.onnx.errors.UnsupportedOperatorError(*arguments) for t in (mt, oracle))
    assert str(ours) == str(theirs) and isinstance(ours, mt.onnx.OnnxExporterError)


def test_a_mapped_dimension_is_added_and_taken_out_by_hand(mt, oracle):
    for torch in (mt, oracle):
        functorch = torch._C._functorch
        level = functorch._vmap_increment_nesting(3, "error")
        try:
            mapped = functorch._add_batch_dim(torch.arange(6.0).view(2, 3), 1, level)
            back = functorch._remove_batch_dim(mapped * 2, level, 3, 0)
            alike = functorch._remove_batch_dim(torch.ones(2), level, 3, 0)
        finally:
            functorch._vmap_decrement_nesting()
        assert back.tolist() == [[0, 6], [2, 8], [4, 10]] and alike.shape == (3, 2)


def _run_functorch_program(torch, functorch):
    torch.manual_seed(0)
    linear, norm = torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(2)
    tied = torch.nn.Sequential(shared := torch.nn.Linear(2, 2), shared)
    x = torch.arange(4.0).view(2, 2)
    made, params = functorch.make_functional(linear)
    gradients = functorch.grad(lambda p: made(p, x).sum())(params)
    with_buffers, state, buffers = functorch.make_functional_with_buffers(norm, disable_autograd_tracking=True)
    of_tied, one = functorch.make_functional(tied)
    several, stacked, none = functorch.combine_state_for_ensemble([torch.nn.Linear(2, 3) for _ in range(4)])
    return [
        [g.tolist() for g in gradients],
        made.param_names,
        made.names_map,
        [p.requires_grad for p in state],
        with_buffers.all_names_map,
        with_buffers(state, buffers, x).tolist(),
        (len(one), of_tied.names_map, of_tied([p * 2 for p in one], x).tolist()),
        functorch.vmap(several, in_dims=(0, 0, None))(stacked, none, x).tolist(),
        [(p.shape, p.requires_grad) for p in stacked],
        repr(several),
        [p.device.type for p in made.parameters()],
    ]


FUNCTORCH = """
import inspect, json, sys, warnings
import torch, functorch
{program}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    values = _run_functorch_program(torch, functorch)
errors = []
for models in ([], [torch.nn.Linear(1, 1), torch.nn.ReLU()], [torch.nn.ReLU(), torch.nn.ReLU().eval()]):
    try:
        functorch.combine_state_for_ensemble(models)
    except RuntimeError as error:
        errors.append(str(error))
try:
    functorch.make_functional(torch.nn.BatchNorm1d(1))
except RuntimeError as error:
    errors.append(str(error))
texts = [str(w.message) for w in caught if w.category is FutureWarning]
print(json.dumps([repr(values), errors, texts]))
"""


@pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="needs real torch")
def test_functorch_is_importable_and_warns_as_torchs():
    code = FUNCTORCH.format(program=inspect.getsource(_run_functorch_program))
    command = [sys.executable, "-m", "mindtorch", "-c", code]
    ours = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    theirs = torch_server.start_program(code).stdout
    assert json.loads(ours.splitlines()[-1]) == json.loads(theirs.splitlines()[-1])


IMPORTS = {
    "tqdm": "from torch.utils.model_zoo import tqdm; print(tqdm.__module__)",
    "a bar without tqdm": """
import io, sys, torch
sys.stderr = shown = io.StringIO()
with torch.hub._Faketqdm(total=4, unit="B") as bar:
    bar.update(1); bar.update(2); bar.write("x"); bar.set_description("d")
with torch.hub._Faketqdm(disable=True) as bar:
    bar.update(1)
with torch.hub._Faketqdm() as bar:
    bar.update(3)
print(repr(shown.getvalue()))""",
    "annotations": """
from torch.jit.annotations import BroadcastingList2, Dict, List, Optional, Tuple
print(List, BroadcastingList2[int])""",
    "compilers": "from torch.utils._triton import has_triton; print(has_triton())",
    "warn_once": """
import warnings
from torch._dynamo.utils import warn_once
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warn_once("a"); warn_once("a"); warn_once("b")
print([str(w.message) for w in caught])""",
    "loaders": """
from torch.utils.data.dataloader import _collate_fn_t, _worker_init_fn_t
print(_collate_fn_t, _worker_init_fn_t)""",
    "onnx": """
import torch
from torch.onnx import symbolic_opset9, symbolic_opset11 as opset, symbolic_opset20
from torch.onnx.symbolic_helper import parse_args
described = parse_args("v", "i")(lambda g, x, dim: None)
print(opset.__name__, described._arg_descriptors, torch.onnx.TensorProtoDataType.BFLOAT16)
print(torch.onnx.register_custom_op_symbolic("mine::op", described, 11))""",
    "stubs of quantization": """
import torch
from torch.ao.quantization import DeQuantStub, QConfig, QuantStub, QuantWrapper
from torch.quantization import ObserverBase, FakeQuantizeBase
import torch.quantization.observer
torch.manual_seed(0)
wrapped = QuantWrapper(torch.nn.Linear(2, 1).eval())
print(wrapped, wrapped.training, wrapped(torch.ones(1, 2)), QuantStub.__module__)
print(QuantStub(3).qconfig, hasattr(DeQuantStub(), "qconfig"), QConfig(activation=int, weight=float))
class Seen(ObserverBase):
    def forward(self, x): return x
    def calculate_qparams(self): return 1, 0
made = Seen.with_args(dtype=torch.qint8)
print(made().dtype, made.with_args(is_dynamic=1)().is_dynamic, made.with_callable_args(is_dynamic=int)().is_dynamic)
class Fake(FakeQuantizeBase):
    def forward(self, x): return x
    def calculate_qparams(self): return 1, 0
fake = Fake()
fake.disable_fake_quant(), fake.disable_observer(), fake.enable_observer()
print(fake.state_dict())
for call in (lambda: ObserverBase(torch.qint8), lambda: QConfig(torch.nn.ReLU(), int)):
    try:
        call()
    except (TypeError, ValueError) as error:
        print(type(error), error)""",
    "modules of quantization": """
import torch
from torch.nn.quantized import FloatFunctional
f, x = FloatFunctional(), torch.tensor([1.0, -3.0])
print(f, [t.tolist() for t in (f.add(x, x), f.add_scalar(x, 2), f.mul(x, x), f.mul_scalar(x, 3), f.add_relu(x, x))])
print(f.cat([x, x]).tolist(), f.matmul(x, x).item(), FloatFunctional.__module__, torch.nn.quantized.FloatFunctional)
try:
    f(x)
except RuntimeError as error:
    print(error)""",
    "what TorchScript is told": """
import torch
for name in ("_jit_set_profiling_executor", "_jit_set_profiling_mode", "_jit_set_texpr_fuser_enabled"):
    print([getattr(torch._C, name)(value) for value in (False, True, True, False)])
print(torch._C._is_tracing(), torch._C._has_cuda, torch._C._has_xpu, torch._C._has_mps)""",
    "types of TorchScript": """
import torch
for name in "Type AnyType DeviceObjType NoneType TensorType ScriptObject".split():
    kind = getattr(torch, name)
    print(kind, kind is getattr(torch._C, name), name in torch.__all__)
    try:
        kind()
    except TypeError as error:
        print(error)
print(str | torch.DeviceObjType, isinstance(3, torch.TensorType))""",
    "helpers of autograd.functional": """
import torch
from torch.autograd.functional import _as_tuple, _construct_standard_basis_for, _grad_postprocess, _tuple_postprocess
print(_as_tuple(3), _as_tuple([1, 2]), _tuple_postprocess((1,), False))
print(_tuple_postprocess(((1,), (2,)), (True, False)))
print(_tuple_postprocess(((1, 2),), (False, True)), _tuple_postprocess((1, 2), True))
print(_construct_standard_basis_for((torch.ones(2), torch.ones(1).double()), (2, 1)))""",
    "transforms": """
import torch
from torch.distributions.transforms import _clipped_sigmoid
print(_clipped_sigmoid(torch.tensor([-200.0, 0, 200])))""",
    "einsum's strategies": """
import torch
settings = torch.backends.opt_einsum
settings.strategy = "auto-hq"
print(settings.strategy)
settings.strategy = None
settings.enabled = False
print(settings.enabled, settings.strategy)""",
}


@pytest.mark.parametrize("name", IMPORTS)
def test_names_imported_by_packages_match_torch(name, same_as_oracle):
    same_as_oracle(IMPORTS[name])


GROUP = ("get_rank", "get_world_size", "get_backend", "barrier", "new_group", "destroy_process_group", "is_initialized")


@pytest.mark.parametrize("name", GROUP)
def test_without_a_process_group_questions_are_answered_as_before_one_is_made(name, mt, oracle):
    def query_distributed(torch):
        return getattr(importlib.import_module(f"{torch.__name__}.distributed"), name)()

    import importlib

    assert outcome(query_distributed, mt) == outcome(query_distributed, oracle)


def test_reductions_of_process_groups_are_names(mt, oracle):
    import importlib

    for torch in (mt, oracle):
        kinds = importlib.import_module(f"{torch.__name__}.distributed").ReduceOp
        assert repr(kinds.SUM) == "<RedOpType.SUM: 0>" and list(kinds.RedOpType.__members__)[-1] == "PREMUL_SUM"


@pytest.mark.parametrize("backend", [None, "default", "cublas", "cublaslt", "hipblas", "ck", "magma", "cusolver", 5])
@pytest.mark.parametrize("name", ["preferred_blas_library", "preferred_linalg_library"])
def test_preferred_cuda_libraries_are_those_that_are_built(name, backend, mt, oracle):
    def prefer_library(torch):
        try:
            return getattr(torch.backends.cuda, name)(backend).name
        except RuntimeError as error:
            return str(error)

    try:
        if backend is not None or name == "preferred_blas_library":  # real torch keeps the refused value
            assert prefer_library(mt) == prefer_library(oracle)
    finally:
        for torch in (mt, oracle):
            getattr(torch.backends.cuda, name)("default")


def test_weak_storage_reference_expires_with_the_storage(mt, oracle):
    def expire_weak_reference(torch):
        weak_ref = importlib.import_module(f"{torch.__name__}.multiprocessing.reductions").StorageWeakRef
        first, second = torch.ones(2), torch.ones(2)
        of_first, again, of_second = (weak_ref(t.untyped_storage()) for t in (first, first, second))
        found = [of_first == again, hash(of_first) == hash(again), of_first == of_second, of_first.expired()]
        del first
        return [*found, of_first.expired(), again.expired(), of_second.expired()]

    assert expire_weak_reference(mt) == expire_weak_reference(oracle) == [True, True, False, False, True, True, False]


def test_a_file_or_a_buffer_is_opened_by_one_name(mt, oracle, tmp_path):
    for torch in (mt, oracle):
        open_file_like = torch.serialization._open_file_like
        with open_file_like(tmp_path / "file", "wb") as file:
            file.write(b"abc")
        with open_file_like(str(tmp_path / "file"), "rb") as file:
            assert file.read() == b"abc"
        buffer = io.BytesIO(b"def")
        with open_file_like(buffer, "rb") as opened:
            assert opened is buffer if torch is mt else opened.read() == b"def"


# Queries of torch's compiler that packages make; mindtorch has no such compiler, but answers them.
QUERIES = """
module("_dynamo.external_utils").is_compiling()
type(module("_dynamo.utils").counters).__name__, module("_dynamo.utils").counters["frames"]["ok"]
module("_subclasses.fake_tensor").maybe_get_fake_mode(torch.ones(1))
entered(module("_subclasses.fake_tensor").unset_fake_temporarily())
entered(module("_subclasses.functional_tensor").disable_functional_mode())
"""


@pytest.mark.parametrize("expression", QUERIES.split("\n")[1:-1])
def test_queries_of_the_compiler_answer_as_outside_of_it(expression, mt, oracle):
    def enter_context(manager):
        with manager as value:
            return value

    def eval_compiler_query(torch):
        def import_submodule(name):
            return importlib.import_module(f"{torch.__name__}.{name}")

        return repr(eval(expression, {"torch": torch, "module": import_submodule, "entered": enter_context}))

    assert outcome(eval_compiler_query, mt) == outcome(eval_compiler_query, oracle)


def test_arguments_of_nodes_have_a_name_for_annotations(mt):
    assert hasattr(importlib.import_module(f"{mt.__name__}.fx.graph"), "Argument")
