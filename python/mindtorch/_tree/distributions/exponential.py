"""The exponential distribution."""

from .._root import torch
from . import constraints
from .exp_family import ExponentialFamily
from .utils import broadcast_all

__all__ = ["Exponential"]


class Exponential(ExponentialFamily):
    """The exponential distribution.

    Density ``rate * exp(-rate * x)`` for x >= 0; mean 1 / rate, variance 1 / rate ** 2.

    Args:
        rate (Tensor or float): inverse of the mean, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> exponential = torch.distributions.Exponential(torch.tensor([2.0]))
        >>> exponential.mean
        tensor([0.5000])
        >>> exponential.cdf(torch.tensor([0.0]))
        tensor([0.])
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _expanded = {"rate": 0}

    def __init__(self, rate: torch.Tensor | float, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    @property
    def mean(self) -> torch.Tensor:
        return self.rate.reciprocal()

    @property
    def mode(self) -> torch.Tensor:
        return torch.zeros_like(self.rate)

    @property
    def stddev(self) -> torch.Tensor:
        return self.rate.reciprocal()

    @property
    def variance(self) -> torch.Tensor:
        return self.rate.pow(-2)

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size()) -> torch.Tensor:
        return self.rate.new(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value):
        self._check_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value):
        self._check_sample(value)
        return 1 - torch.exp(-self.rate * value)

    def icdf(self, value):
        return -torch.log1p(-value) / self.rate

    def entropy(self):
        return 1.0 - torch.log(self.rate)

    @property
    def _natural_params(self):
        return (-self.rate,)

    def _log_normalizer(self, x):
        return -torch.log(-x)
