"""The categorical distribution over one-hot vectors."""

from .._root import torch
from . import constraints
from ._parameters import OverCategorical
from .categorical import Categorical
from .distribution import Distribution

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(OverCategorical, Distribution):
    """A Categorical whose samples are one-hot vectors."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True
    _expanded = {"_categorical": 0}

    def __init__(self, probs=None, logits=None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(
            self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args
        )

    @property
    def _param(self):
        return self._categorical._param

    def _one_hot(self, indices):
        return torch.nn.functional.one_hot(indices, self._categorical._num_events).to(self.probs)

    @property
    def mean(self):
        return self.probs

    @property
    def mode(self):
        return self._one_hot(self.probs.argmax(dim=-1))

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=torch.Size()):
        return self._one_hot(self._categorical.sample(torch.Size(sample_shape)))

    def log_prob(self, value):
        self._check_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        count = self.event_shape[0]
        values = torch.eye(count, dtype=self._param.dtype, device=self._param.device)
        values = values.view((count,) + (1,) * len(self.batch_shape) + (count,))
        return values.expand((count,) + self.batch_shape + (count,)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """Samples that pass their gradient on to the probabilities."""

    has_rsample = True

    def rsample(self, sample_shape=torch.Size()):
        """One-hot samples with the gradient of `probs` (Bengio et al. 2013)."""
        return self.sample(sample_shape) + (self.probs - self.probs.detach())
