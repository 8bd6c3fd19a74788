"""The inverse gamma distribution."""

from .._root import torch
from . import constraints
from .gamma import Gamma
from .transformed_distribution import TransformedDistribution
from .transforms import PowerTransform

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """The inverse gamma distribution: 1 / x for x of Gamma(concentration, rate).

    Density ``rate ** a / Gamma(a) * x ** (-a - 1) * exp(-rate / x)`` for x > 0, a = `concentration`.
    Mean rate / (a - 1), infinite for a <= 1; variance ``rate ** 2 / ((a - 1) ** 2 * (a - 2))``,
    infinite for a <= 2; mode rate / (a + 1).

    Args:
        concentration (Tensor or float): shape parameter a, above zero.
        rate (Tensor or float): scale of the result, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> inverse = torch.distributions.InverseGamma(torch.tensor([3.0]), torch.tensor([4.0]))
        >>> inverse.mean, inverse.mode
        (tensor([2.]), tensor([1.]))
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _expanded = {}

    def __init__(
        self, concentration: torch.Tensor | float, rate: torch.Tensor | float, validate_args: bool | None = None
    ) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    @property
    def concentration(self) -> torch.Tensor:
        return self.base_dist.concentration

    @property
    def rate(self) -> torch.Tensor:
        return self.base_dist.rate

    @property
    def mean(self) -> torch.Tensor:
        return torch.where(self.concentration > 1, self.rate / (self.concentration - 1), torch.inf)

    @property
    def mode(self) -> torch.Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> torch.Tensor:
        finite = self.rate.square() / ((self.concentration - 1).square() * (self.concentration - 2))
        return torch.where(self.concentration > 2, finite, torch.inf)

    def entropy(self):
        return (
            self.concentration
            + self.rate.log()
            + self.concentration.lgamma()
            - (1 + self.concentration) * self.concentration.digamma()
        )
