"""map: a function of each slice of tensors."""

from collections.abc import Callable
from typing import Any

from .. import Tensor, stack
from ..utils import _pytree as pytree


def map(f: Callable[[Any, tuple[Any, ...]], Any], xs: Any | Tensor, *args: Any):
    """``f(x, *args)`` for each slice `x` of `xs` along the first dimension, stacked.

    Args:
        f: gives a tensor, or a pytree of tensors, of the same shapes for each slice.
        xs: a tensor, or a pytree of tensors of one size in the first dimension.
        args: passed on to every call.

    Raises:
        RuntimeError: where `xs` has leaves that are no tensors, of different lengths, or none at all.
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
