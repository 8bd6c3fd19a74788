"""The negative binomial distribution."""

from .._root import torch
from . import constraints
from ._parameters import BinaryProbsOrLogits
from .binomial import set_counted_param
from .distribution import Distribution
from .gamma import Gamma
from .utils import lazy_property

__all__ = ["NegativeBinomial"]


class NegativeBinomial(BinaryProbsOrLogits, Distribution):
    """The negative binomial distribution: number of successes before `total_count` failures.

    ``P(k) = Gamma(r + k) / (k! * Gamma(r)) * (1 - p) ** r * p ** k`` with r = `total_count`, any
    nonnegative number. Mean r * p / (1 - p), variance mean / (1 - p).

    Args:
        total_count (Tensor or float): number of failures r, at least 0.
        probs (Tensor or float, optional): probability p of success, in [0, 1).
        logits (Tensor or float, optional): log odds; instead of `probs`.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> negative = torch.distributions.NegativeBinomial(2, torch.tensor([0.5]))
        >>> negative.mean, negative.variance
        (tensor([2.]), tensor([4.]))
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer
    _expanded = {"total_count": 0, "probs": 0, "logits": 0}

    def __init__(
        self,
        total_count: torch.Tensor | float,
        probs: torch.Tensor | None = None,
        logits: torch.Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        set_counted_param(self, total_count, probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    @property
    def mean(self) -> torch.Tensor:
        return self.total_count * torch.exp(self.logits)

    @property
    def mode(self) -> torch.Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> torch.Tensor:
        return self.mean / torch.sigmoid(-self.logits)

    @lazy_property
    def _gamma(self) -> Gamma:
        return Gamma(concentration=self.total_count, rate=torch.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            return torch.poisson(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value):
        self._check_sample(value)
        log_sigmoid = torch.nn.functional.logsigmoid
        unnormalized = self.total_count * log_sigmoid(-self.logits) + value * log_sigmoid(self.logits)
        normalizer = (
            -torch.lgamma(self.total_count + value) + torch.lgamma(1.0 + value) + torch.lgamma(self.total_count)
        )
        # If total_count is 0, the value 0 has probability 1.
        return unnormalized - normalizer.masked_fill(self.total_count + value == 0.0, 0.0)
