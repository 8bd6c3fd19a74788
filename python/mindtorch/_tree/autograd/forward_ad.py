"""Forward-mode differentiation: dual tensors and the levels that they live on."""

from typing import Any, NamedTuple

from .. import _C
from .._root import torch
from .grad_mode import _DecoratorContextManager

__all__ = ["UnpackedDualTensor", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual", "dual_level"]

_current_level = -1


def _primitive(name: str):
    """The C function behind a forward-mode call; a build without forward mode says so."""
    function = getattr(_C._VariableFunctions, name, None)
    if function is None:
        raise NotImplementedError(f"forward-mode automatic differentiation is not available in this build: {name}")
    return function


def enter_dual_level():
    """Opens a level; tangents made at it vanish when it is left."""
    global _current_level
    new_level = _primitive("_enter_dual_level")()
    if new_level != _current_level + 1:
        raise RuntimeError(
            "Entering a new forward AD level but the current level is not valid. Make sure you did not modify it "
            "directly."
        )
    _current_level = new_level
    return new_level


def exit_dual_level(*, level=None):
    global _current_level
    if level is None:
        level = _current_level
    if level != _current_level:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    _primitive("_exit_dual_level")(level=level)
    _current_level = level - 1


def make_dual(tensor, tangent, *, level=None):
    """A view of `tensor` that carries `tangent`."""
    if level is None:
        level = _current_level
    if level < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    for name, value in (("primal", tensor), ("tangent", tangent)):
        if not (value.is_floating_point() or value.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {value.dtype}")
    return _primitive("_make_dual")(tensor, tangent, level=level)


class UnpackedDualTensor(NamedTuple):
    """The two halves of a dual tensor; no tangent is None."""

    primal: "torch.Tensor"
    tangent: "torch.Tensor | None"


def unpack_dual(tensor, *, level=None):
    if level is None:
        level = _current_level
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    primal, tangent = _primitive("_unpack_dual")(tensor, level=level)
    return UnpackedDualTensor(primal, tangent)


class dual_level(_DecoratorContextManager):
    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        exit_dual_level()


_is_fwd_grad_enabled = _C._is_fwd_grad_enabled


class _set_fwd_grad_enabled(_DecoratorContextManager):
    def __init__(self, mode: bool) -> None:
        self.prev = _is_fwd_grad_enabled()
        _C._set_fwd_grad_enabled(mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        _C._set_fwd_grad_enabled(self.prev)
