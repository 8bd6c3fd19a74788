"""The generalized Pareto distribution."""

import math

from .._root import torch
from . import constraints
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """The generalised Pareto distribution, of exceedances over a threshold.

    With c = `concentration` and z = (x - loc) / scale: ``cdf = 1 - (1 + c * z) ** (-1 / c)``, and
    ``1 - exp(-z)`` where c is 0. Support x >= loc, bounded by ``loc - scale / c`` where c < 0. Mean
    loc + scale / (1 - c) for c < 1, variance ``scale ** 2 / ((1 - c) ** 2 * (1 - 2 * c))`` for c < 1/2;
    else NaN.

    Args:
        loc (Tensor or float): lower bound.
        scale (Tensor or float): scale, above zero.
        concentration (Tensor or float): shape parameter c, any real number.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> tail = torch.distributions.GeneralizedPareto(0.0, 1.0, 0.5)
        >>> tail.mean
        tensor(2.)
        >>> tail.cdf(torch.tensor(2.0))
        tensor(0.7500)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True
    _expanded = {"loc": 0, "scale": 0, "concentration": 0}

    def __init__(self, loc, scale, concentration, validate_args=None):
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def _replace_zero_concentration(self):
        """Returns where the concentration is 0, and the concentration with 1 in its place."""
        is_zero = torch.isclose(self.concentration, torch.zeros_like(self.concentration))
        return is_zero, torch.where(is_zero, torch.ones_like(self.concentration), self.concentration)

    def _z(self, x):
        return (x - self.loc) / self.scale

    def rsample(self, sample_shape=torch.Size()):
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value):
        self._check_sample(value)
        z = self._z(value)
        is_zero, concentration = self._replace_zero_concentration()
        power = 1 / concentration + torch.ones_like(z)
        tail = torch.where(power == 0, power, power * torch.log1p(concentration * z))
        return -self.scale.log() - torch.where(is_zero, z, tail)

    def log_survival_function(self, value):
        """Computes ``log(1 - cdf(value))``.

        Args:
            value (Tensor): values in the support.

        Returns:
            Tensor: log probabilities of a draw above `value`.
        """
        self._check_sample(value)
        z = self._z(value)
        is_zero, concentration = self._replace_zero_concentration()
        return torch.where(is_zero, -z, -torch.log1p(concentration * z) / concentration)

    def log_cdf(self, value):
        """Computes ``log(cdf(value))``.

        Args:
            value (Tensor): values in the support.

        Returns:
            Tensor: log probabilities of a draw of at most `value`.
        """
        self._check_sample(value)
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value):
        return torch.exp(self.log_cdf(value))

    def icdf(self, value):
        is_zero, concentration = self._replace_zero_concentration()
        log_left = torch.log1p(-value)
        tail = self.loc + self.scale / concentration * torch.expm1(-concentration * log_left)
        return torch.where(is_zero, self.loc - self.scale * log_left, tail)

    @property
    def mean(self):
        valid = self.concentration < 1
        concentration = torch.where(valid, self.concentration, 0.5)
        return torch.where(valid, self.loc + self.scale / (1 - concentration), math.nan)

    @property
    def variance(self):
        valid = self.concentration < 0.5
        concentration = torch.where(valid, self.concentration, 0.25)
        finite = self.scale**2 / ((1 - concentration) ** 2 * (1 - 2 * concentration))
        return torch.where(valid, finite, math.nan)

    def entropy(self):
        return torch.broadcast_to(torch.log(self.scale) + self.concentration + 1, self._batch_shape)

    @property
    def mode(self):
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        bounded = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, torch.where(self.concentration < 0, bounded, math.inf))
