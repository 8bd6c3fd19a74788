"""Helpers of distributions: broadcasting of parameters, probabilities and logits, lazy attributes."""

from functools import update_wrapper
from typing import Any

from .._root import torch
from ..overrides import is_tensor_like
from ..types import Number, _Number

euler_constant = 0.57721566490153286060

__all__ = [
    "broadcast_all",
    "logits_to_probs",
    "clamp_probs",
    "probs_to_logits",
    "lazy_property",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]


def broadcast_all(*values: "torch.Tensor | Number") -> "tuple[torch.Tensor, ...]":
    """Tensors of one shape; numbers take the first tensor's dtype and device."""
    if not all(is_tensor_like(value) or isinstance(value, _Number) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    if not all(map(is_tensor_like, values)):
        options: dict[str, Any] = {"dtype": torch.get_default_dtype()}
        first = next((value for value in values if isinstance(value, torch.Tensor)), None)
        if first is not None:
            options = {"dtype": first.dtype, "device": first.device}
        values = tuple(value if is_tensor_like(value) else torch.tensor(value, **options) for value in values)
    return torch.broadcast_tensors(*values)


def all_numbers(*values) -> bool:
    """Whether all are Python numbers."""
    return all(isinstance(value, _Number) for value in values)


def _standard_normal(shape, dtype, device):
    return torch.empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value, dim: int):
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


def logits_to_probs(logits, is_binary: bool = False):
    """sigmoid (binary) or softmax over the last dimension."""
    return torch.sigmoid(logits) if is_binary else torch.softmax(logits, dim=-1)


def clamp_probs(probs):
    """Keeps probabilities off 0 and 1, where logits are infinite."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs, is_binary: bool = False):
    """The inverse: log odds (binary) or logs; 0 and 1 are kept finite."""
    clamped = clamp_probs(probs)
    return torch.log(clamped) - torch.log1p(-clamped) if is_binary else torch.log(clamped)


class lazy_property:
    """A property that is computed once, and then an ordinary attribute."""

    def __init__(self, wrapped) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)

    def __get__(self, instance, obj_type=None):
        if instance is None:
            return _lazy_property_and_property(self.wrapped)
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _lazy_property_and_property(lazy_property, property):
    """What the class shows: documentation tools look for properties."""

    def __init__(self, wrapped) -> None:
        property.__init__(self, wrapped)


def _tril_mask(size: int, diag: int, device):
    column = torch.arange(size, device=device)
    return column < column.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat, diag: int = 0):
    """The lower triangle, row by row, as a vector."""
    size = mat.shape[-1]
    if diag < -size or diag >= size:
        raise ValueError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    return mat[..., _tril_mask(size, diag, mat.device)]


def vec_to_tril_matrix(vec, diag: int = 0):
    """The inverse of `tril_matrix_to_vec`."""
    count = vec.shape[-1]
    # Solves count = size * (size + 1 + 2 * diag) / 2 (less the cut corner) for size.
    exact = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(exact) - exact > torch.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as the lower triangular part of a "
            "square D x D matrix."
        )
    size = round(exact)
    mat = vec.new_zeros(vec.shape[:-1] + torch.Size((size, size)))
    mat[..., _tril_mask(size, diag, vec.device)] = vec
    return mat
