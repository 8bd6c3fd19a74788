"""Student's t-distribution."""

import math

from .._root import torch
from . import constraints
from .chi2 import Chi2
from .distribution import Distribution
from .utils import _standard_normal, broadcast_all

__all__ = ["StudentT"]


class StudentT(Distribution):
    """Student's t-distribution, shifted and scaled: ``loc + scale * t``.

    Density of z = (x - loc) / scale proportional to ``(1 + z ** 2 / df) ** (-(df + 1) / 2)``. Mean loc,
    NaN for df <= 1; variance ``scale ** 2 * df / (df - 2)``, infinite for 1 < df <= 2, NaN for df <= 1.

    Args:
        df (Tensor or float): degrees of freedom, above zero.
        loc (Tensor or float): location. Default: ``0.0``.
        scale (Tensor or float): scale, above zero. Default: ``1.0``.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> t = torch.distributions.StudentT(torch.tensor([4.0]))
        >>> t.variance
        tensor([2.])
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _expanded = {"df": 0, "loc": 0, "scale": 0}

    def __init__(
        self,
        df: torch.Tensor | float,
        loc: torch.Tensor | float = 0.0,
        scale: torch.Tensor | float = 1.0,
        validate_args: bool | None = None,
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    def _finish_expand(self, new, batch_shape) -> None:
        new._chi2 = self._chi2.expand(batch_shape)

    @property
    def mean(self) -> torch.Tensor:
        return torch.where(self.df <= 1, torch.full_like(self.loc, math.nan), self.loc)

    @property
    def mode(self) -> torch.Tensor:
        return self.loc

    @property
    def variance(self) -> torch.Tensor:
        result = self.df.clone(memory_format=torch.contiguous_format)
        finite = self.df > 2
        result[finite] = self.scale[finite].pow(2) * self.df[finite] / (self.df[finite] - 2)
        result[(self.df <= 2) & (self.df > 1)] = math.inf
        result[self.df <= 1] = math.nan
        return result

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size()) -> torch.Tensor:
        shape = self._extended_shape(sample_shape)
        normal = _standard_normal(shape, dtype=self.df.dtype, device=self.df.device)
        chi2 = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (normal * torch.rsqrt(chi2 / self.df))

    def _half_degrees_of_freedom(self):
        return 0.5 * self.df, 0.5 * (self.df + 1.0)

    def log_prob(self, value):
        self._check_sample(value)
        z = (value - self.loc) / self.scale
        log_width = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
        half, above = self._half_degrees_of_freedom()
        return -0.5 * (self.df + 1.0) * torch.log1p(z**2.0 / self.df) - (log_width + half.lgamma() - above.lgamma())

    def entropy(self):
        half, above = self._half_degrees_of_freedom()
        log_beta = torch.lgamma(half) + math.lgamma(0.5) - torch.lgamma(above)
        return self.scale.log() + above * (torch.digamma(above) - torch.digamma(half)) + 0.5 * self.df.log() + log_beta
