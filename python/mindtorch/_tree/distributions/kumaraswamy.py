"""The Kumaraswamy distribution."""

from .._root import torch
from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .uniform import Uniform
from .utils import broadcast_all, euler_constant

__all__ = ["Kumaraswamy"]


def _moments(a, b, n):
    """Returns the n-th moment: b * Beta(1 + n / a, b)."""
    first = 1 + n / a
    return b * torch.exp(torch.lgamma(first) + torch.lgamma(b) - torch.lgamma(first + b))


class Kumaraswamy(TransformedDistribution):
    """The Kumaraswamy distribution on [0, 1], similar to a beta but with a closed cdf.

    ``cdf = 1 - (1 - x ** a) ** b`` with a = `concentration1` and b = `concentration0`. The n-th
    moment is ``b * B(1 + n / a, b)``.

    Args:
        concentration1 (Tensor or float): exponent a, above zero.
        concentration0 (Tensor or float): exponent b, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> k = torch.distributions.Kumaraswamy(torch.tensor([2.0]), torch.tensor([1.0]))
        >>> k.cdf(torch.tensor([0.5]))  # x ** 2
        tensor([0.2500])
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True
    _expanded = {"concentration1": 0, "concentration0": 0}

    def __init__(
        self, concentration1: torch.Tensor | float, concentration0: torch.Tensor | float,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        self.concentration1, self.concentration0 = a, b = broadcast_all(concentration1, concentration0)
        # Samples by the inverse of the cdf, 1 - (1 - x ** a) ** b. If u is uniform, so is 1 - u, which saves a
        # subtraction.
        steps = [PowerTransform(b.reciprocal()), AffineTransform(1.0, -1.0), PowerTransform(a.reciprocal())]
        uniform = Uniform(torch.zeros_like(b), torch.ones_like(b), validate_args=validate_args)
        super().__init__(uniform, steps, validate_args=validate_args)

    @property
    def mean(self) -> torch.Tensor:
        return _moments(self.concentration1, self.concentration0, 1)

    @property
    def mode(self) -> torch.Tensor:
        a, b = self.concentration1, self.concentration0
        log_mode = torch.log1p(-b) * b.reciprocal() - torch.log1p(-b * a)
        return log_mode.masked_fill((a < 1) | (b < 1), torch.nan).exp()

    @property
    def variance(self) -> torch.Tensor:
        return _moments(self.concentration1, self.concentration0, 2) - torch.pow(self.mean, 2)

    def entropy(self):
        harmonic = torch.digamma(self.concentration0 + 1) + euler_constant
        return (
            (1 - self.concentration0.reciprocal())
            + (1 - self.concentration1.reciprocal()) * harmonic
            - torch.log(self.concentration1)
            - torch.log(self.concentration0)
        )
