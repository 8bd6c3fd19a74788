"""Operators of two tensors as methods of a module, where a result can be observed."""

from ..... import nn
from ....._root import torch

__all__ = ["FloatFunctional"]


class FloatFunctional(nn.Module):
    """Operators on tensors as methods of a module, so that their results can be observed.

    Results of tensors alone pass the submodule `activation_post_process`, which is nn.Identity unless an
    observer replaces it. The module itself is not called: forward raises RuntimeError.

    Example:
        >>> from torch.ao.nn.quantized import FloatFunctional
        >>> FloatFunctional().add(torch.tensor([1.0]), torch.tensor([2.0]))
        tensor([3.])
    """

    def __init__(self) -> None:
        super().__init__()
        self.activation_post_process = nn.Identity()

    def forward(self, x):
        """Raises RuntimeError: call a method instead; ignores `x`."""
        raise RuntimeError(
            "FloatFunctional is not intended to use the 'forward'. Please use the underlying operation"
        )

    def add(self, x, y):
        """Returns ``torch.add(x, y)`` of the tensors `x` and `y`, observed."""
        return self.activation_post_process(torch.add(x, y))

    def add_scalar(self, x, y):
        """Returns ``torch.add(x, y)`` of a tensor `x` and a number `y`."""
        return torch.add(x, y)

    def mul(self, x, y):
        """Returns ``torch.mul(x, y)`` of the tensors `x` and `y`, observed."""
        return self.activation_post_process(torch.mul(x, y))

    def mul_scalar(self, x, y):
        """Returns ``torch.mul(x, y)`` of a tensor `x` and a number `y`."""
        return torch.mul(x, y)

    def cat(self, x, dim: int = 0):
        """Returns ``torch.cat(x, dim)`` of a list `x` of tensors along `dim`, observed."""
        return self.activation_post_process(torch.cat(x, dim=dim))

    def add_relu(self, x, y):
        """Returns the relu of ``torch.add(x, y)`` of the tensors `x` and `y`, observed."""
        return self.activation_post_process(nn.functional.relu(torch.add(x, y)))

    def matmul(self, x, y):
        """Returns ``torch.matmul(x, y)`` of the tensors `x` and `y`, observed."""
        return self.activation_post_process(torch.matmul(x, y))
