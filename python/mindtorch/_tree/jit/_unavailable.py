"""The parts of torch.jit that are a compiler: each raises NotImplementedError with its name."""

from .._absent_device import refusing, refusing_class

_MODULE = __name__.rpartition(".")[0]


def _absent(name):
    return refusing(_MODULE, name, NotImplementedError, f"torch.jit.{name}: there is no TorchScript compiler")


def _absent_class(name):
    text = f"torch.jit.{name}: there is no TorchScript compiler"
    return refusing_class(_MODULE, name, NotImplementedError, text)


CompilationUnit = _absent_class("CompilationUnit")
RecursiveScriptClass = _absent_class("RecursiveScriptClass")
RecursiveScriptModule = _absent_class("RecursiveScriptModule")
enable_onednn_fusion = _absent("enable_onednn_fusion")
export_opnames = _absent("export_opnames")
freeze = _absent("freeze")
jit_module_from_flatbuffer = _absent("jit_module_from_flatbuffer")
load = _absent("load")
optimize_for_inference = _absent("optimize_for_inference")
run_frozen_optimizations = _absent("run_frozen_optimizations")
save = _absent("save")
save_jit_module_to_flatbuffer = _absent("save_jit_module_to_flatbuffer")
set_fusion_strategy = _absent("set_fusion_strategy")
