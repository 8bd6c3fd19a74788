"""The categorical distribution."""

from .._root import torch
from . import constraints
from ._parameters import check_one_given, enumerate_integers
from .distribution import Distribution
from .utils import lazy_property, logits_to_probs, probs_to_logits

__all__ = ["Categorical"]


def _at_least_vector(name, value):
    if value.dim() < 1:
        raise ValueError(f"`{name}` parameter must be at least one-dimensional.")


class Categorical(Distribution):
    """The categorical distribution over 0 .. K - 1.

    The last dimension of the parameter is K, the others are the batch. Samples are int64 indices. Mean
    and variance are NaN, the mode is the first most probable index. `probs` is normalised; `logits` is
    shifted to log probabilities.

    Args:
        probs (Tensor, optional): nonnegative weights ``(*, K)``; divided by their sum.
        logits (Tensor, optional): unnormalised log probabilities ``(*, K)``; instead of `probs`.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> die = torch.distributions.Categorical(torch.tensor([1.0, 1.0, 2.0]))
        >>> die.probs
        tensor([0.2500, 0.2500, 0.5000])
        >>> die.log_prob(torch.tensor(2)).exp()
        tensor(0.5000)
        >>> _ = torch.manual_seed(0)
        >>> die.sample((2, 3)).shape
        torch.Size([2, 3])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _expanded = {"probs": 1, "logits": 1}

    def __init__(
        self, probs: torch.Tensor | None = None, logits: torch.Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        check_one_given(probs, logits)
        if probs is not None:
            _at_least_vector("probs", probs)
            self._param = self.probs = probs / probs.sum(-1, keepdim=True)
        else:
            _at_least_vector("logits", logits)
            self._param = self.logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1], validate_args=validate_args)

    def _finish_expand(self, new, batch_shape) -> None:
        new._param = new.probs if "probs" in self.__dict__ else new.logits
        new._num_events = self._num_events

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> torch.Tensor:
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> torch.Tensor:
        return logits_to_probs(self.logits)

    @property
    def param_shape(self) -> "torch.Size":
        return self._param.size()

    @property
    def mean(self) -> torch.Tensor:
        # Categories have no mean.
        return torch.full(self._extended_shape(), torch.nan, dtype=self.probs.dtype, device=self.probs.device)

    @property
    def mode(self) -> torch.Tensor:
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> torch.Tensor:
        return torch.full(self._extended_shape(), torch.nan, dtype=self.probs.dtype, device=self.probs.device)

    def sample(self, sample_shape=torch.Size()):
        sample_shape = torch.Size(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        drawn = torch.multinomial(rows, sample_shape.numel(), True).T
        return drawn.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value):
        self._check_sample(value)
        value = value.long().unsqueeze(-1)
        value, log_pmf = torch.broadcast_tensors(value, self.logits)
        return log_pmf.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        # Impossible categories have logit -inf, and 0 * -inf is NaN.
        logits = torch.clamp(self.logits, min=torch.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        count = self._num_events
        values = torch.arange(count, dtype=torch.long, device=self._param.device)
        return enumerate_integers(count, values, self._batch_shape, expand)
