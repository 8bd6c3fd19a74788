"""Variable, the historical name of Tensor, and the engine that backward runs on."""

from .. import _C
from .._C import _ImperativeEngine as ImperativeEngine
from .._root import torch

__all__ = ["VariableMeta", "Variable"]


class VariableMeta(type):
    """The metaclass of `Variable`: every tensor is an instance of it.

    Example:
        >>> isinstance(torch.ones(1), torch.autograd.Variable)
        True
    """

    def __instancecheck__(cls, other):
        return isinstance(other, torch.Tensor)


class Variable(_C._LegacyVariableBase, metaclass=VariableMeta):
    """The old name of Tensor; ``Variable(tensor)`` returns a tensor.

    Example:
        >>> torch.autograd.Variable(torch.ones(1), requires_grad=True).requires_grad
        True
    """

    _execution_engine = ImperativeEngine()
