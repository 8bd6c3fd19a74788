"""The geometric distribution: failures before the first success."""

from .._root import torch
from . import constraints
from ._parameters import BinaryProbsOrLogits
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["Geometric"]


class Geometric(BinaryProbsOrLogits, Distribution):
    """The geometric distribution: number of failures before the first success.

    ``P(k) = (1 - p) ** k * p`` for k = 0, 1, ...; mean 1 / p - 1, variance (1 / p - 1) / p.

    Args:
        probs (Tensor or float, optional): probability p of success, in (0, 1].
        logits (Tensor or float, optional): log odds; instead of `probs`.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> geometric = torch.distributions.Geometric(torch.tensor([0.25]))
        >>> geometric.mean
        tensor([3.])
        >>> geometric.log_prob(torch.tensor([1.0])).exp()
        tensor([0.1875])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer
    _expanded = {"probs": 0, "logits": 0}

    def __init__(
        self,
        probs: torch.Tensor | int | float | bool | None = None,
        logits: torch.Tensor | int | float | bool | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._set_param(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)
        if self._validate_args and probs is not None:
            # If success is impossible, there is no finite number of failures.
            value = self.probs
            valid = value > 0
            if not valid.all():
                raise ValueError(
                    f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{repr(self)} to be positive but found invalid values:\n{value.data[~valid]}"
                )

    @property
    def mean(self) -> torch.Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> torch.Tensor:
        return torch.zeros_like(self.probs)

    @property
    def variance(self) -> torch.Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape=torch.Size()):
        tiny = torch.finfo(self.probs.dtype).tiny
        with torch.no_grad():
            u = self.probs.new(self._extended_shape(sample_shape)).uniform_(tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value):
        self._check_sample(value)
        failures, success = broadcast_all(value, self.probs)
        # If success is certain there are no failures: 0 * log(0) counts as 0.
        success = success.masked_fill((success == 1) & (failures == 0), 0)
        return failures * torch.log1p(-success) + self.probs.log()

    def entropy(self):
        functional = torch.nn.functional
        return functional.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
