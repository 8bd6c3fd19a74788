"""The Cauchy distribution."""

import math

from .._root import torch
from . import constraints
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["Cauchy"]


class Cauchy(Distribution):
    """The Cauchy (Lorentz) distribution.

    Density ``1 / (pi * scale * (1 + ((x - loc) / scale) ** 2))``. It has no mean (NaN), and its
    variance is infinite; `loc` is the median and the mode.

    Args:
        loc (Tensor or float): median.
        scale (Tensor or float): half width at half maximum, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> cauchy = torch.distributions.Cauchy(torch.tensor([0.0]), torch.tensor([1.0]))
        >>> cauchy.cdf(torch.tensor([1.0]))
        tensor([0.7500])
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

    def _full_of_value(self, value):
        return torch.full(self._extended_shape(), value, dtype=self.loc.dtype, device=self.loc.device)

    @property
    def mean(self) -> torch.Tensor:
        return self._full_of_value(math.nan)

    @property
    def mode(self) -> torch.Tensor:
        return self.loc

    @property
    def variance(self) -> torch.Tensor:
        return self._full_of_value(math.inf)

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size()) -> torch.Tensor:
        return self.loc + self.loc.new(self._extended_shape(sample_shape)).cauchy_() * self.scale

    def log_prob(self, value):
        self._check_sample(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value):
        self._check_sample(value)
        return torch.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value):
        return torch.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self):
        return math.log(4 * math.pi) + self.scale.log()
