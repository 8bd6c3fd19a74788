"""torch._check and its relatives: conditions that raise a chosen error type."""

import builtins
import sys
import warnings

from . import _C
from .overrides import handle_torch_function, has_torch_function

torch = sys.modules[__package__]

_DEFAULT_MESSAGE = (
    "Expected cond to be True, but got False. (Could this error "
    "message be improved? If so, please report an enhancement request "
    "to PyTorch.)"
)


_NOT_A_TENSOR = (
    "a Tensor. For tensor conditions, use torch._check_tensor_all() to assert that all elements are true."
)


def _check_with(error_type, cond, message):
    if not isinstance(cond, (builtins.bool, torch.SymBool)):
        got = _NOT_A_TENSOR if isinstance(cond, torch.Tensor) else type(cond)
        raise TypeError(f"cond must be a bool, but got {got}")
    if cond:
        return
    if not issubclass(error_type, Exception) or issubclass(error_type, Warning):
        raise AssertionError(f"error_type must be a subclass of Exception but not Warning, got {error_type}")
    if message is None:
        raise error_type(_DEFAULT_MESSAGE)
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(str(message()))


def _check(cond, message=None):
    """Raises RuntimeError(message()) unless `cond`."""
    _check_with(RuntimeError, cond, message)


def _check_is_size(i, message=None, *, max=None):
    """Raises RuntimeError unless `i` is at least 0 (deprecated)."""
    warnings.warn(
        "_check_is_size will be removed in a future PyTorch release along with guard_size_oblivious. "
        "    Use _check(i >= 0) instead.",
        FutureWarning,
        stacklevel=2,
    )
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_index(cond, message=None):
    """Raises IndexError(message()) unless `cond`."""
    _check_with(IndexError, cond, message)


def _check_value(cond, message=None):
    """Raises ValueError(message()) unless `cond`."""
    _check_with(ValueError, cond, message)


def _check_type(cond, message=None):
    """Raises TypeError(message()) unless `cond`."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond, message=None):
    """Raises NotImplementedError(message()) unless `cond`."""
    _check_with(NotImplementedError, cond, message)


def _check_tensor_all_with(error_type, cond, message=None):
    if not isinstance(cond, torch.Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype != torch.bool:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, cond._is_all_true().item(), message)


def _check_tensor_all(cond, message=None):
    """Raises RuntimeError(message()) unless every element of `cond` is true."""
    _check_tensor_all_with(RuntimeError, cond, message)


def _assert(condition, message):
    """An assert that subclasses can override."""
    if type(condition) is not torch.Tensor and has_torch_function((condition,)):
        return handle_torch_function(_assert, (condition,), condition, message)
    if not condition:
        raise AssertionError(message)


def _constrain_as_size(symbol, min=None, max=None):
    torch.sym_constrain_range_for_size(symbol, min=min, max=max)


def _as_tensor_fullprec(t):
    """as_tensor that keeps Python floats and ints in 64 bits, on the CPU."""
    kind = type(t)
    if kind is builtins.float:
        return torch.as_tensor(t, dtype=torch.float64, device="cpu")
    if kind is builtins.int:
        return torch.as_tensor(t, dtype=torch.int64, device="cpu")
    return torch.as_tensor(t)



def compiled_with_cxx11_abi():
    """Whether the library was built with the C++11 ABI of the standard library."""
    return True


