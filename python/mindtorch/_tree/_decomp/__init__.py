"""Operators written in terms of others, as programs register them for compilers. The operators that this library
defines have no entries: none is built from others in Python."""

from .._absent_device import define_refusing_functions
from .._ops import HigherOrderOperator, OpOverload, OpOverloadPacket
from .._root import torch
from ..utils import _pytree as pytree

__all__ = [
    "decomposition_table", "pre_autograd_decomposition_table", "meta_table", "register_decomposition",
    "get_decompositions", "core_aten_decompositions",
]  # fmt: skip

_TYPES = ("post_autograd", "pre_autograd", "meta")

global_decomposition_table = {kind: {} for kind in _TYPES}
decomposition_table, pre_autograd_decomposition_table, meta_table = global_decomposition_table.values()


def _check_type(kind):
    if kind not in _TYPES:
        raise AssertionError(f"type must be one of post_autograd, pre_autograd, or meta, got {kind}")


def _add(registry, op, function):
    """Adds an operator, or all overloads of a name."""
    if isinstance(op, HigherOrderOperator):
        registry[op] = function
        return
    if not isinstance(op, (OpOverload, OpOverloadPacket)):
        raise AssertionError(f"expected OpOverloadPacket, got {type(op)}")
    overloads = [op] if isinstance(op, OpOverload) else [getattr(op, name) for name in op.overloads()]
    for overload in overloads:
        if overload in registry:
            raise RuntimeError(f"duplicate registrations for {overload}")
        if torch._C._dispatch_has_kernel(overload.name()):
            registry[overload] = function


def register_decomposition(aten_op, registry=None, *, type="post_autograd", unsafe=False):
    """Returns a decorator that enters a function into a table as what an operator consists of.

    The operator itself still runs its kernel: the table is for compilers, and for programs that look it up.

    Args:
        aten_op (operator, or a list of them): an overload, or a name with all its overloads.
        registry (dict, optional): the table. Default: the one for `type`.
        type (str): "post_autograd", "pre_autograd" or "meta". Default: ``"post_autograd"``.
        unsafe (bool): not looked at. Default: ``False``.

    Returns:
        callable: the decorator, which returns its function.

    Raises:
        RuntimeError: when the table has an entry for the operator.
    """
    _check_type(type)
    table = global_decomposition_table[type] if registry is None else registry

    def decorate(function):
        pytree.tree_map_(lambda op: _add(table, op, function), aten_op)
        return function

    return decorate


define_refusing_functions(
    __name__,
    (
        "core_aten_decompositions(): Returns what torch's operators consist of.",
        "get_decompositions(aten_ops, type='post_autograd'): Returns what some of torch's operators consist of.",
    ),
    NotImplementedError,
    "torch._decomp.{name}: torch's operators are not written in terms of others here",
)


def remove_decompositions(decompositions, aten_ops) -> None:
    """Removes operators from a table; those that it does not have are left out.

    Args:
        decompositions (dict): the table.
        aten_ops (list of operators): overloads, or names with all their overloads.
    """
    for op in aten_ops:
        removed = [op] if isinstance(op, OpOverload) else [getattr(op, name) for name in op.overloads()]
        for overload in removed:
            decompositions.pop(overload, None)
