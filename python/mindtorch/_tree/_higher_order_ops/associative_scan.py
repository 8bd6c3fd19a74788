"""associative_scan: running combinations of slices, by halves."""

from collections.abc import Callable
from typing import Any

from .. import Tensor, cat, stack, vmap
from ..utils import _pytree as pytree


def wrap_negative_dim(dim, ndim):
    """Counts `dim` from the front; IndexError if it is out of range."""
    if not -ndim <= dim < ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})")
    return dim % ndim


def associative_scan(
    combine_fn: Callable[[Any, Any], Any],
    xs: Any,
    dim: int,
    reverse: bool = False,
    combine_mode: str = "pointwise",
) -> Tensor:
    """Computes running combinations along a dimension: x0, f(x0, x1), f(f(x0, x1), x2), ...

    `combine_fn` must be associative: slices are combined in pairs, then pairs of pairs, so that it is
    called on about twice as many slices as there are, in about 2 * log2 of their number of calls
    (Blelloch 1990, "Prefix sums and their applications").

    Args:
        combine_fn (callable): takes two slices (without `dim`), or two pytrees of them; returns one.
        xs (Tensor or pytree): tensors of one size along `dim`.
        dim (int): the dimension.
        reverse (bool): runs from the end. Default: ``False``.
        combine_mode (str): ``"generic"``; ``"pointwise"`` is for devices that have a kernel of it.
            Default: ``"pointwise"``.

    Returns:
        Tensor or pytree: structured and shaped as `xs`.

    Raises:
        ValueError: when the function, the mode or the tensors are not as required; for CPU tensors with
            ``"pointwise"``.
        RuntimeError: when `reverse` is no bool.
        IndexError: when `dim` is out of range.

    Example:
        >>> from torch._higher_order_ops import associative_scan
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> associative_scan(lambda a, b: a + b, x, 0, combine_mode="generic")
        tensor([1., 3., 6.])
    """
    if not callable(combine_fn):
        raise ValueError(f"Combine_fn must be a callable, but got {combine_fn}")
    leaves, tree = pytree.tree_flatten(xs)
    if not isinstance(reverse, bool):
        raise RuntimeError("Reverse must be a bool, but got " + str(type(reverse)))
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    if not all(isinstance(leaf, Tensor) for leaf in leaves):
        raise ValueError("xs leaves must be tensors")
    dim = wrap_negative_dim(dim, leaves[0].ndim)
    if combine_mode == "pointwise":
        raise ValueError("For combine_mode='pointwise', all input tensors need to be on CUDA or XPU")
    if any(leaf.ndim <= dim or leaf.shape[dim] == 0 for leaf in leaves):
        raise ValueError("All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0")

    def combine_slices(*given):
        half = len(leaves)
        made = pytree.tree_leaves(
            combine_fn(*(pytree.tree_unflatten(side, tree) for side in (given[:half], given[half:])))
        )
        if len(made) != half:
            raise AssertionError(
                f"Combine_fn received wrong number of arguments, expected {2 * half}, but got {2 * len(made)}"
            )
        return tuple(made)

    combine = vmap(combine_slices)
    moved = [leaf.movedim(dim, 0) for leaf in leaves]
    if reverse:
        moved = [leaf.flip(0) for leaf in moved]
    made = _scan_recursively(combine, moved)
    if reverse:
        made = [leaf.flip(0) for leaf in made]
    return pytree.tree_unflatten([leaf.movedim(0, dim) for leaf in made], tree)


def _scan_recursively(combine, items):
    """Scans combined pairs for the odd indices; the even ones need one more step."""
    length = items[0].shape[0]
    if length < 2:
        return items
    odd = _scan_recursively(combine, combine(*(x[:-1:2] for x in items), *(x[1::2] for x in items)))
    before = [x[:-1] for x in odd] if length % 2 == 0 else odd
    even = [x[:1] for x in items]
    if length > 2:
        later = combine(*before, *(x[2::2] for x in items))
        even = [cat((a.to(b.dtype), b)) for a, b in zip(even, later, strict=True)]
    return [_interleave(a, b) for a, b in zip(even, odd, strict=True)]


def _interleave(even, odd):
    rest = even[odd.shape[0] :]
    pairs = stack((even[: odd.shape[0]].to(odd.dtype), odd), 1).flatten(0, 1)
    return cat((pairs, rest)) if len(rest) else pairs
