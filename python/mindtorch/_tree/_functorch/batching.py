"""Unwraps and wraps batched tensors, for transforms that work on values."""

import contextlib
import threading

from .. import _C
from .._root import torch
from .vmap import unwrap_with_mapped_dim_at

_functorch = _C._functorch
_outside = threading.local()
_entered = threading.local()


@contextlib.contextmanager
def mark_differentiating_transform():
    """Active while a function runs under a transform that differentiates it."""
    former = getattr(_entered, "depth", 0)
    _entered.depth = len(_functorch._vmap_levels())
    _functorch._grad_increment_nesting()
    try:
        yield
    finally:
        _functorch._grad_decrement_nesting()
        _entered.depth = former


def is_differentiated_inside_vmaps(vmap_count):
    """Whether the innermost differentiating transform is inside the first `vmap_count` vmaps."""
    return getattr(_entered, "depth", 0) >= vmap_count


def set_hidden_outer_levels(count):
    """Makes functional tensors hide the first `count` vmaps; returns the previous number."""
    former = getattr(_outside, "count", 0)
    _outside.count = count
    return former


def active_vmap_levels():
    """Returns (level, batch size) of each active vmap, the innermost last."""
    return [(level, size) for level, size, _ in _functorch._vmap_levels()[getattr(_outside, "count", 0) :]]


def is_batched(value) -> bool:
    return isinstance(value, torch.Tensor) and _functorch.is_batchedtensor(value)


def levels_of(tensor):
    found = set()
    while _functorch.is_batchedtensor(tensor):
        found.add(_functorch.maybe_get_level(tensor))
        tensor = _functorch.get_unwrapped(tensor)
    return found


def unwrap_all_levels(tensor):
    """Returns the value below all levels, and a function that wraps such a value like `tensor`."""
    hidden = []
    while _functorch.is_batchedtensor(tensor):
        hidden.append((_functorch.maybe_get_bdim(tensor), _functorch.maybe_get_level(tensor)))
        tensor = _functorch.get_unwrapped(tensor)

    def rewrap_levels(value):
        for dim, level in reversed(hidden):
            value = _functorch._add_batch_dim(value, dim, level)
        return value

    return tensor, rewrap_levels


def _move_levels_to_front(tensor, chosen):
    """Moves the chosen levels' dimensions to the front, in order; expands `tensor` if it is the same for all slices."""
    for level, size in reversed(chosen):
        if _functorch.maybe_get_level(tensor) == level:
            tensor = unwrap_with_mapped_dim_at(tensor, 0)
        else:
            tensor = tensor.unsqueeze(0).expand(size, *tensor.shape)
    return tensor


def _hide_levels(value, chosen, dim=0):
    for level, _ in chosen:
        value = _functorch._add_batch_dim(value, dim, level)
    return value


class Frame:
    """The levels around a transform: its values have their dimensions in front; levels entered later stay hidden."""

    def __init__(self):
        self.own = active_vmap_levels()

    def _levels_entered_since(self, tensor):
        if not is_batched(tensor):
            return []
        found = levels_of(tensor)
        return [layer for layer in active_vmap_levels()[len(self.own) :] if layer[0] in found]

    def show_own_dims(self, tensor):
        if not self.own:
            return tensor
        later = self._levels_entered_since(tensor)
        return _hide_levels(_move_levels_to_front(tensor, self.own + later), later, len(self.own))

    def from_value(self, value):
        if not self.own:
            return value
        later = self._levels_entered_since(value)
        if later:
            value = _move_levels_to_front(value, later)
            value = value.movedim(tuple(range(len(later))), tuple(range(len(self.own), len(self.own) + len(later))))
        return _hide_levels(value, self.own + later)
