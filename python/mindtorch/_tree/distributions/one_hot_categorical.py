"""The categorical distribution over one-hot vectors."""

from .._root import torch
from . import constraints
from ._parameters import OverCategorical, align_with_batch
from .categorical import Categorical
from .distribution import Distribution

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(OverCategorical, Distribution):
    """The categorical distribution over one-hot vectors of length K.

    Mean p, variance p * (1 - p) per element. Values are floats of the parameter's dtype.

    Args:
        probs (Tensor, optional): nonnegative weights ``(*, K)``; divided by their sum.
        logits (Tensor, optional): unnormalised log probabilities ``(*, K)``; instead of `probs`.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> vectors = torch.distributions.OneHotCategorical(torch.tensor([0.25, 0.75]))
        >>> vectors.log_prob(torch.tensor([0.0, 1.0])).exp()
        tensor(0.7500)
        >>> vectors.enumerate_support()
        tensor([[1., 0.],
                [0., 1.]])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True
    _expanded = {"_categorical": 0}

    def __init__(
        self, probs: torch.Tensor | None = None, logits: torch.Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    @property
    def _param(self):
        return self._categorical._param

    def _one_hot(self, indices):
        return torch.nn.functional.one_hot(indices, self._categorical._num_events).to(self.probs)

    @property
    def mean(self) -> torch.Tensor:
        return self.probs

    @property
    def mode(self) -> torch.Tensor:
        return self._one_hot(self.probs.argmax(dim=-1))

    @property
    def variance(self) -> torch.Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=torch.Size()):
        return self._one_hot(self._categorical.sample(torch.Size(sample_shape)))

    def log_prob(self, value):
        self._check_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        corners = torch.eye(*self.event_shape, dtype=self._param.dtype, device=self._param.device)
        return align_with_batch(corners, self.batch_shape, expand)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """A `OneHotCategorical` whose draws pass gradients straight through to the probabilities.

    `rsample` returns a one-hot draw plus ``probs - probs.detach()``: its value is one-hot, its gradient
    that of `probs` (Bengio, Leonard and Courville 2013); a biased estimate.

    Args:
        probs (Tensor, optional): nonnegative weights ``(*, K)``; divided by their sum.
        logits (Tensor, optional): unnormalised log probabilities ``(*, K)``; instead of `probs`.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> probs = torch.tensor([0.25, 0.75], requires_grad=True)
        >>> draw = torch.distributions.OneHotCategoricalStraightThrough(probs).rsample()
        >>> (draw * torch.tensor([1.0, 2.0])).sum().backward()
        >>> probs.grad
        tensor([-0.7500,  0.2500])
    """

    has_rsample = True

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size()) -> torch.Tensor:
        """Draws one-hot vectors that have the gradient of `probs`.

        Args:
            sample_shape (torch.Size): how many draws, as a shape. Default: one, ``torch.Size([])``.

        Returns:
            Tensor: draws of shape ``sample_shape + batch_shape + (K,)``.
        """
        return self.sample(sample_shape) + (self.probs - self.probs.detach())
