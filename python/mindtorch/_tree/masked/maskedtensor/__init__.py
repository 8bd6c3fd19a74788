"""Tensors with a mask of the elements that count."""

from .core import MaskedTensor, is_masked_tensor

__all__ = ["MaskedTensor", "is_masked_tensor"]
