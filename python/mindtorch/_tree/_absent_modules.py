"""Modules of torch's compilers that programs import and this library lacks: their functions and classes exist, for
annotations and isinstance, and raise NotImplementedError when called."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

from ._absent_device import make_refusing_class, make_refusing_function

# The names of each module; those with a capital are classes.
_NAMES = {
    "_dynamo.backends.common": "AotAutograd aot_autograd",
    "_dynamo.backends.registry": "CompiledFn CompilerFn list_backends lookup_backend register_backend",
    "_dynamo.compiled_autograd": "_disable _enable",
    "_dynamo.guards": "CheckFunctionManager GuardBuilder get_verbose_code_parts",
    "_dynamo.variables.base": "VariableTracker",
    "_dynamo.variables.builder": "VariableBuilder wrap_fx_proxy wrap_to_fake_tensor_and_record",
    "_dynamo.variables.constant": "ConstantVariable",
    "_dynamo.variables.functions": "UserFunctionVariable UserMethodVariable",
    "_dynamo.variables.higher_order_ops": "TorchHigherOrderOperatorVariable",
    "_dynamo.variables.tensor": "SymNodeVariable TensorVariable",
    "_export.utils": "_disable_aten_to_metadata_assertions",
    "_functorch._aot_autograd.functional_utils": "from_fun to_fun",
    "_inductor.codegen.cpp_flex_attention_template": "CppFlexAttentionTemplate",
    "_inductor.codegen.cpp_template": "CppTemplate",
    "_inductor.codegen.cpp_template_kernel": "CppTemplateCaller CppTemplateKernel",
    "_inductor.codegen.triton": "TritonKernel TritonOverrides TritonScheduling",
    "_inductor.compile_fx": "compile_fx compile_fx_inner",
    "_inductor.constant_folding": "constant_fold",
    "_inductor.cpp_builder": "get_cpp_compiler",
    "_inductor.cpu_vec_isa": "pick_vec_isa valid_vec_isa_list",
    "_inductor.freezing_utils": "maybe_set_is_frozen_param",
    "_inductor.fx_passes.freezing_patterns": "freezing_passes register_freezing_graph_pattern",
    "_inductor.fx_passes.mkldnn_fusion": "_get_remaining_users",
    "_inductor.ir": "ChoiceCaller FallbackKernel FixedLayout FlexibleLayout IRNode Layout Pointwise StorageBox "
    "TensorBox get_fill_order",
    "_inductor.kernel.flex.common": "construct_strides maybe_realize",
    "_inductor.lowering": "add_needs_realized_inputs make_fallback register_lowering to_dtype",
    "_inductor.pattern_matcher": "Arg CallFunction Ignored KeywordArg Match MultiOutputPattern PatternMatcherPass "
    "fwd_only gen_register_replacement joint_fwd_bwd register_graph_pattern register_lowering_pattern "
    "register_replacement",
    "_inductor.scheduler": "BaseSchedulerNode Scheduler",
    "_inductor.select_algorithm": "DataProcessorTemplateWrapper ExternKernelChoice TritonTemplate "
    "autotune_select_algorithm realize_inputs",
    "_inductor.utils": "parallel_num_threads",
    "_inductor.virtualized": "V ops",
}


class _AbsentModule(ModuleType):
    """Makes its functions and classes when they are first read."""

    def __getattr__(self, name):
        module = self.__name__.partition(".")[2]
        if name not in _NAMES.get(module, "").split():
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        make = make_refusing_class if name.lstrip("_")[0].isupper() else make_refusing_function
        text = f"torch.{module}.{name}: there is no graph compiler"
        made = make(self.__name__, f"{name}(*args, **kwargs)", NotImplementedError, text)
        setattr(self, name, made)
        return made

    def __dir__(self):
        return sorted({*vars(self), *_NAMES.get(self.__name__.partition(".")[2], "").split()})


def _make_module(name):
    """Returns the module of a name, below a package that is imported; makes it if it is not."""
    if name not in sys.modules:
        module = _AbsentModule(name, "A part of torch's compilers that this library lacks.")
        module.__spec__ = ModuleSpec(name, None, is_package=True)
        module.__path__ = []
        module.__package__ = name
        parent, _, last = name.rpartition(".")
        setattr(sys.modules[parent], last, module)
        sys.modules[name] = module
    return sys.modules[name]


def define_absent_modules(package: str) -> None:
    """Defines the modules of the table that are below a package which is being loaded.

    Args:
        package (str): its name.
    """
    root, _, path = package.partition(".")
    for module in _NAMES:
        if not module.startswith(f"{path}."):
            continue
        parts = module[len(path) + 1 :].split(".")
        for count in range(1, len(parts) + 1):
            _make_module(".".join([root, path, *parts[:count]]))
