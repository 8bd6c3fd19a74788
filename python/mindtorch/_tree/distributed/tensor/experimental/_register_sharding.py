"""register_sharding: rules that programs add."""

from collections.abc import Callable

from ...._root import torch
from ....utils import _pytree as pytree
from .. import _rules
from .._rules._rows import Row, Rule
from ..placement_types import Placement

__all__ = ["register_sharding"]


class _Given(Rule):
    """A rule by a program's function of the operator's arguments."""

    def __init__(self, function):
        self.function = function

    def list_placement_rows(self, call, mesh_dim):
        leaves = list(call.leaves)
        for index, spec in zip(call.places, call.specs):
            leaves[index] = spec
        args, kwargs = call.rebuild_arguments(leaves)
        rows = []
        for outputs, inputs in self.function(*args, **kwargs):
            given = pytree.tree_leaves(inputs, is_leaf=lambda value: isinstance(value, Placement))
            rows.append(Row(tuple(p for p in given if isinstance(p, Placement)), tuple(outputs)))
        return rows


def register_sharding(op: torch._ops.OpOverload | list[torch._ops.OpOverload]) -> Callable:
    """Returns a decorator that makes a function the rule of an operator.

    The function gets the operator's arguments, with a spec (`shape`, `placements`, `mesh`) in place of each tensor. It
    returns the valid choices for one dimension of the mesh, a list of pairs: the placements of the results, and those
    of the arguments (None for what is no tensor). The choice that needs the least communication is used.

    Args:
        op (OpOverload or list[OpOverload]): the operators, as ``torch.ops.aten.relu.default``.

    Returns:
        callable: the decorator.
    """

    def decorate(function):
        for overload in op if isinstance(op, list) else [op]:
            _rules.added[overload] = _Given(function)
        return function

    return decorate
