"""The half-Cauchy distribution."""

import math

from .._root import torch
from .cauchy import Cauchy
from .half_normal import _Folded
from .transforms import AbsTransform

__all__ = ["HalfCauchy"]


class HalfCauchy(_Folded):
    """The half-Cauchy distribution: the absolute value of a Cauchy with location 0.

    Density ``2 / (pi * scale * (1 + (x / scale) ** 2))`` for x >= 0; mean and variance are infinite.

    Args:
        scale (Tensor or float): scale, above zero; the median.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> half = torch.distributions.HalfCauchy(torch.tensor([1.0]))
        >>> half.cdf(torch.tensor([1.0]))
        tensor([0.5000])
    """

    _expanded = {}

    def __init__(self, scale: torch.Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self) -> torch.Tensor:
        return torch.full(self._extended_shape(), math.inf, dtype=self.scale.dtype, device=self.scale.device)

    @property
    def variance(self) -> torch.Tensor:
        return self.base_dist.variance

    def log_prob(self, value):
        return super().log_prob(torch.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device))
