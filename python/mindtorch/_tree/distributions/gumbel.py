"""The Gumbel distribution."""

import math

from .._root import torch
from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, ExpTransform
from .uniform import Uniform
from .utils import are_all_numbers, broadcast_all, euler_constant

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """The Gumbel distribution of maxima.

    ``cdf = exp(-exp(-z))`` and density ``exp(-z - exp(-z)) / scale`` with z = (x - loc) / scale. Mean
    loc + scale * 0.5772 (Euler's constant), variance (pi * scale) ** 2 / 6, mode loc.

    Args:
        loc (Tensor or float): location.
        scale (Tensor or float): scale, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> gumbel = torch.distributions.Gumbel(torch.tensor([0.0]), torch.tensor([1.0]))
        >>> gumbel.mean
        tensor([0.5772])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    _expanded = {"loc": 0, "scale": 0}

    def __init__(
        self, loc: torch.Tensor | float, scale: torch.Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        finfo = torch.finfo(self.loc.dtype)
        bounds = (finfo.tiny, 1 - finfo.eps)
        if not are_all_numbers(loc, scale):
            bounds = [torch.full_like(self.loc, bound) for bound in bounds]
        # The inverse of the cdf, exp(-exp(-(x - loc) / scale)): two logarithms, each followed by a change of sign.
        signs = [(0, -torch.ones_like(self.scale)), (loc, -self.scale)]
        steps = [step for sign in signs for step in (ExpTransform().inv, AffineTransform(*sign))]
        super().__init__(Uniform(*bounds, validate_args=validate_args), steps, validate_args=validate_args)

    def log_prob(self, value):
        self._check_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self) -> torch.Tensor:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> torch.Tensor:
        return self.loc

    @property
    def stddev(self) -> torch.Tensor:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> torch.Tensor:
        return self.stddev.pow(2)

    def entropy(self):
        return self.scale.log() + (1 + euler_constant)
