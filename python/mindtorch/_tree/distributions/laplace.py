"""The Laplace distribution."""

from .._root import torch
from . import constraints
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["Laplace"]


class Laplace(Distribution):
    """The Laplace (double exponential) distribution.

    Density ``exp(-|x - loc| / scale) / (2 * scale)``; mean, median and mode loc, variance
    2 * scale ** 2.

    Args:
        loc (Tensor or float): location.
        scale (Tensor or float): scale, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> laplace = torch.distributions.Laplace(torch.tensor([0.0]), torch.tensor([1.0]))
        >>> laplace.variance, laplace.cdf(torch.tensor([0.0]))
        (tensor([2.]), tensor([0.5000]))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _expanded = {"loc": 0, "scale": 0}

    def __init__(
        self, loc: torch.Tensor | float, scale: torch.Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mean(self) -> torch.Tensor:
        return self.loc

    @property
    def mode(self) -> torch.Tensor:
        return self.loc

    @property
    def variance(self) -> torch.Tensor:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> torch.Tensor:
        return (2**0.5) * self.scale

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size()) -> torch.Tensor:
        # Excludes -1, where the logarithm is infinite.
        eps = torch.finfo(self.loc.dtype).eps
        u = self.loc.new(self._extended_shape(sample_shape)).uniform_(eps - 1, 1)
        return self.loc - self.scale * u.sign() * torch.log1p(-u.abs())

    def log_prob(self, value):
        self._check_sample(value)
        return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale

    def cdf(self, value):
        self._check_sample(value)
        distance = value - self.loc
        return 0.5 - 0.5 * distance.sign() * torch.expm1(-distance.abs() / self.scale)

    def icdf(self, value):
        term = value - 0.5
        return self.loc - self.scale * term.sign() * torch.log1p(-2 * term.abs())

    def entropy(self):
        return 1 + torch.log(2 * self.scale)
