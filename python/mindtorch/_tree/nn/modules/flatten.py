"""Layers that merge dimensions into one, or split one."""

from ..._root import torch
from .module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Merges a range of dimensions into one; a view where memory allows it.

    Args:
        start_dim (int): the first of them. Default: ``1``, which keeps the batch.
        end_dim (int): the last of them. Default: ``-1``.

    Shape:
        - input: any.
        - output: the sizes from `start_dim` to `end_dim` replaced by their product.

    Example:
        >>> nn.Flatten()(torch.ones(6, 2, 3, 4)).shape
        torch.Size([6, 24])
        >>> nn.Flatten(0, 2)(torch.ones(6, 2, 3, 4)).shape
        torch.Size([36, 4])
    """

    __constants__ = ["start_dim", "end_dim"]
    start_dim: int
    end_dim: int

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits one dimension into several: undoes Flatten.

    Args:
        dim (int or str): the dimension, or its name for a named tensor.
        unflattened_size (tuple or list of int): the new sizes, of which one may be -1 and
            follows from the others.

    Shape:
        - input: any, whose size at `dim` is the product of `unflattened_size`.
        - output: that size replaced by `unflattened_size`.

    Raises:
        TypeError: when `unflattened_size` is no tuple or list of ints.

    Example:
        >>> nn.Unflatten(1, (3, -1))(torch.ones(2, 12)).shape
        torch.Size([2, 3, 4])
    """

    __constants__ = ["dim", "unflattened_size"]

    def __init__(self, dim: int, unflattened_size: torch.Size | list[int] | tuple[int, ...]) -> None:
        super().__init__()
        self._require_tuple_int(unflattened_size)
        self.dim = dim
        self.unflattened_size = unflattened_size

    def _require_tuple_int(self, input):
        if not isinstance(input, (tuple, list)):
            raise TypeError(f"unflattened_size must be a tuple of ints, but found type {type(input).__name__}")
        for position, size in enumerate(input):
            if not isinstance(size, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, "
                    f"but found element of type {type(size).__name__} at pos {position}"
                )

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self):
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
