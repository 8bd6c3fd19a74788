"""The logistic-normal distribution on a simplex."""

from .._root import torch
from . import constraints
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .transforms import StickBreakingTransform

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """The logistic-normal distribution: independent normals mapped to a simplex by stick breaking.

    K - 1 numbers x of Normal(loc, scale) become K shares by `StickBreakingTransform`.

    Args:
        loc (Tensor or float): means ``(*, K - 1)``.
        scale (Tensor or float): standard deviations, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> simplex = torch.distributions.LogisticNormal(torch.zeros(3), torch.ones(3))
        >>> simplex.event_shape
        torch.Size([4])
        >>> torch.allclose(simplex.sample().sum(), torch.tensor(1.0))
        True
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True
    _expanded = {}

    def __init__(
        self, loc: torch.Tensor | float, scale: torch.Tensor | float, validate_args: bool | None = None
    ) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> torch.Tensor:
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> torch.Tensor:
        return self.base_dist.base_dist.scale
