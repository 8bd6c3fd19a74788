"""The continuous Bernoulli distribution."""

import math

from .._method_copies import copy_under_name
from .._root import torch
from . import constraints
from ._parameters import BinaryProbsOrLogits, check_one_given
from .exp_family import ExponentialFamily
from .utils import broadcast_all, clamp_probs, evaluate_polynomial, lazy_property, log_odds, logits_to_probs

__all__ = ["ContinuousBernoulli"]


# The Taylor series around p = 1/2, in powers of (p - 1/2) ** 2.
_LOG_NORM_SERIES = (math.log(2.0), 4.0 / 3.0, 104.0 / 45.0)
_MEAN_SERIES = (1.0 / 3.0, 16.0 / 45.0)
_VARIANCE_SERIES = (1.0 / 12.0, -1.0 / 15.0, 128.0 / 945.0)


def _switch_near_half(x, limits, closed, near):
    """Returns `closed(x)` outside the limits and `near(x)` between them; `closed` gets only arguments outside, for
    gradients."""
    is_outside = (x <= limits[0]) | (x > limits[1])
    outside = torch.where(is_outside, x, limits[0] * torch.ones_like(x))
    return torch.where(is_outside, closed(outside), near(x))


class ContinuousBernoulli(BinaryProbsOrLogits, ExponentialFamily):
    """The continuous Bernoulli distribution on [0, 1].

    Density ``C(p) * p ** x * (1 - p) ** (1 - x)`` (Loaiza-Ganem and Cunningham 2019). p is no
    probability. C, mean and variance are singular at p = 1/2; inside `lims` Taylor expansions replace
    them.

    Args:
        probs (Tensor or float, optional): parameter p, in (0, 1).
        logits (Tensor or float, optional): ``log(p / (1 - p))``; instead of `probs`.
        lims (tuple of float): bounds of p between which expansions are used. Default:
            ``(0.499, 0.501)``.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> half = torch.distributions.ContinuousBernoulli(torch.tensor([0.5]))  # uniform
        >>> half.mean, half.variance
        (tensor([0.5000]), tensor([0.0833]))
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    _mean_carrier_measure = 0
    has_rsample = True
    _expanded = {"probs": 0, "logits": 0}
    sample = copy_under_name(ExponentialFamily.sample, "ContinuousBernoulli.sample")

    def __init__(
        self,
        probs: torch.Tensor | int | float | bool | None = None,
        logits: torch.Tensor | int | float | bool | None = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        check_one_given(probs, logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
            if validate_args is not None and not self.arg_constraints["probs"].check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self._param = self.probs = clamp_probs(self.probs)
        else:
            (self.logits,) = broadcast_all(logits)
            self._param = self.logits
        self._lims = lims
        super().__init__(self._param.size(), validate_args=validate_args)

    def _finish_expand(self, new, batch_shape) -> None:
        super()._finish_expand(new, batch_shape)
        new._lims = self._lims

    @lazy_property
    def probs(self) -> torch.Tensor:
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _evaluate_away_from_half(self, closed, near):
        """Returns `closed(p)`, or `near(p)` between the limits, around the removable singularity at p = 1/2."""
        return _switch_near_half(self.probs, self._lims, closed, near)

    def _cont_bern_log_norm(self):
        def closed_form(p):
            # Returns the log of |log odds| / |1 - 2 p|; each branch of the denominator gets only arguments in its
            # domain.
            is_low, is_high = p <= 0.5, p >= 0.5
            low = torch.log1p(-2.0 * torch.where(is_low, p, torch.zeros_like(p)))
            high = torch.log(2.0 * torch.where(is_high, p, torch.ones_like(p)) - 1.0)
            return log_odds(p).abs().log() - torch.where(is_low, low, high)

        return self._evaluate_away_from_half(
            closed_form, lambda p: evaluate_polynomial((p - 0.5).pow(2), _LOG_NORM_SERIES)
        )

    @property
    def mean(self) -> torch.Tensor:
        def taylor_series(p):
            x = p - 0.5
            return 0.5 + evaluate_polynomial(x.pow(2), _MEAN_SERIES) * x

        return self._evaluate_away_from_half(lambda p: p / (2.0 * p - 1.0) - 1.0 / log_odds(p), taylor_series)

    @property
    def stddev(self) -> torch.Tensor:
        return torch.sqrt(self.variance)

    @property
    def variance(self) -> torch.Tensor:
        return self._evaluate_away_from_half(
            lambda p: p * (p - 1.0) / (1.0 - 2.0 * p).pow(2) + 1.0 / log_odds(p).pow(2),
            lambda p: evaluate_polynomial((p - 0.5).pow(2), _VARIANCE_SERIES),
        )

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size()) -> torch.Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value):
        self._check_sample(value)
        logits, value = broadcast_all(self.logits, value)
        cross_entropy = torch.nn.functional.binary_cross_entropy_with_logits(logits, value, reduction="none")
        return -cross_entropy + self._cont_bern_log_norm()

    def cdf(self, value):
        self._check_sample(value)
        inside = self._evaluate_away_from_half(
            lambda p: (p**value * (1.0 - p) ** (1.0 - value) + p - 1.0) / (2.0 * p - 1.0), lambda p: value
        )
        not_below = torch.where(value <= 0.0, torch.zeros_like(value), inside)
        return torch.where(value >= 1.0, torch.ones_like(value), not_below)

    def icdf(self, value):
        def closed_form(p):
            return (torch.log1p(-p + value * (2.0 * p - 1.0)) - torch.log1p(-p)) / log_odds(p)

        return self._evaluate_away_from_half(closed_form, lambda p: value)

    def entropy(self):
        log_zero, log_one = torch.log1p(-self.probs), torch.log(self.probs)
        return self.mean * (log_zero - log_one) - self._cont_bern_log_norm() - log_zero

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        return _switch_near_half(
            x,
            [limit - 0.5 for limit in self._lims],
            lambda x: torch.special.expm1(x).abs().log() - x.abs().log(),
            lambda x: 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0,
        )
