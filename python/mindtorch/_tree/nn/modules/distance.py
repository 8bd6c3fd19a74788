"""Distances between batches of vectors."""

from ..._root import torch
from .. import functional as F
from .module import Module

__all__ = ["PairwiseDistance", "CosineSimilarity"]


class PairwiseDistance(Module):
    """Computes the p-norm of the difference of two vectors: ``||x1 - x2 + eps||_p``.

    Args:
        p (float): exponent of the norm; may be negative or infinite. Default: ``2.0``.
        eps (float): added to each difference, so that the gradient at equal vectors is finite.
            Default: ``1e-6``.
        keepdim (bool): whether the last dimension stays, with size 1. Default: ``False``.

    Shape:
        - input1, input2: ``(N, D)`` or ``(D,)``, or shapes that broadcast.
        - output: ``(N)`` or ``()``; ``(N, 1)`` or ``(1,)`` with `keepdim`.

    Example:
        >>> nn.PairwiseDistance()(torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0]]))
        tensor([5.0000])
    """

    __constants__ = ["norm", "eps", "keepdim"]
    norm: float
    eps: float
    keepdim: bool

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `x1` and `x2`; the class documents shapes and formula."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """Computes the cosine of the angle between vectors: ``x1 . x2 / (||x1|| * ||x2||)``.

    Args:
        dim (int): the dimension that holds the vectors. Default: ``1``.
        eps (float): smallest norm that is divided by. Default: ``1e-8``.

    Shape:
        - input1, input2: shapes that broadcast.
        - output: the broadcast shape without `dim`.

    Example:
        >>> nn.CosineSimilarity()(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]))
        tensor([0.7071])
    """

    __constants__ = ["dim", "eps"]
    dim: int
    eps: float

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `x1` and `x2`; the class documents shapes and formula."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
