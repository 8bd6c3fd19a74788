"""Making masked tensors: a leaf, or one that gradients flow through."""

from .core import MaskedTensor

__all__ = ["as_masked_tensor", "masked_tensor"]


def masked_tensor(data, mask, requires_grad=False):
    """A masked tensor with copies of `data` and `mask`, a leaf of the graph as torch.tensor's result is."""
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data, mask):
    """A masked tensor that keeps the history of `data`, as torch.as_tensor does."""
    return MaskedTensor._from_values(data, mask)
