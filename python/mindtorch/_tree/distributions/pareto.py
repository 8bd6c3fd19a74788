"""The Pareto distribution."""

from __future__ import annotations

from .._root import torch
from . import constraints
from .exponential import Exponential
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, ExpTransform
from .utils import broadcast_all

__all__ = ["Pareto"]


class Pareto(TransformedDistribution):
    """The Pareto distribution, with a power-law tail.

    ``cdf = 1 - (scale / x) ** alpha`` for x >= scale. Mean alpha * scale / (alpha - 1), infinite for
    alpha <= 1; variance ``scale ** 2 * alpha / ((alpha - 1) ** 2 * (alpha - 2))``, infinite for
    alpha <= 2; mode scale.

    Args:
        scale (Tensor or float): lower bound, above zero.
        alpha (Tensor or float): exponent of the tail, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> pareto = torch.distributions.Pareto(torch.tensor([1.0]), torch.tensor([2.0]))
        >>> pareto.mean, pareto.cdf(torch.tensor([2.0]))
        (tensor([2.]), tensor([0.7500]))
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(
        self, scale: torch.Tensor | float, alpha: torch.Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape: torch.Size | list[int] | tuple[int, ...], _instance: Pareto | None = None) -> Pareto:
        new = self._get_checked_instance(Pareto, _instance)
        new.scale = self.scale.expand(batch_shape)
        new.alpha = self.alpha.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    @property
    def mean(self) -> torch.Tensor:
        # The mean is infinite for alpha up to 1.
        alpha = self.alpha.clamp(min=1)
        return alpha * self.scale / (alpha - 1)

    @property
    def mode(self) -> torch.Tensor:
        return self.scale

    @property
    def variance(self) -> torch.Tensor:
        alpha = self.alpha.clamp(min=2)
        return self.scale.pow(2) * alpha / ((alpha - 1).pow(2) * (alpha - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> torch.distributions.constraints.Constraint:
        return constraints.greater_than_eq(self.scale)

    def entropy(self) -> torch.Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())
