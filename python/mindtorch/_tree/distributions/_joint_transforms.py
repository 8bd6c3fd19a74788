"""Transforms that apply others to parts of a value, and the one that a distribution defines."""

from __future__ import annotations

from collections.abc import Sequence

from .._method_copies import copies_methods
from .._root import torch
from . import constraints
from ._transform import Transform, _make_forwarding_property, _with_caches
from .utils import _sum_rightmost, lazy_property


def _require(condition, message) -> None:
    if not condition:
        raise AssertionError(message)


@copies_methods("__init__")
class _Joint(Transform):
    """Several transforms, one for each part along `dim`."""

    transforms: list[Transform]

    def __init__(self, tseq, dim: int = 0, cache_size: int = 0) -> None:
        _require(all(isinstance(part, Transform) for part in tseq), "All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = list(_with_caches(tseq, cache_size))
        self.dim = dim

    @property
    def bijective(self) -> bool:
        return all(part.bijective for part in self.transforms)

    def _check_dim_and_size(self, value, name, size, size_text):
        what = "tensor" if name in ("x", "y") else name
        _require(
            -value.dim() <= self.dim < value.dim(),
            f"dim {self.dim} out of range for {what} with {value.dim()} dimensions",
        )
        _require(
            value.size(self.dim) == size,
            f"{name}.size({self.dim}) = {value.size(self.dim)} must equal {size_text} {size}",
        )


class CatTransform(_Joint):
    """Applies a transform of its own to each part of a value along `dim`.

    Args:
        tseq (list of Transform): one transform per part.
        dim (int): dimension that is divided. Default: ``0``.
        lengths (list of int, optional): lengths of the parts. Default: 1 each.
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Raises:
        AssertionError: when the lengths do not fit the transforms or the value.

    Example:
        >>> d = torch.distributions
        >>> f = d.CatTransform([d.ExpTransform(), d.AffineTransform(1.0, 1.0)], lengths=[1, 2])
        >>> f(torch.zeros(3))
        tensor([1., 1., 1.])
    """

    _arguments = ("transforms", "dim", "lengths")

    def __init__(
        self, tseq: Sequence[torch.distributions.transforms.Transform], dim: int = 0,
        lengths: Sequence[int] | None = None, cache_size: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        _require(
            len(self.lengths) == len(self.transforms),
            f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})",
        )

    @lazy_property
    def event_dim(self) -> int:
        return max(part.event_dim for part in self.transforms)

    @lazy_property
    def length(self) -> int:
        return sum(self.lengths)

    def _split_value(self, value, name):
        self._check_dim_and_size(value, name, self.length, "length")
        start = 0
        for length in self.lengths:
            yield value.narrow(self.dim, start, length)
            start += length

    def _call(self, x):
        mapped = [part(piece) for part, piece in zip(self.transforms, self._split_value(x, "x"))]
        return torch.cat(mapped, dim=self.dim)

    def _inverse(self, y):
        mapped = [part.inv(piece) for part, piece in zip(self.transforms, self._split_value(y, "y"))]
        return torch.cat(mapped, dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        terms = []
        for part, before, after in zip(self.transforms, self._split_value(x, "x"), self._split_value(y, "y")):
            term = part.log_abs_det_jacobian(before, after)
            if part.event_dim < self.event_dim:
                term = _sum_rightmost(term, self.event_dim - part.event_dim)
            terms.append(term)
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        # Sums over a dimension inside the event; keeps a dimension outside it.
        return torch.cat(terms, dim=dim) if dim < 0 else sum(terms)

    @constraints.dependent_property
    def domain(self):
        return constraints.cat([part.domain for part in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self):
        return constraints.cat([part.codomain for part in self.transforms], self.dim, self.lengths)


class StackTransform(_Joint):
    """Applies a transform of its own at each index of `dim`.

    Args:
        tseq (list of Transform): one transform per index.
        dim (int): dimension that is divided. Default: ``0``.
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Raises:
        AssertionError: when the size of `dim` is not the number of transforms.

    Example:
        >>> d = torch.distributions
        >>> f = d.StackTransform([d.ExpTransform(), d.AffineTransform(2.0, 1.0)], dim=1)
        >>> f(torch.zeros(2, 2))
        tensor([[1., 2.],
                [1., 2.]])
    """

    _arguments = ("transforms", "dim")

    def _split_value(self, value, name):
        self._check_dim_and_size(value, name, len(self.transforms), "len(transforms)")
        return [value.select(self.dim, index) for index in range(value.size(self.dim))]

    def _call(self, x):
        mapped = [part(piece) for part, piece in zip(self.transforms, self._split_value(x, "x"))]
        return torch.stack(mapped, dim=self.dim)

    def _inverse(self, y):
        mapped = [part.inv(piece) for part, piece in zip(self.transforms, self._split_value(y, "y"))]
        return torch.stack(mapped, dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        triples = zip(self.transforms, self._split_value(x, "x"), self._split_value(y, "y"))
        terms = [part.log_abs_det_jacobian(before, after) for part, before, after in triples]
        return torch.stack(terms, dim=self.dim)

    @constraints.dependent_property
    def domain(self):
        return constraints.stack([part.domain for part in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self):
        return constraints.stack([part.codomain for part in self.transforms], self.dim)


class CumulativeDistributionTransform(Transform):
    """Maps values of a distribution to uniform ones by its cdf.

    Inverse is the distribution's `icdf`, log-determinant its `log_prob`.

    Args:
        distribution (Distribution): a distribution of numbers with `cdf` and `icdf`.
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Example:
        >>> d = torch.distributions
        >>> f = d.CumulativeDistributionTransform(d.Normal(0.0, 1.0))
        >>> f(torch.tensor([0.0])), f.inv(torch.tensor([0.5]))
        (tensor([0.5000]), tensor([0.]))
    """

    bijective, sign = True, 1
    codomain = constraints.unit_interval
    domain, _call, _inverse = map(
        _make_forwarding_property, ("distribution.support", "distribution.cdf", "distribution.icdf")
    )
    _arguments = ("distribution",)

    def __init__(self, distribution: torch.distributions.distribution.Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    def log_abs_det_jacobian(self, x, y):
        return self.distribution.log_prob(x)
