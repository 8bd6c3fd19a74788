"""torch.jit without a TorchScript compiler: scripting and tracing return their argument, which runs eagerly.

Functions that need the compiler (saving, freezing, fusing, TorchScript text) raise NotImplementedError with their name.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager

from .. import _C
from .._absent_device import make_refusing_class
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
    _get_trace_graph,
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
    """The error type of TorchScript."""


def annotate(the_type, the_value):
    """Returns a value unchanged; the type is for a TorchScript compiler.

    Args:
        the_type (type): the type that the value is to have; ignored.
        the_value (Any): the value.

    Returns:
        Any: `the_value`.

    Example:
        >>> from typing import Dict
        >>> torch.jit.annotate(Dict[str, int], {})
        {}
    """
    return the_value


def script_if_tracing(fn):
    """Returns a function unchanged; a tracer would script it in its first call in a trace.

    Args:
        fn (Callable): the function.

    Returns:
        Callable: `fn`.

    Example:
        >>> @torch.jit.script_if_tracing
        ... def first(x):
        ...     return x[0]
        >>> first(torch.tensor([1, 2]))
        tensor(1)
    """
    return _script_if_tracing(fn)


def isinstance(obj, target_type):
    """Tells whether an object is of a type, which may be List[int], Dict[str, Tensor] and the like.

    The elements of containers are looked at; an empty list is of every list type.

    Args:
        obj (Any): the object.
        target_type (type or tuple of types): the type, or several of which one has to fit.

    Returns:
        bool: whether it is.

    Raises:
        RuntimeError: when a list, dict or tuple type has no element types, or a container of types is
            no tuple.

    Example:
        >>> from typing import List
        >>> torch.jit.isinstance([1, 2], List[int]), torch.jit.isinstance([1, "a"], List[int])
        (True, False)
    """
    return _isinstance(obj, target_type)


class strict_fusion:
    """Would require that all operators in a block are fused into one kernel; raises, since there is no fuser."""

    def __init__(self) -> None:
        raise NotImplementedError("torch.jit.strict_fusion: there is no TorchScript fuser")


@contextmanager
def _hide_source_ranges():
    yield


def onednn_fusion_enabled() -> bool:
    """Returns whether oneDNN fuses graphs: always False.

    Returns:
        bool: False.
    """
    return False


def _warn_deprecated(name):
    text = f"`torch.jit.{name}` is deprecated. Please use `torch.compile` instead."
    warnings.warn(text, DeprecationWarning, stacklevel=3)


def fork(func, *args, **kwargs):
    """Runs a function now, and gives its result as a future that is complete.

    Outside of TorchScript torch does the same. An error of the function is raised at once. Deprecated, with
    a DeprecationWarning.

    Args:
        func (Callable): the function.
        *args, **kwargs: its arguments.

    Returns:
        Future: holds what it returned.

    Example:
        >>> future = torch.jit.fork(torch.add, torch.tensor(1), 2)
        >>> torch.jit.wait(future)
        tensor(3)
    """
    _warn_deprecated("fork")
    return _future.fork(func, *args, **kwargs)


def wait(future):
    """Returns the value of a future that fork made, or raises its error.

    Deprecated, with a DeprecationWarning.

    Args:
        future (Future): the future.

    Returns:
        Any: its value.

    Example:
        >>> torch.jit.wait(torch.jit.fork(len, [1, 2, 3]))
        3
    """
    _warn_deprecated("wait")
    return _future.wait(future)


_fork, _wait = fork, wait
_set_fusion_strategy = set_fusion_strategy


# TorchScript's intermediate representation: types for annotations and isinstance checks, without instances.
for _name in ("Graph", "Node", "Value", "Block"):
    if not hasattr(_C, _name):
        _text = f"torch._C.{_name}: there is no TorchScript compiler"
        setattr(_C, _name, make_refusing_class("torch._C", f"{_name}(*args)", NotImplementedError, _text))
del _name

# Clears nothing, because this library compiles no TorchScript classes.
_C._jit_clear_class_registry = _state._clear_class_state
