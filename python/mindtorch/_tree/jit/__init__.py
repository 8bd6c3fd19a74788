"""torch.jit without a TorchScript compiler: scripting and tracing give back what runs eagerly.

What needs the compiler (saving, freezing, fusing, TorchScript text) raises NotImplementedError and names itself.
"""

import warnings
from contextlib import contextmanager

from .. import _C
from .._absent_device import refusing_class
from .._jit_internal import (  # noqa: F401
    Final,
    _Await,
    _drop,
    _IgnoreContextManager,
    _isinstance,
    _overload,
    _overload_method,
    export,
    ignore,
    is_scripting,
    unused,
)
from .. import _future
from ..futures import Future
from . import _recursive, _state  # noqa: F401
from ._script import (
    Attribute,
    ScriptFunction,
    ScriptModule,
    ScriptWarning,
    interface,
    script,
    script_method,
)
from ._trace import (
    TopLevelTracedModule,
    TracedModule,
    TracerWarning,
    TracingCheckError,
    _script_if_tracing,
    is_tracing,
    trace,
    trace_module,
)
from ._unavailable import (
    CompilationUnit,
    RecursiveScriptClass,
    RecursiveScriptModule,
    enable_onednn_fusion,
    export_opnames,
    freeze,
    jit_module_from_flatbuffer,
    load,
    optimize_for_inference,
    run_frozen_optimizations,
    save,
    save_jit_module_to_flatbuffer,
    set_fusion_strategy,
)

__all__ = [
    "Attribute",
    "CompilationUnit",
    "Error",
    "Future",
    "ScriptFunction",
    "ScriptModule",
    "annotate",
    "enable_onednn_fusion",
    "export",
    "export_opnames",
    "fork",
    "freeze",
    "interface",
    "ignore",
    "isinstance",
    "load",
    "onednn_fusion_enabled",
    "optimize_for_inference",
    "save",
    "script",
    "script_if_tracing",
    "set_fusion_strategy",
    "strict_fusion",
    "trace",
    "trace_module",
    "unused",
    "wait",
]


class Error(RuntimeError):
    """What TorchScript raises."""


def annotate(the_type, the_value):
    """The value; the type is for a TorchScript compiler."""
    return the_value


def script_if_tracing(fn):
    """The function; a tracer would have scripted it."""
    return _script_if_tracing(fn)


def isinstance(obj, target_type):
    """isinstance that also understands List[int] and the like."""
    return _isinstance(obj, target_type)


class strict_fusion:
    """Demands that all inside is fused into one kernel, which eager execution cannot give."""

    def __init__(self) -> None:
        raise NotImplementedError("torch.jit.strict_fusion: there is no TorchScript fuser")


@contextmanager
def _hide_source_ranges():
    yield


def onednn_fusion_enabled():
    """Whether oneDNN fuses graphs: False."""
    return False


def _warn_deprecated(name):
    text = f"`torch.jit.{name}` is deprecated. Please use `torch.compile` instead."
    warnings.warn(text, DeprecationWarning, stacklevel=3)


def fork(func, *args, **kwargs):
    """Runs the function now, as torch does outside of TorchScript; the future is complete."""
    _warn_deprecated("fork")
    return _future.fork(func, *args, **kwargs)


def wait(future):
    """Gives the value of a future that fork made, or raises its error."""
    _warn_deprecated("wait")
    return _future.wait(future)


_fork, _wait = fork, wait
_set_fusion_strategy = set_fusion_strategy


# TorchScript's intermediate representation: types for annotations and isinstance checks, without instances.
for _name in ("Graph", "Node", "Value", "Block"):
    if not hasattr(_C, _name):
        _text = f"torch._C.{_name}: there is no TorchScript compiler"
        setattr(_C, _name, refusing_class("torch._C", f"{_name}(*args)", NotImplementedError, _text))
del _name

# Forgets the classes that TorchScript compiled, of which there are none.
_C._jit_clear_class_registry = _state._clear_class_state
