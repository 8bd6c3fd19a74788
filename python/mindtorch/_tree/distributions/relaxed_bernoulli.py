"""The Bernoulli distribution relaxed to the unit interval (Concrete distribution)."""

from .._root import torch
from . import constraints
from ._parameters import BinaryProbsOrLogits, OverRelaxed
from .distribution import Distribution
from .transformed_distribution import TransformedDistribution
from .transforms import SigmoidTransform
from .utils import broadcast_all, clamp_probs, log_odds

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(BinaryProbsOrLogits, Distribution):
    """The logit of a relaxed Bernoulli: ``(logits + log(u / (1 - u))) / temperature`` for uniform u.

    It is a logistic distribution of scale 1 / temperature (Maddison, Mnih and Teh 2017).

    Args:
        temperature (Tensor): temperature, above zero.
        probs (Tensor or float, optional): probability of 1, in [0, 1].
        logits (Tensor or float, optional): log odds, ``log(p / (1 - p))``; instead of `probs`.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> from torch.distributions.relaxed_bernoulli import LogitRelaxedBernoulli
        >>> relaxed = LogitRelaxedBernoulli(torch.tensor([1.0]), torch.tensor([0.5]))
        >>> relaxed.log_prob(torch.tensor([0.0])).exp()
        tensor([0.2500])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real
    _expanded = {"probs": 0, "logits": 0}

    def __init__(
        self,
        temperature: torch.Tensor,
        probs: torch.Tensor | int | float | bool | None = None,
        logits: torch.Tensor | int | float | bool | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        self._set_param(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    def _finish_expand(self, new, batch_shape) -> None:
        super()._finish_expand(new, batch_shape)
        new.temperature = self.temperature

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size()) -> torch.Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        noise = log_odds(clamp_probs(torch.rand(shape, dtype=probs.dtype, device=probs.device)))
        return (noise + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value):
        self._check_sample(value)
        logits, value = broadcast_all(self.logits, value)
        difference = logits - value.mul(self.temperature)
        return self.temperature.log() + difference - 2 * difference.exp().log1p()


class RelaxedBernoulli(OverRelaxed, TransformedDistribution):
    """The Bernoulli distribution relaxed to (0, 1), with draws that have gradients.

    Draws are ``sigmoid((logits + log(u / (1 - u))) / temperature)`` for uniform u (Maddison, Mnih and
    Teh 2017, Jang, Gu and Poole 2017); they approach 0 and 1 as the temperature falls.

    Args:
        temperature (Tensor): temperature, above zero.
        probs (Tensor or float, optional): probability of 1, in [0, 1].
        logits (Tensor or float, optional): log odds, ``log(p / (1 - p))``; instead of `probs`.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> relaxed = torch.distributions.RelaxedBernoulli(torch.tensor([0.5]), torch.tensor([0.3]))
        >>> relaxed.rsample((4,)).shape
        torch.Size([4, 1])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _expanded = {}

    def __init__(
        self,
        temperature: torch.Tensor,
        probs: torch.Tensor | int | float | bool | None = None,
        logits: torch.Tensor | int | float | bool | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)
