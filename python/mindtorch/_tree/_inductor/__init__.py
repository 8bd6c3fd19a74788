"""torch._inductor without a compiler: its settings and tables exist, and its functions raise NotImplementedError."""

from .._absent_device import define_refusing_functions
from .._absent_modules import define_absent_modules
from . import config  # noqa: F401

__all__ = ["compile", "list_mode_options", "list_options", "cudagraph_mark_step_begin"]

define_refusing_functions(
    __name__,
    (
        "compile(gm, example_inputs, options=None): Compiles a graph.",
        "aot_compile(gm, args, kwargs=None, *, options=None): Compiles a graph into a library.",
        "aoti_compile_and_package(exported_program, _deprecated_unused_args=None, _deprecated_unused_kwargs=None, *, "
        "package_path=None, inductor_configs=None): Compiles a captured program into a package.",
        "aoti_load_package(path, run_single_threaded=False, device_index=-1): Loads a compiled package.",
        "cudagraph_mark_step_begin(): Marks the start of a step.",
        "list_mode_options(mode=None, dynamic=None): Lists the settings of a mode.",
        "list_options(): Lists the settings.",
    ),
    NotImplementedError,
    "torch._inductor.{name}: there is no graph compiler",
)
define_absent_modules(__name__)
