"""The Weibull distribution."""

from .._root import torch
from . import constraints
from .exponential import Exponential
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .utils import broadcast_all, euler_constant

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """The Weibull distribution of lifetimes.

    ``cdf = 1 - exp(-(x / scale) ** k)`` for x > 0, k = `concentration`. Mean scale * Gamma(1 + 1 / k),
    variance ``scale ** 2 * (Gamma(1 + 2 / k) - Gamma(1 + 1 / k) ** 2)``.

    Args:
        scale (Tensor or float): scale, above zero.
        concentration (Tensor or float): shape parameter k, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> weibull = torch.distributions.Weibull(torch.tensor([2.0]), torch.tensor([1.0]))
        >>> weibull.mean
        tensor([2.])
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive
    _expanded = {"scale": 0, "concentration": 0}

    def __init__(
        self, scale: torch.Tensor | float, concentration: torch.Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        base = Exponential(torch.ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, self._make_transforms(), validate_args=validate_args)

    def _make_transforms(self):
        self.concentration_reciprocal = self.concentration.reciprocal()
        return [
            PowerTransform(exponent=self.concentration_reciprocal),
            AffineTransform(loc=0, scale=self.scale),
        ]

    def _finish_expand(self, new, batch_shape) -> None:
        super()._finish_expand(new, batch_shape)
        new.transforms = new._make_transforms()

    @property
    def mean(self) -> torch.Tensor:
        return self.scale * torch.exp(torch.lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self) -> torch.Tensor:
        inner = (self.concentration - 1) / self.concentration
        return self.scale * inner ** self.concentration.reciprocal()

    @property
    def variance(self) -> torch.Tensor:
        second = torch.exp(torch.lgamma(1 + 2 * self.concentration_reciprocal))
        return self.scale.pow(2) * (second - torch.exp(2 * torch.lgamma(1 + self.concentration_reciprocal)))

    def entropy(self):
        reciprocal = self.concentration_reciprocal
        return euler_constant * (1 - reciprocal) + torch.log(self.scale * reciprocal) + 1
