"""The beta distribution."""

from .._root import torch
from . import constraints
from .dirichlet import Dirichlet
from .exp_family import ExponentialFamily
from .utils import are_all_numbers, broadcast_all

__all__ = ["Beta"]


class Beta(ExponentialFamily):
    """The beta distribution on [0, 1].

    Density ``x ** (a - 1) * (1 - x) ** (b - 1) / B(a, b)`` with a = `concentration1` and
    b = `concentration0`. Mean a / (a + b), variance a * b / ((a + b) ** 2 * (a + b + 1)).

    Args:
        concentration1 (Tensor or float): exponent at 1 plus one, above zero.
        concentration0 (Tensor or float): exponent at 0 plus one, above zero.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when a parameter is out of its range, or a value is outside the support (unless
            validation is off).

    Example:
        >>> beta = torch.distributions.Beta(torch.tensor([2.0]), torch.tensor([1.0]))
        >>> beta.log_prob(torch.tensor([0.5])).exp()  # 2 * x
        tensor([1.])
        >>> beta.mean
        tensor([0.6667])
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True
    _expanded = {"_dirichlet": 0}

    def __init__(
        self, concentration1: torch.Tensor | float, concentration0: torch.Tensor | float,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        if are_all_numbers(concentration1, concentration0):
            both = torch.tensor([float(concentration1), float(concentration0)])
        else:
            both = torch.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    @property
    def concentration1(self) -> torch.Tensor:
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> torch.Tensor:
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self) -> torch.Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> torch.Tensor:
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> torch.Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = ()) -> torch.Tensor:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value):
        self._check_sample(value)
        return self._dirichlet.log_prob(torch.stack([value, 1.0 - value], -1))

    def entropy(self):
        return self._dirichlet.entropy()

    @property
    def _natural_params(self):
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x, y):
        return torch.lgamma(x) + torch.lgamma(y) - torch.lgamma(x + y)
