"""The pruning methods: random, by magnitude, by slices, or with a given mask."""

from __future__ import annotations

import numbers

from ..._method_copies import copies_methods
from ..._root import torch
from ._prune_base import BasePruningMethod


def _validate_pruning_amount_init(amount):
    """Amounts are counts (integers) or fractions (between 0 and 1)."""
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if isinstance(amount, numbers.Integral):
        valid = amount >= 0
    else:
        valid = 0.0 <= float(amount) <= 1.0
    if not valid:
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _validate_pruning_amount(amount, tensor_size):
    if isinstance(amount, numbers.Integral) and amount > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def _validate_structured_pruning(t):
    if len(t.shape) <= 1:
        raise ValueError(
            "Structured pruning can only be applied to "
            "multidimensional tensors. Found tensor of shape "
            f"{t.shape} with {len(t.shape)} dims"
        )


def _validate_pruning_dim(t, dim):
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_nparams_toprune(amount, tensor_size):
    return amount if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _compute_norm(t, n, dim):
    """Returns the n-norm of each slice along `dim`."""
    dims = list(range(t.dim()))
    dims.remove(dims[dim] if dim < 0 else dim)
    return torch.norm(t, p=n, dim=dims)


def _count_pruned(amount, size):
    count = _compute_nparams_toprune(amount, size)
    _validate_pruning_amount(count, size)
    return count


def _keep_slices(t, dim, kept, default_mask):
    """Returns a mask of the slices `kept` along `dim`, combined with `default_mask`."""
    mask = torch.zeros_like(t)
    index = [slice(None)] * len(t.shape)
    index[dim] = kept
    mask[tuple(index)] = 1
    mask *= default_mask.to(dtype=mask.dtype)
    return mask


class Identity(BasePruningMethod):
    """Prunes nothing, but puts a mask of ones in place.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.Identity().prune(torch.ones(2))
        tensor([1., 1.])
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        return default_mask

    @classmethod
    def apply(cls, module, name):
        """Prunes one parameter of a module.

        Args:
            module (Module): changed in place.
            name (str): the parameter.

        Returns:
            BasePruningMethod: the method, or a container of all that prune it.
        """
        return super().apply(module, name)


@copies_methods("__init__")
class _Unstructured(BasePruningMethod):
    """Prunes the entries that `_choose_indices` returns."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t, default_mask):
        count = _count_pruned(self.amount, t.nelement())
        mask = default_mask.clone(memory_format=torch.contiguous_format)
        if count != 0:
            mask.view(-1)[self._choose_indices(t, count)] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """Prunes elements at random.

    Args:
        amount (int or float): how many elements, or which share of them, from 0 to 1.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.RandomUnstructured(0.5).prune(torch.ones(4)).sum()
        tensor(2.)
    """

    def _choose_indices(self, t, count):
        return torch.topk(torch.rand_like(t).view(-1), k=count).indices

    @classmethod
    def apply(cls, module, name, amount):
        """Prunes one parameter of a module.

        Args:
            module (Module): changed in place.
            name (str): the parameter.
            amount (int or float): how many elements, or which share of them, from 0 to 1.

        Returns:
            BasePruningMethod: the method, or a container of all that prune it.
        """
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Prunes the elements of the smallest magnitudes.

    Args:
        amount (int or float): how many elements, or which share of them, from 0 to 1.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.L1Unstructured(1).prune(torch.tensor([3.0, -1.0, 2.0]))
        tensor([3., -0., 2.])
    """

    def _choose_indices(self, t, count):
        return torch.topk(torch.abs(t).view(-1), k=count, largest=False).indices

    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        """Prunes one parameter of a module.

        Args:
            module (Module): changed in place.
            name (str): the parameter.
            amount (int or float): how many elements, or which share of them, from 0 to 1.
            importance_scores (Tensor, optional): scores in place of the values, of the same shape.
                Default: ``None``.

        Returns:
            BasePruningMethod: the method, or a container of all that prune it.
        """
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class RandomStructured(BasePruningMethod):
    """Prunes whole slices at random.

    Args:
        amount (int or float): how many slices, or which share of them, from 0 to 1.
        dim (int): their dimension. Default: ``-1``.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.RandomStructured(1, dim=0).prune(torch.ones(3, 2)).sum()
        tensor(4.)
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount, dim=-1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.dim = dim

    def compute_mask(self, t, default_mask):
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        size = t.shape[self.dim]
        count = _count_pruned(self.amount, size)
        if count == 0:
            return default_mask
        scores = torch.rand(size)
        kept = scores > torch.kthvalue(scores, k=count).values
        return _keep_slices(t, self.dim, kept, default_mask)

    @classmethod
    def apply(cls, module, name, amount, dim=-1):
        """Prunes one parameter of a module.

        Args:
            module (Module): changed in place.
            name (str): the parameter.
            amount (int or float): how many slices, or which share of them, from 0 to 1.
            dim (int): their dimension. Default: ``-1``.

        Returns:
            BasePruningMethod: the method, or a container of all that prune it.
        """
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(BasePruningMethod):
    """Prunes the slices of the smallest n-norms.

    Args:
        amount (int or float): how many slices, or which share of them, from 0 to 1.
        n (int, float or str): exponent of the norm, may be infinite, ``"fro"`` or ``"nuc"``.
        dim (int): their dimension. Default: ``-1``.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.LnStructured(1, n=2, dim=0).prune(torch.tensor([[1.0, 1.0], [3.0, 2.0]]))
        tensor([[0., 0.],
                [3., 2.]])
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount, n, dim=-1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.n = n
        self.dim = dim

    def compute_mask(self, t, default_mask):
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        size = t.shape[self.dim]
        count = _count_pruned(self.amount, size)
        largest = torch.topk(_compute_norm(t, self.n, self.dim), k=size - count, largest=True)
        if count == 0:
            return default_mask
        return _keep_slices(t, self.dim, largest.indices, default_mask)

    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        """Prunes one parameter of a module.

        Args:
            module (Module): changed in place.
            name (str): the parameter.
            amount (int or float): how many slices, or which share of them, from 0 to 1.
            n (int, float or str): exponent of the norm.
            dim (int): the dimension of the slices.
            importance_scores (Tensor, optional): scores in place of the values, of the same shape.
                Default: ``None``.

        Returns:
            BasePruningMethod: the method, or a container of all that prune it.
        """
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes where a given mask is zero.

    Args:
        mask (Tensor): zeros and ones, of the shape of the parameter.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.CustomFromMask(torch.tensor([1, 0])).prune(torch.tensor([5.0, 6.0]))
        tensor([5., 0.])
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask) -> None:
        self.mask = mask

    def compute_mask(self, t, default_mask):
        own, given = self.mask, default_mask
        if own.shape != given.shape:
            raise AssertionError(f"default_mask shape {given.shape} must match self.mask shape {own.shape}")
        return given * own.to(dtype=given.dtype)

    @classmethod
    def apply(cls, module, name, mask):
        """Prunes one parameter of a module.

        Args:
            module (Module): changed in place.
            name (str): the parameter.
            mask (Tensor): zeros and ones, of the shape of the parameter.

        Returns:
            BasePruningMethod: the method, or a container of all that prune it.
        """
        return super().apply(module, name, mask=mask)
