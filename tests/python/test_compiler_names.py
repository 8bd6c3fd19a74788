"""Modules of torch's compilers: what programs register and set is kept, and the rest refuses calls by name."""

import importlib

import pytest
from outcomes import outcome

NUMBERS = iter(range(10**6))


def _import(torch, name):
    return importlib.import_module(f"{torch.__name__}.{name}")


def _define_operator(torch):
    library = torch.library.Library(f"written_in_terms{next(NUMBERS)}", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.define("twice.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")
    library.impl("twice", lambda x: x + x, "CompositeExplicitAutograd")
    return library, getattr(torch.ops, library.ns).twice


@pytest.mark.parametrize("module", ["_decomp", "_inductor.decomposition"])
def test_registered_decompositions_are_in_the_table(module, mt, oracle):
    for torch in (mt, oracle):
        home = _import(torch, module)
        table = home.decomposition_table if module == "_decomp" else home.decompositions
        library, twice = _define_operator(torch)

        @home.register_decomposition([twice])
        def double(x):
            return 2 * x

        assert table[twice.default] is table[twice.out] is double
        assert twice(torch.ones(1)).tolist() == double(torch.ones(1)).tolist() == [2]
        with pytest.raises(RuntimeError, match="duplicate registrations for written_in_terms"):
            home.register_decomposition(twice.default)(double)
        _import(torch, "_decomp").remove_decompositions(table, [twice])
        assert twice.default not in table


def test_registering_something_else_is_refused_as_in_torch(mt, oracle):
    def register_other_kinds(torch):
        return _import(torch, "_decomp").register_decomposition(torch.ops.aten.add, {}, type="none")

    assert outcome(register_other_kinds, mt) == outcome(register_other_kinds, oracle)

    def register_python_function(torch):
        return _import(torch, "_decomp").register_decomposition(3, {})(lambda x: x)

    assert outcome(register_python_function, mt) == outcome(register_python_function, oracle)


def test_settings_of_a_section_are_patched_within_a_block(mt, oracle):
    for torch in (mt, oracle):
        config = _import(torch, "_inductor.config")
        assert config.triton.cudagraphs is False and config.max_autotune is False
        with config.patch({"triton.cudagraphs": True, "max_autotune": True}):
            assert config.triton.cudagraphs is True and config.max_autotune is True
        with config.patch("triton.cudagraphs", True):
            assert config.triton.cudagraphs is True
        assert config.triton.cudagraphs is False and config.max_autotune is False
        with pytest.raises(AttributeError, match="nothing.*does not exist"), config.patch("triton.nothing", True):
            pass


SETTINGS = """allow_buffer_reuse coordinate_descent_tuning epilogue_fusion force_fuse_int_mm_with_mul freezing
    fx_graph_cache max_autotune max_autotune_gemm_backends shape_padding cpp.simdlen cpp.threads cpp.min_chunk_size
    triton.unique_kernel_names triton.cudagraph_trees triton.multi_kernel trace.enabled cuda.compile_opt_level
    aot_inductor.output_path""".split()


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_have_torchs_defaults(name, mt, oracle):
    def read_setting(torch):
        value = _import(torch, "_inductor.config")
        for part in name.split("."):
            value = getattr(value, part)
        return value

    assert read_setting(mt) == read_setting(oracle)


ABSENT = """_decomp.core_aten_decompositions _dynamo.variables.builder.wrap_fx_proxy _inductor.ir.TensorBox
    _inductor.pattern_matcher.register_graph_pattern _inductor.compile ao.pruning.BaseSparsifier
    ao.quantization.quantize_fx.prepare_fx ao.quantization.fx.prepare.prepare export._trace._export
    distributed._symmetric_memory.get_symm_mem_workspace distributed.fsdp.sharded_grad_scaler.ShardedGradScaler
    sparse._triton_ops_meta.get_meta sparse._triton_ops.scatter_mm""".split()


@pytest.mark.parametrize("path", ABSENT)
def test_absent_names_exist_as_in_torch_and_refuse_calls(path, mt, oracle):
    module, _, name = path.rpartition(".")
    theirs, ours = (getattr(_import(torch, module), name) for torch in (oracle, mt))
    assert isinstance(ours, type) == isinstance(theirs, type)
    optional = getattr(ours, "__defaults__", None) or ()
    needed = 0 if isinstance(ours, type) else ours.__code__.co_argcount - len(optional)
    with pytest.raises(NotImplementedError, match=name):
        ours(*range(needed))


def test_modules_of_absent_names_have_no_others(mt):
    home = _import(mt, "_inductor.ir")
    assert home is mt._inductor.ir and "TensorBox" in dir(home)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = home.nothing
    with pytest.raises(ModuleNotFoundError, match="_inductor.nothing"):
        _import(mt, "_inductor.nothing")


def test_errors_of_the_compiler_have_torchs_bases(mt, oracle):
    for module, names in {
        "_dynamo.exc": "BackendCompilerFailed FailOnRecompileLimitHit InvalidBackend TensorifyScalarRestartAnalysis "
        "TorchDynamoException TorchRuntimeError Unsupported",
        "_export.error": "ExportError ExportErrorType InternalError",
    }.items():
        for name in names.split():
            ours, theirs = (getattr(_import(torch, module), name) for torch in (mt, oracle))
            kept = [base.__name__ for base in theirs.__mro__ if base.__name__ != "ShortenTraceback"]
            assert [base.__name__ for base in ours.__mro__] == kept


TILES = {
    "shape": lambda torch, ops: tuple(ops.broadcast_batch_dims("f", torch.ones(2, 1, 3, 3), torch.ones(4, 3, 3))),
    "refusal": lambda torch, ops: ops.broadcast_batch_dims("f", torch.ones(2, 3, 3), torch.ones(4, 3, 3)),
    "blocks": lambda torch, ops: ops.tile_to_blocksize(torch.arange(24).view(4, 6), (2, 3)),
    "kernels": lambda torch, ops: (ops.bsr_dense_mm, ops.bsr_softmax, ops.sampled_addmm),
}


@pytest.mark.parametrize("name", TILES)
def test_block_sparse_helpers_are_torchs(name, mt, oracle):
    def call_helper(torch):
        return TILES[name](torch, _import(torch, "sparse._triton_ops"))

    assert outcome(call_helper, mt) == outcome(call_helper, oracle)


def test_processor_is_described_as_in_torch_c(mt, oracle):
    ours, theirs = (torch._C._cpu._get_cpu_capability() for torch in (mt, oracle))
    assert ours.keys() == theirs.keys() and ours["avx2"] == theirs["avx2"]


@pytest.mark.parametrize("counts", [(6, 6), (5, 6), (6, 1)])
def test_parameters_of_rows_are_counted_as_in_torch(counts, mt, oracle):
    def check_counts(torch):
        home = _import(torch, "ao.quantization.fx._decomposed")
        return home._per_token_quant_qparam_dim_check(torch.ones(2, 3, 4), *map(torch.ones, counts))

    assert outcome(check_counts, mt) == outcome(check_counts, oracle)
