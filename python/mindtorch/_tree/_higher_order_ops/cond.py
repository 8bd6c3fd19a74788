"""cond: calls one of two functions, selected by a bool."""

from collections.abc import Callable
from typing import Any

from .. import Tensor
from ..utils import _pytree as pytree


def cond(pred: bool | int | float | Tensor, true_fn: Callable, false_fn: Callable, operands: tuple | list = ()) -> Any:
    """Calls ``true_fn(*operands)`` where `pred` is true and ``false_fn(*operands)`` otherwise.

    The other function is not called. Gradients flow through.

    Args:
        pred (bool, number or Tensor): the condition; a tensor of one element.
        true_fn (callable): called where it is true.
        false_fn (callable): called where it is false; both should return the same shapes and dtypes.
        operands (tuple or list): tensors, or dicts, lists and tuples of them. Default: ``()``.

    Returns:
        What the function returned.

    Raises:
        RuntimeError: when an argument is not as required.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.cond(x.sum() > 0, torch.sin, torch.cos, (torch.zeros(1),))
        tensor([0.])
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
