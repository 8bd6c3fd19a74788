"""The Fisher-Snedecor (F) distribution."""

import math

from .._root import torch
from . import constraints
from .distribution import Distribution
from .gamma import Gamma
from .utils import broadcast_all

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The F distribution of Fisher and Snedecor: ``(X / df1) / (Y / df2)`` for two chi-squared X and Y.

    Support x > 0. Mean df2 / (df2 - 2), NaN for df2 <= 2; variance
    ``2 * df2 ** 2 * (df1 + df2 - 2) / (df1 * (df2 - 2) ** 2 * (df2 - 4))``, NaN for df2 <= 4.

    Args:
        df1 (Tensor or float): degrees of freedom of the numerator, above zero.
        df2 (Tensor or float): degrees of freedom of the denominator, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> f = torch.distributions.FisherSnedecor(torch.tensor([1.0]), torch.tensor([4.0]))
        >>> f.mean
        tensor([2.])
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _expanded = {"df1": 0, "df2": 0}

    def __init__(self, df1: torch.Tensor | float, df2: torch.Tensor | float, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        # Each distribution gives half of a chi-squared sample divided by its degrees of freedom; the halves cancel in
        # the quotient.
        self._gamma1, self._gamma2 = (Gamma(0.5 * df, df) for df in (self.df1, self.df2))
        super().__init__(self.df1.size(), validate_args=validate_args)

    def _finish_expand(self, new, batch_shape) -> None:
        new._gamma1 = self._gamma1.expand(batch_shape)
        new._gamma2 = self._gamma2.expand(batch_shape)

    def _df2_or_nan_up_to(self, bound):
        df2 = self.df2.clone(memory_format=torch.contiguous_format)
        df2[df2 <= bound] = math.nan
        return df2

    @property
    def mean(self) -> torch.Tensor:
        df2 = self._df2_or_nan_up_to(2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> torch.Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = math.nan
        return mode

    @property
    def variance(self) -> torch.Tensor:
        df2 = self._df2_or_nan_up_to(4)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size(())) -> torch.Tensor:
        shape = self._extended_shape(sample_shape)
        numerator = self._gamma1.rsample(sample_shape).view(shape)
        denominator = self._gamma2.rsample(sample_shape).view(shape)
        tiny = torch.finfo(denominator.dtype).tiny
        denominator.clamp_(min=tiny)
        return (numerator / denominator).clamp_(min=tiny)

    def log_prob(self, value):
        self._check_sample(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        constant = (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma()
        growth = half1 * ratio.log() + (half1 - 1) * torch.log(value)
        return constant + growth - (half1 + half2) * torch.log1p(ratio * value)
