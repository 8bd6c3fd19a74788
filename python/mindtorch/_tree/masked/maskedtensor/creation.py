"""Creates masked tensors: a leaf, or one through which gradients flow."""

from .core import MaskedTensor

__all__ = ["as_masked_tensor", "masked_tensor"]


def masked_tensor(data, mask, requires_grad=False):
    """Returns a MaskedTensor with copies of data and mask, a leaf of the graph.

    Args:
        data (Tensor): the values.
        mask (Tensor): bool, of the same shape; True for elements that count.
        requires_grad (bool): whether it requires gradients. Default: ``False``.

    Returns:
        MaskedTensor: the new tensor.

    Example:
        >>> import warnings
        >>> warnings.simplefilter("ignore")
        >>> torch.masked.masked_tensor(torch.tensor([1, 2]), torch.tensor([True, False]))
        MaskedTensor(
          [1,       --]
        )
    """
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data, mask):
    """Returns a MaskedTensor that gradients flow through to the data.

    Args:
        data (Tensor): the values.
        mask (Tensor): bool, of the same shape; True for elements that count.

    Returns:
        MaskedTensor: the new tensor, with the history of `data`.

    Example:
        >>> import warnings
        >>> warnings.simplefilter("ignore")
        >>> torch.masked.as_masked_tensor(torch.ones(2), torch.tensor([True, False])).get_mask()
        tensor([ True, False])
    """
    return MaskedTensor._from_values(data, mask)
