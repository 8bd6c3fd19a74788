"""scan: passes a carried value along the slices of tensors."""

from collections.abc import Callable
from typing import Any

from .. import Tensor, stack
from ..utils import _pytree as pytree
from .associative_scan import wrap_negative_dim


def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, *, dim: int = 0, reverse: bool = False
) -> tuple[Any, Any]:
    """Carries a value along slices: ``carry, y = combine_fn(carry, x)`` for each slice x.

    Args:
        combine_fn (callable): takes carry and slice (without `dim`), returns next carry and output.
        init (Tensor or pytree): the first carry.
        xs (Tensor or pytree): tensors of one size along `dim`.
        dim (int): the dimension. Default: ``0``.
        reverse (bool): runs from the last slice to the first; outputs keep the order of the slices.
            Default: ``False``.

    Returns:
        tuple: the last carry, and the outputs stacked along `dim`.

    Raises:
        RuntimeError: when the function cannot be called, leaves are no tensors, or there are no slices.

    Example:
        >>> from torch._higher_order_ops import scan
        >>> def add(carry, x):
        ...     return carry + x, carry * x
        >>> scan(add, torch.tensor(0.0), torch.tensor([1.0, 2.0, 3.0]))
        (tensor(6.), tensor([0., 2., 9.]))
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
    dim = wrap_negative_dim(dim, leaves[0].ndim)
    if any(leaf.ndim <= dim or leaf.shape[dim] == 0 for leaf in leaves):
        raise RuntimeError("All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0")
    length = leaves[0].shape[dim]
    if any(leaf.shape[dim] != length for leaf in leaves):
        raise RuntimeError(f"All xs leaves must have the same scan dimension, but got {[x.shape[dim] for x in leaves]}")
    carry, outputs = init, [None] * length
    for place in reversed(range(length)) if reverse else range(length):
        carry, outputs[place] = combine_fn(carry, pytree.tree_unflatten([x.select(dim, place) for x in leaves], tree))
    return carry, pytree.tree_map(lambda *ys: stack(ys).movedim(0, dim), *outputs)
