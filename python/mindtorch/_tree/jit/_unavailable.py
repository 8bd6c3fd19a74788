"""The parts of torch.jit that are a compiler: each raises NotImplementedError with its name."""

from .._absent_device import refusing, refusing_class

_MODULE = __name__.rpartition(".")[0]


def _absent(declaration):
    return refusing(_MODULE, declaration, NotImplementedError, "torch.jit.{name}: there is no TorchScript compiler")


def _absent_class(name):
    text = f"torch.jit.{name}: there is no TorchScript compiler"
    return refusing_class(_MODULE, f"{name}(*args, **kwargs)", NotImplementedError, text)


CompilationUnit = _absent_class("CompilationUnit")
RecursiveScriptClass = _absent_class("RecursiveScriptClass")
RecursiveScriptModule = _absent_class("RecursiveScriptModule")
enable_onednn_fusion = _absent("enable_onednn_fusion(enabled)")
export_opnames = _absent("export_opnames(m)")
freeze = _absent("freeze(mod, preserved_attrs=None, optimize_numerics=True)")
jit_module_from_flatbuffer = _absent("jit_module_from_flatbuffer(f)")
load = _absent("load(f, map_location=None, _extra_files=None, _restore_shapes=False)")
optimize_for_inference = _absent("optimize_for_inference(mod, other_methods=None)")
run_frozen_optimizations = _absent("run_frozen_optimizations(mod, optimize_numerics=True, preserved_methods=None)")
save = _absent("save(m, f, _extra_files=None)")
save_jit_module_to_flatbuffer = _absent("save_jit_module_to_flatbuffer(m, f, _extra_files=None)")
set_fusion_strategy = _absent("set_fusion_strategy(strategy)")
