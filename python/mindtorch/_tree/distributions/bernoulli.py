"""The Bernoulli distribution."""

from .._root import torch
from . import constraints
from ._parameters import BinaryProbsOrLogits, enumerate_integers
from .exp_family import ExponentialFamily
from .utils import broadcast_all

__all__ = ["Bernoulli"]


class Bernoulli(BinaryProbsOrLogits, ExponentialFamily):
    """The Bernoulli distribution: 1 with probability `probs`, else 0.

    Mean p, variance p * (1 - p); the mode is NaN where p is 1/2. Values are floats.

    Args:
        probs (Tensor or float, optional): probability of 1, in [0, 1].
        logits (Tensor or float, optional): log odds, ``log(p / (1 - p))``; instead of `probs`.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> coin = torch.distributions.Bernoulli(torch.tensor([0.25]))
        >>> coin.log_prob(torch.tensor([1.0])).exp()
        tensor([0.2500])
        >>> coin.mean, coin.variance
        (tensor([0.2500]), tensor([0.1875]))
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0
    _expanded = {"probs": 0, "logits": 0}

    def __init__(
        self,
        probs: torch.Tensor | int | float | bool | None = None,
        logits: torch.Tensor | int | float | bool | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._set_param(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    @property
    def mean(self) -> torch.Tensor:
        return self.probs

    @property
    def mode(self) -> torch.Tensor:
        mode = (self.probs >= 0.5).to(self.probs)
        mode[self.probs == 0.5] = torch.nan
        return mode

    @property
    def variance(self) -> torch.Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        self._check_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -torch.nn.functional.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        return torch.nn.functional.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand=True):
        return enumerate_integers(2, self._param, self._batch_shape, expand)

    @property
    def _natural_params(self):
        return (torch.logit(self.probs),)

    def _log_normalizer(self, x):
        return torch.log1p(torch.exp(x))
