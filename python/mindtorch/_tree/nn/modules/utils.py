"""Small helpers of layers: sizes given as one number or as tuples, and state_dict prefixes."""

from collections.abc import Iterable
from typing import Any

from ..._root import torch

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n, name="parse"):
    """Makes a function that returns an iterable as a tuple, and a number as `n` copies."""

    def parse(x):
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    parse.__name__ = name
    return parse


_single, _pair, _triple, _quadruple = map(_ntuple, (1, 2, 3, 4), ("_single", "_pair", "_triple", "_quadruple"))


def _reverse_repeat_tuple(t, n):
    """Converts per-dimension padding to the order of F.pad: (a, b) for n=2 becomes (b, b, a, a)."""
    return tuple(value for value in reversed(t) for _ in range(n))


def _list_with_default(out_size, defaults):
    """Returns `out_size` with None replaced by the input's own sizes."""
    if isinstance(out_size, (int, torch.SymInt)):
        return out_size
    count = len(out_size)
    if len(defaults) <= count:
        raise ValueError(f"Input dimension should be at least {count + 1}")
    return [own if given is None else given for given, own in zip(out_size, defaults[-count:], strict=False)]


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Removes a prefix from the keys of a state_dict, in place, where they have it.

    For a state_dict saved from a wrapped module, as `DistributedDataParallel` is, whose keys
    begin with ``"module."``.

    Args:
        state_dict (dict of str to Tensor): changed; its metadata too.
        prefix (str): what to remove.

    Example:
        >>> state = {"module.weight": torch.ones(1)}
        >>> nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
        >>> list(state)
        ['weight']
    """
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is None:
        return
    bare = prefix.replace(".", "")  # the wrapped module's own entry has no dot
    for key in list(metadata):
        if key and (key == bare or key.startswith(prefix)):
            metadata[key[len(prefix) :]] = metadata.pop(key)
