"""scan: a carried value taken along the slices of tensors."""

from collections.abc import Callable
from typing import Any

from .. import Tensor, stack
from ..utils import _pytree as pytree
from .associative_scan import wrapped_dim


def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, *, dim: int = 0, reverse: bool = False
) -> tuple[Any, Any]:
    """``carry, y = combine_fn(carry, x)`` for each slice `x` of `xs` along `dim`; gives the last carry and all `y`.

    Args:
        combine_fn: takes the carry and a slice (without `dim`), gives the next carry and an output.
        init: the first carry: a tensor, or a pytree of them.
        xs: a tensor, or a pytree of tensors with as many slices each.
        dim: the dimension to go along. reverse: from the last slice to the first; outputs keep the slices' places.

    Returns:
        The last carry, and the outputs, stacked along `dim`.

    Raises:
        RuntimeError: for a function that cannot be called, leaves that are no tensors, nothing to go along.
    """
    if not callable(combine_fn):
        raise RuntimeError(f"Combine_fn must be a callable, but got {combine_fn}")
    if not isinstance(reverse, bool):
        raise RuntimeError("Reverse must be a bool, but got " + str(type(reverse)))
    leaves, tree = pytree.tree_flatten(xs)
    first, _ = pytree.tree_flatten(init)
    if not leaves:
        return init, xs
    if not first:
        raise RuntimeError("scan() operator requires init leaves.")
    for name, items in (("init", first), ("xs", leaves)):
        for leaf in items:
            if not isinstance(leaf, Tensor):
                raise RuntimeError(f"All {name} leaves must be a Tensor but got {leaf}")
    dim = wrapped_dim(dim, leaves[0].ndim)
    if any(leaf.ndim <= dim or leaf.shape[dim] == 0 for leaf in leaves):
        raise RuntimeError("All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0")
    length = leaves[0].shape[dim]
    if any(leaf.shape[dim] != length for leaf in leaves):
        raise RuntimeError(f"All xs leaves must have the same scan dimension, but got {[x.shape[dim] for x in leaves]}")
    carry, outputs = init, [None] * length
    for place in reversed(range(length)) if reverse else range(length):
        carry, outputs[place] = combine_fn(carry, pytree.tree_unflatten([x.select(dim, place) for x in leaves], tree))
    return carry, pytree.tree_map(lambda *ys: stack(ys).movedim(0, dim), *outputs)
