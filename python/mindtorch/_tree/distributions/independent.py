"""Independent: treats batch dimensions of a distribution as event dimensions."""

from typing import Generic, TypeVar

from .._root import torch
from . import constraints
from .distribution import Distribution
from .utils import _sum_rightmost

__all__ = ["Independent"]

D = TypeVar("D", bound=Distribution)


class Independent(Distribution, Generic[D]):
    """Makes the last batch dimensions of a distribution part of its events.

    `log_prob` and `entropy` then sum over these dimensions; samples keep their shape. A diagonal
    normal over vectors is ``Independent(Normal(loc, scale), 1)``.

    Args:
        base_distribution (Distribution): the distribution.
        reinterpreted_batch_ndims (int): how many batch dimensions become event dimensions.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Raises:
        ValueError: when the batch has fewer dimensions.

    Example:
        >>> base = torch.distributions.Normal(torch.zeros(2, 3), torch.ones(2, 3))
        >>> vectors = torch.distributions.Independent(base, 1)
        >>> vectors.batch_shape, vectors.event_shape
        (torch.Size([2]), torch.Size([3]))
        >>> vectors.log_prob(torch.zeros(2, 3)).shape
        torch.Size([2])
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    base_dist: D

    def __init__(self, base_distribution: D, reinterpreted_batch_ndims: int, validate_args: bool | None = None) -> None:
        if reinterpreted_batch_ndims > len(base_distribution.batch_shape):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {len(base_distribution.batch_shape)}"
            )
        shape = base_distribution.batch_shape + base_distribution.event_shape
        cut = len(base_distribution.batch_shape) - reinterpreted_batch_ndims
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    _expanded = {}

    def _finish_expand(self, new, batch_shape) -> None:
        new.base_dist = self.base_dist.expand(batch_shape + self.event_shape[: self.reinterpreted_batch_ndims])
        new.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims

    @property
    def has_rsample(self) -> bool:
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:
        return self.reinterpreted_batch_ndims == 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self):
        support = self.base_dist.support
        if self.reinterpreted_batch_ndims:
            support = constraints.independent(support, self.reinterpreted_batch_ndims)
        return support

    @property
    def mean(self) -> torch.Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> torch.Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> torch.Tensor:
        return self.base_dist.variance

    def sample(self, sample_shape=torch.Size()) -> torch.Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = torch.Size()) -> torch.Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value):
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self):
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand=True):
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self):
        return f"{self.__class__.__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
