"""The uniform distribution."""

from .._root import torch
from . import constraints
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["Uniform"]


class Uniform(Distribution):
    """The uniform distribution on [low, high).

    Density ``1 / (high - low)``; mean (low + high) / 2, variance (high - low) ** 2 / 12, mode NaN.

    Args:
        low (Tensor or float): lower bound, in the range.
        high (Tensor or float): upper bound, above `low`, not in the range.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> uniform = torch.distributions.Uniform(torch.tensor([0.0]), torch.tensor([4.0]))
        >>> uniform.mean, uniform.cdf(torch.tensor([1.0]))
        (tensor([2.]), tensor([0.2500]))
    """

    has_rsample = True
    _expanded = {"low": 0, "high": 0}

    @property
    def arg_constraints(self):
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    def __init__(
        self, low: torch.Tensor | float, high: torch.Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.size(), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> torch.Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> torch.Tensor:
        return torch.nan * self.high

    @property
    def stddev(self) -> torch.Tensor:
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> torch.Tensor:
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size()) -> torch.Tensor:
        shape = self._extended_shape(sample_shape)
        drawn = torch.rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value):
        self._check_sample(value)
        inside = self.low.le(value).type_as(self.low) * self.high.gt(value).type_as(self.low)
        return torch.log(inside) - torch.log(self.high - self.low)

    def cdf(self, value):
        self._check_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value):
        return value * (self.high - self.low) + self.low

    def entropy(self):
        return torch.log(self.high - self.low)
