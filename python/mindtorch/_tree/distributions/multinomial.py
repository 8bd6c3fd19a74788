"""The multinomial distribution."""

import math

from .._root import torch
from . import constraints
from ._parameters import OverCategorical
from .binomial import Binomial
from .categorical import Categorical
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["Multinomial"]


class Multinomial(OverCategorical, Distribution):
    """The multinomial distribution: counts per category in `total_count` independent draws.

    ``P(n) = total_count! / prod(n_i!) * prod(p_i ** n_i)``; mean N * p, variance N * p * (1 - p).
    `log_prob` takes counts of any sum up to `total_count` and uses their own sum as N.

    Args:
        total_count (int): number of draws N, one for the whole batch. Default: ``1``.
        probs (Tensor, optional): nonnegative weights ``(*, K)``; divided by their sum.
        logits (Tensor, optional): unnormalised log probabilities ``(*, K)``; instead of `probs`.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        NotImplementedError: when `total_count` is no int.
        ValueError: when a parameter or value is out of its range.

    Example:
        >>> counts = torch.distributions.Multinomial(2, torch.tensor([0.5, 0.5]))
        >>> counts.log_prob(torch.tensor([1.0, 1.0])).exp()
        tensor(0.5000)
        >>> counts.sample().sum()
        tensor(2.)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int
    _expanded = {"_categorical": 0}

    def __init__(
        self, total_count: int = 1, probs: torch.Tensor | None = None, logits: torch.Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def _finish_expand(self, new, batch_shape) -> None:
        new.total_count = self.total_count

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self):
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> torch.Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> torch.Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=torch.Size()):
        sample_shape = torch.Size(sample_shape)
        drawn = self._categorical.sample(torch.Size((self.total_count,)) + sample_shape)
        drawn = drawn.permute(*range(1, drawn.dim()), 0)
        counts = drawn.new(self._extended_shape(sample_shape)).zero_()
        counts.scatter_add_(-1, drawn, torch.ones_like(drawn))
        return counts.type_as(self.probs)

    def entropy(self):
        count = torch.tensor(self.total_count)
        support = self._binomial.enumerate_support(expand=False)[1:]
        weights = torch.exp(self._binomial.log_prob(support)) * torch.lgamma(support + 1)
        return count * self._categorical.entropy() - torch.lgamma(count + 1) + weights.sum([0, -1])

    def log_prob(self, value):
        self._check_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone(memory_format=torch.contiguous_format)
        logits[(value == 0) & (logits == -math.inf)] = 0
        arrangements = torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1)
        return arrangements + (logits * value).sum(-1)
