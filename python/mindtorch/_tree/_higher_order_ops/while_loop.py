"""while_loop: a function called again and again, as long as another says so."""

from .. import Tensor
from ..utils import _pytree as pytree


def while_loop(cond_fn, body_fn, carried_inputs):
    """Calls ``carried = body_fn(*carried)`` as long as ``cond_fn(*carried)`` is true; gives the last `carried`.

    Args:
        cond_fn: gives a bool, or a tensor of one element.
        body_fn: gives a tuple of tensors (or ints) like the carried ones, in shape and dtype.
        carried_inputs: a tuple or list of tensors and ints, possibly nested: what the first calls get.

    Raises:
        RuntimeError: for functions that cannot be called, carried inputs that are no tuple or list.
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    if not isinstance(carried_inputs, (tuple, list)):
        raise RuntimeError(f"Expect carried_inputs to be a tuple or a list, but got {type(carried_inputs)}.")
    for leaf in pytree.tree_leaves(carried_inputs):
        if not isinstance(leaf, (Tensor, int)):
            kinds = (Tensor, int)
            raise AssertionError(f"{carried_inputs} can only be of {kinds} but got {(type(leaf),)}")
    carried = tuple(carried_inputs)
    while cond_fn(*carried):
        given = body_fn(*carried)
        carried = given if isinstance(given, (tuple, list)) else (given,)
        if len(carried) != len(carried_inputs):
            raise RuntimeError(
                f"Expect body_fn to give {len(carried_inputs)} carried inputs, as it takes, but got {len(carried)}."
            )
        carried = tuple(carried)
    return carried
