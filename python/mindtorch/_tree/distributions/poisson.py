"""The Poisson distribution."""

from .._root import torch
from . import constraints
from .exp_family import ExponentialFamily
from .utils import broadcast_all

__all__ = ["Poisson"]


class Poisson(ExponentialFamily):
    """The Poisson distribution of counts.

    ``P(k) = rate ** k * exp(-rate) / k!`` for k = 0, 1, ...; mean and variance rate. Rate 0 gives 0.

    Args:
        rate (Tensor or float): mean, at least 0.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> poisson = torch.distributions.Poisson(torch.tensor([2.0]))
        >>> poisson.log_prob(torch.tensor([0.0]))
        tensor([-2.])
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    _expanded = {"rate": 0}

    def __init__(self, rate: torch.Tensor | int | float | bool, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    @property
    def mean(self) -> torch.Tensor:
        return self.rate

    @property
    def mode(self) -> torch.Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> torch.Tensor:
        return self.rate

    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            return torch.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        self._check_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self):
        return (torch.log(self.rate),)

    def _log_normalizer(self, x):
        return torch.exp(x)
