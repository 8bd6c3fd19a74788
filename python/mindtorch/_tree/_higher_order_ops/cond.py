"""cond: one of two functions, chosen by a truth."""

from collections.abc import Callable
from typing import Any

from .. import Tensor
from ..utils import _pytree as pytree


def cond(pred: bool | int | float | Tensor, true_fn: Callable, false_fn: Callable, operands: tuple | list = ()) -> Any:
    """Calls ``true_fn(*operands)`` where `pred` is true and ``false_fn(*operands)`` otherwise; gradients flow through.

    Args:
        pred: a number, or a tensor of one element.
        true_fn, false_fn: functions of the operands that give tensors of the same shapes and dtypes.
        operands: a tuple or list of tensors, or of dicts, lists and tuples of them.

    Raises:
        RuntimeError: for another `pred`, functions that cannot be called, operands with leaves that are no tensors.
    """
    if isinstance(pred, (bool, int, float)):
        return (true_fn if pred else false_fn)(*operands)
    if not isinstance(pred, Tensor):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if pred.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    if not isinstance(operands, (tuple, list)) or not pytree.tree_all_only(object, _is_tensor, operands):
        raise RuntimeError(
            "Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of tensor leaves, "
            f"but got {operands}."
        )
    return (true_fn if pred.item() else false_fn)(*operands)


def _is_tensor(leaf):
    return isinstance(leaf, Tensor)


cond.__module__ = __name__.partition("._higher_order_ops")[0]
