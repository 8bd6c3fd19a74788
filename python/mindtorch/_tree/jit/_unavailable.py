"""The parts of torch.jit that need a compiler: each raises NotImplementedError with its name."""

from .._absent_device import make_refusing_function, make_refusing_class

_MODULE = __name__.rpartition(".")[0]


def _make_refusing_function(declaration):
    function = make_refusing_function(
        _MODULE, declaration, NotImplementedError, "torch.jit.{name}: there is no TorchScript compiler"
    )
    missing = function.__code__.co_argcount - len(function.__defaults__ or ())
    function.__doc__ += (
        f"\n\nExample:\n    >>> torch.jit.{function.__name__}({', '.join(['None'] * missing)})\n"
        "    Traceback (most recent call last):\n        ...\n"
        f"    NotImplementedError: torch.jit.{function.__name__}: there is no TorchScript compiler"
    )
    return function


def _make_absent_class(name, purpose):
    text = f"torch.jit.{name}: there is no TorchScript compiler"
    return make_refusing_class(_MODULE, f"{name}(*args, **kwargs): {purpose}", NotImplementedError, text)


_get_trace_graph = _make_refusing_function(
    "_get_trace_graph(f, args=(), kwargs=None, strict=True, _force_outplace=False, return_inputs=False, "
    "_return_inputs_states=False): Records the operators that a function calls as a graph of TorchScript."
)
CompilationUnit = _make_absent_class("CompilationUnit", "Holds functions that were compiled from TorchScript text.")
RecursiveScriptClass = _make_absent_class("RecursiveScriptClass", "An instance of a compiled class.")
RecursiveScriptModule = _make_absent_class("RecursiveScriptModule", "A compiled module.")
enable_onednn_fusion = _make_refusing_function("enable_onednn_fusion(enabled): Switches fusion by oneDNN.")
export_opnames = _make_refusing_function("export_opnames(m): Lists the operators that a compiled module calls.")
freeze = _make_refusing_function(
    "freeze(mod, preserved_attrs=None, optimize_numerics=True): Makes a compiled module's attributes constants."
)
jit_module_from_flatbuffer = _make_refusing_function(
    "jit_module_from_flatbuffer(f): Loads a compiled module from a flatbuffer file."
)
load = _make_refusing_function(
    "load(f, map_location=None, _extra_files=None, _restore_shapes=False): Loads a module that torch.jit.save wrote."
)
optimize_for_inference = _make_refusing_function(
    "optimize_for_inference(mod, other_methods=None): Freezes a compiled module and optimises it for inference."
)
run_frozen_optimizations = _make_refusing_function(
    "run_frozen_optimizations(mod, optimize_numerics=True, preserved_methods=None): Optimises a frozen module."
)
save = _make_refusing_function("save(m, f, _extra_files=None): Writes a compiled module to a file.")
save_jit_module_to_flatbuffer = _make_refusing_function(
    "save_jit_module_to_flatbuffer(m, f, _extra_files=None): Writes a compiled module to a flatbuffer file."
)
set_fusion_strategy = _make_refusing_function(
    "set_fusion_strategy(strategy): Says how many shapes the fuser specialises for."
)
