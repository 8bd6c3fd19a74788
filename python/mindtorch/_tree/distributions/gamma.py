"""The gamma distribution."""

from .._root import torch
from . import constraints
from .exp_family import ExponentialFamily
from .utils import broadcast_all

__all__ = ["Gamma"]


def _standard_gamma(concentration):
    return torch._standard_gamma(concentration)


class Gamma(ExponentialFamily):
    """The gamma distribution, with a rate (the inverse of the scale).

    Density ``rate ** a * x ** (a - 1) * exp(-rate * x) / Gamma(a)`` for x >= 0, a = `concentration`.
    Mean a / rate, variance a / rate ** 2. Draws are at least the smallest normal number of the dtype.

    Args:
        concentration (Tensor or float): shape parameter a, above zero.
        rate (Tensor or float): inverse scale, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> gamma = torch.distributions.Gamma(torch.tensor([2.0]), torch.tensor([4.0]))
        >>> gamma.mean, gamma.variance
        (tensor([0.5000]), tensor([0.1250]))
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _expanded = {"concentration": 0, "rate": 0}

    def __init__(
        self, concentration: torch.Tensor | float, rate: torch.Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.size(), validate_args=validate_args)

    @property
    def mean(self) -> torch.Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> torch.Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> torch.Tensor:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size()) -> torch.Tensor:
        sizes = self._extended_shape(sample_shape)
        concentration, rate = (parameter.expand(sizes) for parameter in (self.concentration, self.rate))
        draws = _standard_gamma(concentration) / rate
        smallest = torch.finfo(draws.dtype).tiny  # a sample may underflow to 0, where the density is infinite or 0
        draws.detach().clamp_(min=smallest)
        return draws

    def log_prob(self, value):
        value = torch.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        self._check_sample(value)
        a, b = self.concentration, self.rate
        return torch.xlogy(a, b) + torch.xlogy(a - 1, value) - b * value - a.lgamma()

    def entropy(self):
        a, b = self.concentration, self.rate
        return a - b.log() + a.lgamma() + (1.0 - a) * a.digamma()

    def cdf(self, value):
        self._check_sample(value)
        return torch.special.gammainc(self.concentration, self.rate * value)

    @property
    def _natural_params(self):
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x, y):
        return torch.lgamma(x + 1) + (x + 1) * torch.log(-y.reciprocal())
