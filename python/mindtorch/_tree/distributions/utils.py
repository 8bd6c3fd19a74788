"""Helpers of distributions: broadcasting of parameters, probabilities and logits, lazy attributes."""

from __future__ import annotations

from collections.abc import Callable
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
    """Broadcasts numbers and tensors to tensors of one shape.

    Args:
        *values: numbers and tensors. Numbers become tensors of the first tensor's dtype and device, or
            of the default dtype.

    Returns:
        tuple of Tensor: views of the broadcast shape.

    Raises:
        ValueError: for other types.

    Example:
        >>> torch.distributions.utils.broadcast_all(1.0, torch.zeros(2))
        (tensor([1., 1.]), tensor([0., 0.]))
    """
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


def are_all_numbers(*values) -> bool:
    """Whether all are Python numbers."""
    return all(isinstance(value, _Number) for value in values)


def _standard_normal(shape, dtype, device):
    return torch.empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value, dim: int):
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


def log_odds(probs):
    """log(p / (1 - p))"""
    return probs.log() - (-probs).log1p()


def evaluate_polynomial(x, coefficients):
    """Evaluates the polynomial in `x` with these coefficients, the constant one first, by Horner's rule."""
    *others, result = coefficients
    for coefficient in reversed(others):
        result = coefficient + x * result
    return result


def logits_to_probs(logits: torch.Tensor, is_binary: bool = False) -> torch.Tensor:
    """Computes probabilities from logits.

    Args:
        logits (Tensor): log odds, or unnormalised log probabilities along the last dimension.
        is_binary (bool): whether they are log odds. Default: ``False``.

    Returns:
        Tensor: the sigmoid (binary) or the softmax over the last dimension.

    Example:
        >>> torch.distributions.utils.logits_to_probs(torch.tensor([0.0, 0.0]))
        tensor([0.5000, 0.5000])
    """
    return torch.sigmoid(logits) if is_binary else torch.softmax(logits, dim=-1)


def clamp_probs(probs: torch.Tensor) -> torch.Tensor:
    """Clamps probabilities to [eps, 1 - eps], eps the machine epsilon of the dtype.

    Args:
        probs (Tensor): probabilities.

    Returns:
        Tensor: values whose logits are finite.

    Example:
        >>> torch.distributions.utils.clamp_probs(torch.tensor([0.0, 0.5])) > 0
        tensor([True, True])
    """
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: torch.Tensor, is_binary: bool = False) -> torch.Tensor:
    """Computes logits from probabilities, which are clamped so that results are finite.

    Args:
        probs (Tensor): probabilities of 1, or of categories along the last dimension.
        is_binary (bool): whether they are probabilities of 1. Default: ``False``.

    Returns:
        Tensor: log odds (binary) or log probabilities.

    Example:
        >>> torch.distributions.utils.probs_to_logits(torch.tensor([0.5]), is_binary=True)
        tensor([0.])
    """
    clamped = clamp_probs(probs)
    return log_odds(clamped) if is_binary else clamped.log()


class lazy_property:
    """A property that is computed on first use, with gradients enabled, and then stored as an attribute.

    Args:
        wrapped (callable): the getter.

    Example:
        >>> class Square:
        ...     @torch.distributions.utils.lazy_property
        ...     def area(self):
        ...         print("computed")
        ...         return 4
        >>> square = Square()
        >>> square.area, square.area
        computed
        (4, 4)
    """

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)

    def __get__(self, instance: Any | None, obj_type: Any = None) -> Any | _lazy_property_and_property:
        if instance is None:
            return _lazy_property_and_property(self.wrapped)
        with torch.enable_grad():
            setattr(instance, self.wrapped.__name__, value := self.wrapped(instance))
        return value


class _lazy_property_and_property(lazy_property, property):
    """Accessed on the class, returns a property, which documentation tools expect."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        property.__init__(self, wrapped)


def _tril_mask(size: int, diag: int, device):
    column = torch.arange(size, device=device)
    return column < column.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat: torch.Tensor, diag: int = 0) -> torch.Tensor:
    """Returns the lower triangle of matrices, row by row, as vectors.

    Args:
        mat (Tensor): matrices ``(*, n, n)``.
        diag (int): last diagonal to include: 0 the main one, negative below it. Default: ``0``.

    Returns:
        Tensor: vectors; ``(*, n * (n + 1) / 2)`` for diagonal 0.

    Raises:
        ValueError: when `diag` is outside the matrix.

    Example:
        >>> torch.distributions.utils.tril_matrix_to_vec(torch.tensor([[1, 2], [3, 4]]))
        tensor([1, 3, 4])
    """
    size = mat.shape[-1]
    if diag < -size or diag >= size:
        raise ValueError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    return mat[..., _tril_mask(size, diag, mat.device)]


def vec_to_tril_matrix(vec: torch.Tensor, diag: int = 0) -> torch.Tensor:
    """Fills the lower triangle of matrices with vectors, row by row; above it is zero.

    Args:
        vec (Tensor): vectors, ``(*, n * (n + 1) / 2)`` for diagonal 0.
        diag (int): last diagonal that is filled: 0 the main one, negative below it. Default: ``0``.

    Returns:
        Tensor: matrices ``(*, n, n)``.

    Raises:
        ValueError: when the length is not that of a triangle.

    Example:
        >>> torch.distributions.utils.vec_to_tril_matrix(torch.tensor([1.0, 3.0, 4.0]))
        tensor([[1., 0.],
                [3., 4.]])
    """
    count = vec.shape[-1]
    # Solves count = size * (size + 1 + 2 * diag) / 2 (minus the cut corner) for size.
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
