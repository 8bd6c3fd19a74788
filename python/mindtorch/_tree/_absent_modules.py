"""Modules of torch that programs import and this library lacks: their functions and classes exist, for annotations and
isinstance, and raise NotImplementedError when called."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

from ._absent_device import make_refusing_class, make_refusing_function

# For each package: why it lacks modules, and the names of each of them; those with a capital are classes.
_ABSENT = {
    "_dynamo": (
        "there is no graph compiler",
        {
            "backends.common": "AotAutograd aot_autograd",
            "backends.registry": "CompiledFn CompilerFn list_backends lookup_backend register_backend",
            "compiled_autograd": "_disable _enable",
            "guards": "CheckFunctionManager GuardBuilder get_verbose_code_parts",
            "variables.base": "VariableTracker",
            "variables.builder": "VariableBuilder wrap_fx_proxy wrap_to_fake_tensor_and_record",
            "variables.constant": "ConstantVariable",
            "variables.functions": "UserFunctionVariable UserMethodVariable",
            "variables.higher_order_ops": "TorchHigherOrderOperatorVariable",
            "variables.tensor": "SymNodeVariable TensorVariable",
        },
    ),
    "_export": (
        "there is no graph capture",
        {
            "utils": "_disable_aten_to_metadata_assertions",
        },
    ),
    "_functorch._aot_autograd": (
        "there is no tracing compiler",
        {
            "functional_utils": "from_fun to_fun",
        },
    ),
    "_inductor": (
        "there is no graph compiler",
        {
            "codegen.cpp_flex_attention_template": "CppFlexAttentionTemplate",
            "codegen.cpp_template": "CppTemplate",
            "codegen.cpp_template_kernel": "CppTemplateCaller CppTemplateKernel",
            "codegen.triton": "TritonKernel TritonOverrides TritonScheduling",
            "compile_fx": "compile_fx compile_fx_inner",
            "constant_folding": "constant_fold",
            "cpp_builder": "get_cpp_compiler",
            "cpu_vec_isa": "pick_vec_isa valid_vec_isa_list",
            "freezing_utils": "maybe_set_is_frozen_param",
            "fx_passes.freezing_patterns": "freezing_passes register_freezing_graph_pattern",
            "fx_passes.mkldnn_fusion": "_get_remaining_users",
            "ir": "ChoiceCaller FallbackKernel FixedLayout FlexibleLayout IRNode Layout Pointwise StorageBox TensorBox "
            "get_fill_order",
            "kernel.flex.common": "construct_strides maybe_realize",
            "lowering": "add_needs_realized_inputs make_fallback register_lowering to_dtype",
            "pattern_matcher": "Arg CallFunction Ignored KeywordArg Match MultiOutputPattern PatternMatcherPass "
            "fwd_only gen_register_replacement joint_fwd_bwd register_graph_pattern register_lowering_pattern "
            "register_replacement",
            "scheduler": "BaseSchedulerNode Scheduler",
            "select_algorithm": "DataProcessorTemplateWrapper ExternKernelChoice TritonTemplate "
            "autotune_select_algorithm realize_inputs",
            "utils": "parallel_num_threads",
            "virtualized": "V ops",
        },
    ),
    "ao": (
        "there are no quantized tensors",
        {
            "ns.fx.utils": "compute_sqnr",
            "pruning": "BaseSparsifier BaseStructuredSparsifier FakeSparsity WeightNormSparsifier "
            "get_arg_info_from_tensor_fqn module_to_fqn fqn_to_module",
        },
    ),
    "ao.quantization": (
        "there are no quantized tensors",
        {
            "backend_config": "BackendConfig BackendPatternConfig DTypeConfig DTypeWithConstraints ObservationType "
            "get_native_backend_config",
            "backend_config.utils": "get_fused_module_classes get_module_to_qat_module get_pattern_to_dtype_configs",
            "qconfig_mapping": "QConfigMapping get_default_qat_qconfig_mapping get_default_qconfig_mapping",
            "quantize": "_remove_qconfig convert prepare prepare_qat propagate_qconfig_ quantize quantize_dynamic "
            "quantize_qat",
            "quantize_fx": "convert_fx convert_to_reference_fx fuse_fx prepare_fx prepare_qat_fx",
            "quantize_pt2e": "convert_pt2e prepare_pt2e prepare_qat_pt2e",
            "utils": "activation_dtype activation_is_statically_quantized check_min_max_valid determine_qparams "
            "get_qparam_dict weight_dtype weight_is_quantized",
        },
    ),
    "ao.quantization.fx": (
        "there are no quantized tensors",
        {
            "_equalize": "EqualizationQConfig convert_eq_obs",
            "custom_config": "ConvertCustomConfig FuseCustomConfig PrepareCustomConfig StandaloneModuleConfigEntry",
            "graph_module": "FusedGraphModule ObservedGraphModule ObservedStandaloneGraphModule",
            "lower_to_fbgemm": "lower_to_fbgemm",
            "prepare": "_insert_obs_or_fq _save_state insert_observers_for_model prepare",
            "qconfig_mapping_utils": "_generate_node_name_to_qconfig",
            "utils": "all_node_args_have_no_tensors get_new_attr_name_with_prefix",
        },
    ),
    "distributed": (
        "it is not in this build",
        {
            "_symmetric_memory": "empty enable_symm_mem_for_group get_symm_mem_workspace is_nvshmem_available "
            "rendezvous",
        },
    ),
    "distributed.algorithms": (
        "it is not in this build",
        {
            "model_averaging.averagers": "ModelAverager PeriodicModelAverager",
            "model_averaging.hierarchical_model_averager": "HierarchicalModelAverager",
        },
    ),
    "distributed.checkpoint": (
        "safetensors are not supported here",
        {
            "_consolidate_hf_safetensors": "consolidate_safetensors_files consolidate_safetensors_files_on_every_rank",
        },
    ),
    "distributed.fsdp": (
        "it is not in this build",
        {
            "_runtime_utils": "_lazy_init _root_pre_forward",
            "sharded_grad_scaler": "ShardedGradScaler",
        },
    ),
    "export": (
        "there is no graph capture",
        {
            "_trace": "_export",
            "decomp_utils": "CustomDecompTable",
            "unflatten": "UnflattenedModule _AttrKind _assign_attr unflatten",
        },
    ),
}


class _AbsentModule(ModuleType):
    """Makes its functions and classes when they are first read."""

    def __init__(self, name, names, reason):
        super().__init__(name, "A module of torch that this library lacks.")
        self.__spec__ = ModuleSpec(name, None, is_package=True)
        self.__path__, self.__package__ = [], name
        self.__all__, self._reason = names.split(), reason

    def __getattr__(self, name):
        if name.startswith("__") or name not in self.__all__:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        make = make_refusing_class if name.lstrip("_")[0].isupper() else make_refusing_function
        text = f"torch.{self.__name__.partition('.')[2]}.{name}: {self._reason}"
        made = make(self.__name__, f"{name}(*args, **kwargs)", NotImplementedError, text)
        setattr(self, name, made)
        return made

    def __dir__(self):
        return sorted({*vars(self), *self.__all__})


def define_absent_modules(package: str) -> None:
    """Defines the modules that a package lacks.

    Args:
        package (str): the name of the package, which is being loaded.
    """
    reason, modules = _ABSENT[package.partition(".")[2]]
    for path in sorted({*modules, *(parent for module in modules for parent in _parents_of(module))}):
        name = f"{package}.{path}"
        module = _AbsentModule(name, modules.get(path, ""), reason)
        parent, _, last = name.rpartition(".")
        setattr(sys.modules[parent], last, module)
        sys.modules[name] = module


def _parents_of(path):
    parts = path.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]
