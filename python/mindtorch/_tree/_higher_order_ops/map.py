"""map: applies a function to each slice of tensors."""

from collections.abc import Callable
from typing import Any

from .. import Tensor, stack
from ..utils import _pytree as pytree


def map(f: Callable[[Any, tuple[Any, ...]], Any], xs: Any | Tensor, *args: Any):
    """Calls ``f(x, *args)`` for each slice x along the first dimension and stacks the results.

    Args:
        f (callable): returns a tensor, or a pytree of tensors, of the same shapes for each slice.
        xs (Tensor or pytree): tensors of one size in the first dimension, not 0.
        *args: passed to every call.

    Returns:
        Tensor or pytree: results with a new first dimension.

    Raises:
        RuntimeError: when `xs` has leaves that are no tensors, of different lengths, or empty.

    Example:
        >>> from torch._higher_order_ops import map
        >>> map(lambda x, y: x * y, torch.tensor([1.0, 2.0]), torch.tensor(10.0))
        tensor([10., 20.])
    """
    leaves, tree = pytree.tree_flatten(xs)
    if not all(isinstance(leaf, Tensor) for leaf in leaves):
        raise RuntimeError(f"Mapped xs can only consist of tensors. Got xs {leaves}.")
    shapes = [leaf.shape for leaf in leaves]
    length = shapes[0][0]
    if length == 0:
        raise RuntimeError("Leading dimensions of mapped xs cannot be 0.")
    if any(shape[0] != length for shape in shapes):
        raise RuntimeError(f"Leading dimensions of mapped xs must be consistent. Got shapes {shapes}.")
    made = [f(pytree.tree_unflatten([leaf[i] for leaf in leaves], tree), *args) for i in range(length)]
    return pytree.tree_map(lambda *ys: stack(ys), *made)
