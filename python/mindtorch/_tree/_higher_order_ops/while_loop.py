"""while_loop: calls a function as long as a condition holds."""

from .. import Tensor
from ..utils import _pytree as pytree


def while_loop(cond_fn, body_fn, carried_inputs):
    """Calls ``carried = body_fn(*carried)`` as long as ``cond_fn(*carried)`` is true.

    Args:
        cond_fn (callable): returns a bool, or a tensor of one element.
        body_fn (callable): returns a tuple like the carried one, of the same shapes and dtypes.
        carried_inputs (tuple or list): tensors and ints, possibly nested: what the first calls get.

    Returns:
        tuple: the last carried values.

    Raises:
        RuntimeError: when functions cannot be called, or values are not as required.

    Example:
        >>> from torch._higher_order_ops import while_loop
        >>> while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), torch.ones(1)))
        (tensor(3), tensor([8.]))
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
