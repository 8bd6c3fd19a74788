"""The binomial distribution."""

from .._root import torch
from . import constraints
from ._parameters import BinaryProbsOrLogits, check_one_given, enumerate_integers
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["Binomial"]


def _clamp_by_zero(x):
    """Returns max(x, 0) with gradient 1/2 at 0, which a symmetric formula needs."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


def set_counted_param(self, total_count, probs, logits):
    """Broadcasts the count with the given one of probs and logits."""
    check_one_given(probs, logits)
    name, given = ("logits", logits) if probs is None else ("probs", probs)
    self.total_count, self._param = broadcast_all(total_count, given)
    setattr(self, name, self._param)
    self.total_count = self.total_count.type_as(self._param)


class Binomial(BinaryProbsOrLogits, Distribution):
    """The binomial distribution: number of successes in `total_count` independent trials.

    ``P(k) = C(n, k) * p ** k * (1 - p) ** (n - k)``; mean n * p, variance n * p * (1 - p).
    `entropy` and `enumerate_support` need the same n in the whole batch.

    Args:
        total_count (Tensor or int): number of trials n. Default: ``1``.
        probs (Tensor or float, optional): probability of success, in [0, 1].
        logits (Tensor or float, optional): log odds; instead of `probs`.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> binomial = torch.distributions.Binomial(2, torch.tensor([0.5]))
        >>> binomial.log_prob(torch.tensor([1.0])).exp()
        tensor([0.5000])
        >>> binomial.mean
        tensor([1.])
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True
    _expanded = {"total_count": 0, "probs": 0, "logits": 0}

    def __init__(
        self,
        total_count: torch.Tensor | int = 1,
        probs: torch.Tensor | None = None,
        logits: torch.Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        set_counted_param(self, total_count, probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> torch.Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> torch.Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> torch.Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=torch.Size()):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value):
        self._check_sample(value)
        count = self.total_count
        # Returns count * log(1 + exp(logits)), without overflow.
        normalizer = count * _clamp_by_zero(self.logits) + count * torch.log1p(torch.exp(-torch.abs(self.logits)))
        return (
            value * self.logits
            - torch.lgamma(value + 1)
            - torch.lgamma(count - value + 1)
            - (normalizer - torch.lgamma(count + 1))
        )

    def _common_total_count(self, caller) -> int:
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{caller}`.")
        return count

    def entropy(self):
        self._common_total_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand=True):
        count = self._common_total_count("enumerate_support")
        return enumerate_integers(1 + count, self._param, self._batch_shape, expand)
