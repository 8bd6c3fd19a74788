"""The Dirichlet distribution."""

from .._root import torch
from ..autograd.function import Function, once_differentiable
from . import constraints
from .exp_family import ExponentialFamily

__all__ = ["Dirichlet"]


def _Dirichlet_backward(x, concentration, grad_output):
    # x must stay on the simplex, so the gradient's component that would change the sum of x is removed.
    along = grad_output - torch.sum(grad_output * x, dim=-1, keepdim=True)
    totals = torch.broadcast_to(torch.sum(concentration, dim=-1, keepdim=True), concentration.shape)
    return along * torch._dirichlet_grad(x, concentration, totals)


class _Dirichlet(Function):
    @staticmethod
    def forward(ctx, concentration):
        x = torch._sample_dirichlet(concentration)
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        return _Dirichlet_backward(*ctx.saved_tensors, grad_output)


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution over points of a simplex.

    Density proportional to ``prod(x_i ** (a_i - 1))``, normalised by
    ``Gamma(sum(a)) / prod(Gamma(a_i))``. Mean a_i / s with s = sum(a), variance
    ``a_i * (s - a_i) / (s ** 2 * (s + 1))``.

    Args:
        concentration (Tensor): parameters a ``(*, K)``, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> dirichlet = torch.distributions.Dirichlet(torch.tensor([1.0, 1.0, 2.0]))
        >>> dirichlet.mean
        tensor([0.2500, 0.2500, 0.5000])
        >>> dirichlet.event_shape
        torch.Size([3])
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    _expanded = {"concentration": 1}

    def __init__(self, concentration: torch.Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = ()) -> torch.Tensor:
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        self._check_sample(value)
        a = self.concentration
        return torch.xlogy(a - 1.0, value).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    @property
    def mean(self) -> torch.Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> torch.Tensor:
        weights = (self.concentration - 1).clamp(min=0.0)
        inner = weights / weights.sum(-1, True)
        # If all concentrations are below 1, the density has its poles in the corners.
        corner = torch.nn.functional.one_hot(inner.argmax(-1), inner.shape[-1]).to(inner)
        return torch.where((self.concentration < 1).all(-1, keepdim=True), corner, inner)

    @property
    def variance(self) -> torch.Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self):
        a, total = self.concentration, self.concentration.sum(-1)
        log_beta = self._log_normalizer(a)
        return log_beta + (total - a.size(-1)) * total.digamma() - ((a - 1.0) * a.digamma()).sum(-1)

    @property
    def _natural_params(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return x.lgamma().sum(-1) - torch.lgamma(x.sum(-1))
