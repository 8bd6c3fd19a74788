"""Variable, the historical name of Tensor, and the engine that backward runs on."""

from .. import _C
from .._C import _ImperativeEngine as ImperativeEngine
from .._root import torch

__all__ = ["VariableMeta", "Variable"]


class VariableMeta(type):
    """Makes every tensor a Variable."""

    def __instancecheck__(cls, other):
        return isinstance(other, torch.Tensor)


class Variable(_C._LegacyVariableBase, metaclass=VariableMeta):
    """The old name of Tensor."""

    _execution_engine = ImperativeEngine()
