"""torch.jit.script: gives back the function, class or module itself, which then runs eagerly."""

import collections
import inspect
import warnings

from .._root import torch

Attribute = collections.namedtuple("Attribute", ["value", "type"])
Attribute.__doc__ = "A value with the type that TorchScript is to give it."


class ScriptWarning(Warning):
    """Warns of what scripting may get wrong."""


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
    """The type of compiled functions, of which there are none."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("torch.jit.ScriptFunction: there is no TorchScript compiler")


class ScriptModule(torch.nn.Module):
    """The base of modules that were scripted or traced."""

    @property
    def code(self):
        raise NotImplementedError("torch.jit.ScriptModule.code: there is no TorchScript compiler")

    @property
    def graph(self):
        raise NotImplementedError("torch.jit.ScriptModule.graph: there is no TorchScript compiler")

    def save(self, f, **kwargs):
        raise NotImplementedError("torch.jit.ScriptModule.save: there is no TorchScript compiler")


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """Eager execution has the same values; what TorchScript would refuse to compile is not noticed."""
    _deprecated("script", optimize)
    if not (callable(obj) or inspect.isclass(obj) or isinstance(obj, (dict, list))):
        raise RuntimeError(f"Cannot script {torch.typename(obj)}")
    return obj


def script_method(fn):
    """Deprecated: gives the method back."""
    _deprecated("script_method")
    return fn


def interface(obj):
    """Marks a class as a TorchScript interface."""
    if not inspect.isclass(obj):
        raise RuntimeError("interface must be applied to a class")
    obj.__torch_script_interface__ = True
    return obj
