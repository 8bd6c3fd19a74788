"""The half-normal distribution."""

import math

from .._method_copies import copies_methods
from .._root import torch
from . import constraints
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .transforms import AbsTransform

__all__ = ["HalfNormal"]


@copies_methods("log_prob", "cdf", "icdf", "entropy")
class _Folded(TransformedDistribution):
    """The distribution of |X| for an X symmetric around 0."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    @property
    def scale(self):
        return self.base_dist.scale

    @property
    def mode(self):
        return torch.zeros_like(self.scale)

    def log_prob(self, value):
        self._check_sample(value)
        return torch.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value):
        self._check_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob):
        """Computes quantiles, the inverse of `cdf`.

        Args:
            prob (Tensor): probabilities, in [0, 1].

        Returns:
            Tensor: values x with ``cdf(x) == prob``.
        """
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Folded):
    """The half-normal distribution: the absolute value of a normal with mean 0.

    Density ``sqrt(2 / pi) / scale * exp(-x ** 2 / (2 * scale ** 2))`` for x >= 0; mean
    scale * sqrt(2 / pi), variance scale ** 2 * (1 - 2 / pi), mode 0.

    Args:
        scale (Tensor or float): standard deviation of the normal, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> half = torch.distributions.HalfNormal(torch.tensor([1.0]))
        >>> half.mean
        tensor([0.7979])
    """

    _expanded = {}

    def __init__(self, scale: torch.Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self) -> torch.Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> torch.Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)
