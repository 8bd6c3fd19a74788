"""The LKJ distribution of Cholesky factors of correlation matrices (the "onion" method)."""

import math

from .._root import torch
from . import constraints
from .beta import Beta
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """The LKJ distribution of Cholesky factors of correlation matrices.

    The correlation matrix ``C = L L'`` has a density proportional to ``det(C) ** (concentration - 1)``:
    uniform at 1, nearer to the identity above. Draws use the onion method (Lewandowski, Kurowicka and
    Joe 2009, section 3.2).

    Args:
        dim (int): number of rows, at least 2.
        concentration (Tensor or float): exponent plus one, above zero. Default: ``1.0``.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when `dim` is below 2 or `concentration` not above zero.

    Example:
        >>> lkj = torch.distributions.LKJCholesky(3, 0.5)
        >>> factor = lkj.sample()
        >>> factor.shape, torch.allclose(factor.pow(2).sum(-1), torch.ones(3))
        (torch.Size([3, 3]), True)
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    _expanded = {"concentration": 0}

    def __init__(self, dim: int, concentration: torch.Tensor | float = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        # For each row, the distribution of the squared norm of its entries below the diagonal (the row has norm 1).
        offset = torch.arange(dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        offset = torch.cat([offset.new_zeros((1,)), offset])
        marginal = self.concentration + 0.5 * (dim - 2)
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(self.concentration.size(), torch.Size((dim, dim)), validate_args)

    def _finish_expand(self, new, batch_shape) -> None:
        new.dim = self.dim
        new._beta = self._beta.expand(batch_shape + (self.dim,))

    def sample(self, sample_shape=torch.Size()):
        length = self._beta.sample(sample_shape).sqrt().unsqueeze(-1)
        normal = torch.randn(self._extended_shape(sample_shape), dtype=length.dtype, device=length.device).tril(-1)
        direction = normal / normal.norm(dim=-1, keepdim=True)
        # The first row has no entry below the diagonal, so no direction.
        below = torch.nn.functional.pad((length * direction)[..., 1:, :], (0, 0, 1, 0))
        rest = 1 - below.square().sum(-1)
        return below + rest.clamp(min=torch.finfo(rest.dtype).tiny).sqrt().diag_embed()

    def log_prob(self, value):
        self._check_sample(value)
        # Row k contributes its diagonal to the power 2 * (concentration - 1) + dim - k.
        free = self.dim - 1
        rows = torch.arange(free, device=self.concentration.device) + 2
        exponents = 2 * (self.concentration[..., None] - 1) + self.dim - rows
        density = torch.linalg.diagonal(value)[..., 1:].log().mul(exponents).sum(-1)
        return density - self._log_normalizing_factor(free, free * 0.5 + self.concentration)

    @staticmethod
    def _log_normalizing_factor(free, alpha):
        return torch.mvlgamma(alpha - 0.5, free) + free * 0.5 * math.log(math.pi) - free * alpha.lgamma()
