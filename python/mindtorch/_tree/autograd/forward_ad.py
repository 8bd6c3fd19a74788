"""Forward-mode differentiation: dual tensors and their levels."""

from typing import Any, NamedTuple

from .. import _C
from .._root import torch
from .grad_mode import _DecoratorContextManager

__all__ = ["UnpackedDualTensor", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual", "dual_level"]

_current_level = -1
_open_levels = 0  # includes levels of function transforms; numbered from 0


def _open_level() -> int:
    """A level for tangents, inside all open ones."""
    global _open_levels
    level = _C._enter_dual_level()
    _open_levels = level + 1
    return level


def _close_level(level: int) -> None:
    global _open_levels
    _C._exit_dual_level(level=level)
    _open_levels = level


def _tangents_of(tensor):
    """Returns (level, tangent) for each open level at which `tensor` has a tangent."""
    pairs = ((level, _C._VariableFunctions._unpack_dual(tensor, level=level)[1]) for level in range(_open_levels))
    return [(level, tangent) for level, tangent in pairs if tangent is not None]


def _attach_tangents(tensor, tangents):
    for level, tangent in tangents:
        tensor = _C._VariableFunctions._make_dual(tensor, tangent, level=level)
    return tensor


def enter_dual_level():
    """Opens a level of forward-mode differentiation; tangents made at it vanish when it is left.

    `dual_level` does the same as a context.

    Returns:
        int: number of the level.

    Raises:
        RuntimeError: when a level is open already.

    Example:
        >>> import torch.autograd.forward_ad as fwAD
        >>> level = fwAD.enter_dual_level()
        >>> fwAD.exit_dual_level(level=level)
    """
    global _current_level
    if _current_level >= 0:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _current_level = _open_level()
    return _current_level


def exit_dual_level(*, level=None):
    """Leaves a level of forward-mode differentiation and drops its tangents.

    Args:
        level (int, optional): the level, which has to be the innermost. Default: that one.

    Returns:
        None.

    Raises:
        RuntimeError: when it is not the innermost, or none is open.

    Example:
        >>> import torch.autograd.forward_ad as fwAD
        >>> _ = fwAD.enter_dual_level()
        >>> fwAD.exit_dual_level()
    """
    global _current_level
    if level is None:
        level = _current_level
    if level != _current_level:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    if level < 0:
        raise RuntimeError("Dual level must be a positive number.")
    _close_level(level)
    _current_level = -1


def make_dual(tensor, tangent, *, level=None):
    """Returns a view of a tensor that carries a tangent.

    What is computed from it carries the derivative in the direction of the tangent.

    Args:
        tensor (Tensor): the value, floating-point or complex.
        tangent (Tensor): its tangent, of the same shape and dtype.
        level (int, optional): the level. Default: the innermost.

    Returns:
        Tensor: the dual tensor.

    Raises:
        RuntimeError: when no level is open.
        ValueError: when a dtype is neither floating-point nor complex.

    Example:
        >>> import torch.autograd.forward_ad as fwAD
        >>> with fwAD.dual_level():
        ...     x = fwAD.make_dual(torch.tensor([3.0]), torch.tensor([1.0]))
        ...     print(fwAD.unpack_dual(x * x).tangent)
        tensor([6.])
    """
    if level is None:
        level = _current_level
    if level < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    if level >= _open_levels:
        raise RuntimeError("Invalid level given to _make_dual")
    for name, value in (("primal", tensor), ("tangent", tangent)):
        if not (value.is_floating_point() or value.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {value.dtype}")
    return _C._VariableFunctions._make_dual(tensor, tangent, level=level)


class UnpackedDualTensor(NamedTuple):
    """The two parts of a dual tensor, as `unpack_dual` returns them.

    Args:
        primal (Tensor): the value.
        tangent (Tensor or None): the tangent, None where there is none.

    Example:
        >>> import torch.autograd.forward_ad as fwAD
        >>> fwAD.unpack_dual(torch.ones(1)).tangent is None
        True
    """

    primal: "torch.Tensor"
    tangent: "torch.Tensor | None"


def unpack_dual(tensor, *, level=None):
    """Returns value and tangent of a tensor.

    Args:
        tensor (Tensor): a dual tensor, or any other.
        level (int, optional): the level. Default: the innermost.

    Returns:
        UnpackedDualTensor: ``(primal, tangent)``; the tangent is None where there is none.

    Example:
        >>> import torch.autograd.forward_ad as fwAD
        >>> with fwAD.dual_level():
        ...     x = fwAD.make_dual(torch.tensor([2.0]), torch.tensor([1.0]))
        ...     value, tangent = fwAD.unpack_dual(x.sin())
        >>> torch.allclose(tangent, torch.tensor([2.0]).cos())
        True
    """
    if level is None:
        level = _current_level
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    if level >= _open_levels:
        raise RuntimeError("Invalid level given to _fw_primal")
    primal, tangent = _C._VariableFunctions._unpack_dual(tensor, level=level)
    return UnpackedDualTensor(primal, tangent)


class dual_level(_DecoratorContextManager):
    """A level of forward-mode differentiation as a context; dual tensors exist inside of it.

    Levels do not nest.

    Example:
        >>> import torch.autograd.forward_ad as fwAD
        >>> with fwAD.dual_level():
        ...     x = fwAD.make_dual(torch.tensor([3.0]), torch.tensor([1.0]))
        ...     print(fwAD.unpack_dual(x ** 2).tangent)
        tensor([6.])
    """

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
