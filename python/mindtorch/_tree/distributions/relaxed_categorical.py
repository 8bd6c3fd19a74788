"""The categorical distribution relaxed to the simplex (Concrete distribution)."""

from .._root import torch
from . import constraints
from ._parameters import OverCategorical, OverRelaxed
from .categorical import Categorical
from .distribution import Distribution
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform
from .utils import broadcast_all, clamp_probs

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


def _log_normalize(scores):
    return scores - scores.logsumexp(dim=-1, keepdim=True)


class ExpRelaxedCategorical(OverCategorical, Distribution):
    """The logarithm of a relaxed one-hot categorical: log shares whose exponentials sum to 1.

    Draws are ``log_softmax((logits + g) / temperature)`` with Gumbel noise g (Maddison, Mnih and Teh
    2017, appendix C.3).

    Args:
        temperature (Tensor): temperature, above zero.
        probs (Tensor, optional): nonnegative weights ``(*, K)``; divided by their sum.
        logits (Tensor, optional): unnormalised log probabilities ``(*, K)``; instead of `probs`.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> from torch.distributions.relaxed_categorical import ExpRelaxedCategorical
        >>> relaxed = ExpRelaxedCategorical(torch.tensor(1.0), torch.tensor([0.5, 0.5]))
        >>> torch.allclose(relaxed.rsample().exp().sum(), torch.tensor(1.0))
        True
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True
    _expanded = {"_categorical": 0}

    def __init__(
        self,
        temperature: torch.Tensor,
        probs: torch.Tensor | None = None,
        logits: torch.Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def _finish_expand(self, new, batch_shape) -> None:
        new.temperature = self.temperature

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size()) -> torch.Tensor:
        shape = self._extended_shape(sample_shape)
        u = clamp_probs(torch.rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        return _log_normalize((self.logits - (-(u.log())).log()) / self.temperature)

    def log_prob(self, value):
        self._check_sample(value)
        logits, value = broadcast_all(self.logits, value)
        shares = _log_normalize(logits - value * self.temperature).sum(-1)
        # log((K - 1)! * temperature ** (K - 1)) does not depend on the value.
        count = self._categorical._num_events
        log_factorial = torch.full_like(self.temperature, float(count)).lgamma()
        return shares + (log_factorial + (count - 1) * self.temperature.log())


class RelaxedOneHotCategorical(OverRelaxed, TransformedDistribution):
    """The one-hot categorical relaxed to a simplex (Gumbel softmax), with draws that have gradients.

    Draws are ``softmax((logits + g) / temperature)`` with Gumbel noise g (Jang, Gu and Poole 2017,
    Maddison, Mnih and Teh 2017); they approach one-hot vectors as the temperature falls.

    Args:
        temperature (Tensor): temperature, above zero.
        probs (Tensor, optional): nonnegative weights ``(*, K)``; divided by their sum.
        logits (Tensor, optional): unnormalised log probabilities ``(*, K)``; instead of `probs`.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> relaxed = torch.distributions.RelaxedOneHotCategorical(
        ...     torch.tensor(0.5), torch.tensor([0.25, 0.75])
        ... )
        >>> torch.allclose(relaxed.rsample().sum(), torch.tensor(1.0))
        True
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True
    _expanded = {}

    def __init__(
        self,
        temperature: torch.Tensor,
        probs: torch.Tensor | None = None,
        logits: torch.Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)
