"""The log-normal distribution."""

from .._root import torch
from . import constraints
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform

__all__ = ["LogNormal"]


class LogNormal(TransformedDistribution):
    """The log-normal distribution: exp(x) for x of Normal(loc, scale).

    Mean exp(loc + scale ** 2 / 2), variance ``(exp(scale ** 2) - 1) * exp(2 * loc + scale ** 2)``, mode
    exp(loc - scale ** 2); support x > 0.

    Args:
        loc (Tensor or float): mean of the logarithm.
        scale (Tensor or float): standard deviation of the logarithm, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> log_normal = torch.distributions.LogNormal(torch.tensor([0.0]), torch.tensor([1.0]))
        >>> log_normal.mean, log_normal.cdf(torch.tensor([1.0]))
        (tensor([1.6487]), tensor([0.5000]))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _expanded = {}

    def __init__(
        self, loc: torch.Tensor | float, scale: torch.Tensor | float, validate_args: bool | None = None
    ) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    @property
    def loc(self) -> torch.Tensor:
        return self.base_dist.loc

    @property
    def scale(self) -> torch.Tensor:
        return self.base_dist.scale

    @property
    def mean(self) -> torch.Tensor:
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> torch.Tensor:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> torch.Tensor:
        scale_sq = self.scale.pow(2)
        return scale_sq.expm1() * (2 * self.loc + scale_sq).exp()

    def entropy(self):
        return self.base_dist.entropy() + self.loc
