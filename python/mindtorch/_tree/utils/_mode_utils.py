"""Small helpers around modes."""

from .. import _C
from .._root import torch


def no_dispatch():
    """Inside the block, `__torch_dispatch__` of subclasses is disabled."""
    return _C._DisableTorchDispatch()


def all_same_mode(modes):
    return all(mode is modes[0] for mode in modes)


def is_tensor(x):
    return isinstance(x, torch.Tensor)
