"""torch.jit.script: returns the function, class or module itself, which then runs eagerly."""

from __future__ import annotations

import collections
import inspect
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

from .._root import torch

Attribute = collections.namedtuple("Attribute", ["value", "type"])
Attribute.__doc__ = """Holds a value and the type that TorchScript is to give it.

Args:
    value (Any): the value.
    type (type): its type, as ``Dict[str, int]``.

Example:
    >>> torch.jit.Attribute(0.5, float).value
    0.5
"""


class ScriptWarning(Warning):
    """A warning about code that scripting may handle incorrectly."""


def _deprecated(name, optimize=None) -> None:
    if optimize is not None:
        warnings.warn(
            "`optimize` is deprecated and has no effect. Use `with torch.jit.optimized_execution()` instead",
            FutureWarning,
            stacklevel=3,
        )
    warnings.warn(
        f"`torch.jit.{name}` is deprecated. Please switch to `torch.compile` or `torch.export`.",
        DeprecationWarning,
        stacklevel=2,
    )


class ScriptFunction:
    """The type of compiled functions, of which there are none: a call raises NotImplementedError.

    Args:
        *args, **kwargs: not looked at.
    """

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("torch.jit.ScriptFunction: there is no TorchScript compiler")


class ScriptModule(torch.nn.Module):
    """The base of modules that trace and trace_module make.

    They run eagerly. What needs TorchScript (`code`, `graph`, `save`) raises NotImplementedError.

    Example:
        >>> traced = torch.jit.trace(nn.ReLU(), torch.ones(2))
        >>> isinstance(traced, torch.jit.ScriptModule)
        True
    """

    @property
    def code(self) -> NoReturn:
        """The module's TorchScript text: raises NotImplementedError."""
        raise NotImplementedError("torch.jit.ScriptModule.code: there is no TorchScript compiler")

    @property
    def graph(self) -> NoReturn:
        """The module's TorchScript graph: raises NotImplementedError."""
        raise NotImplementedError("torch.jit.ScriptModule.graph: there is no TorchScript compiler")

    def save(self, f, **kwargs) -> NoReturn:
        """Raises NotImplementedError: use torch.save with the module's state_dict.

        Args:
            f (str or file): where torch would write.
            **kwargs: not looked at.
        """
        raise NotImplementedError("torch.jit.ScriptModule.save: there is no TorchScript compiler")


def _require_initialized_module(module) -> None:
    for part in module.modules():
        for name, value in (*part._parameters.items(), *part._buffers.items()):
            if torch.nn.parameter.is_lazy(value):
                raise RuntimeError(
                    f"'{torch.typename(type(part))}' has uninitialized parameters {name}. Did you forget to run a "
                    "forward pass?"
                )


def script(
    obj: Any, optimize: None = None, _frames_up: int = 0, _rcb: Callable[[str], Any] | None = None,
    example_inputs: list[tuple] | dict[Callable, list[tuple]] | None = None,
) -> Any:
    """Returns a function, class or module unchanged: eager execution has the same values as TorchScript.

    What a compiler would refuse is not noticed. Deprecated, with a DeprecationWarning.

    Args:
        obj (Callable, class, Module, dict or list): what to script.
        optimize (None): deprecated; has no effect.
        _frames_up, _rcb, example_inputs: for a compiler; ignored.

    Returns:
        Any: `obj`.

    Raises:
        RuntimeError: when `obj` is none of these, or has parameters without a shape.

    Example:
        >>> @torch.jit.script
        ... def double(x):
        ...     return x * 2
        >>> double(torch.tensor([1, 2]))
        tensor([2, 4])
    """
    _deprecated("script", optimize)
    if not (callable(obj) or inspect.isclass(obj) or isinstance(obj, (dict, list))):
        raise RuntimeError(f"Cannot script {torch.typename(obj)}")
    if isinstance(obj, torch.nn.Module):
        _require_initialized_module(obj)
    return obj


def script_method(fn):
    """Returns a method unchanged; deprecated.

    Args:
        fn (Callable): the method.

    Returns:
        Callable: `fn`.
    """
    _deprecated("script_method")
    return fn


def interface(obj: Any) -> Any:
    """Marks a class as an interface of TorchScript, whose methods only declare.

    Args:
        obj (type): the class.

    Returns:
        type: `obj`.

    Raises:
        RuntimeError: when `obj` is no class.

    Example:
        >>> @torch.jit.interface
        ... class Transform:
        ...     def run(self, x: torch.Tensor) -> torch.Tensor:
        ...         pass
        >>> Transform.__torch_script_interface__
        True
    """
    if not inspect.isclass(obj):
        raise RuntimeError("interface must be applied to a class")
    obj.__torch_script_interface__ = True
    return obj
