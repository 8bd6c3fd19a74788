"""Constraints: the allowed values of a parameter or a sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._method_copies import copies_methods
from .._root import torch

__all__ = [
    "Constraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "independent",
    "integer_interval",
    "interval",
    "half_open_interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "MixtureSameFamilyConstraint",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_semidefinite",
    "positive_definite",
    "positive_integer",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]


def _with_event_dim(constraint, event_dim):
    """A constraint on events of at least so many dimensions."""
    extra = event_dim - constraint.event_dim
    return independent(constraint, extra) if extra > 0 else constraint


def _require_condition(condition, message) -> None:
    if not condition:
        raise AssertionError(message)


class Constraint:
    """Base class of constraints: regions that contain the valid values of a parameter or a sample.

    Attributes:
        is_discrete (bool): whether the region is discrete.
        event_dim (int): how many last dimensions are checked together.

    Example:
        >>> torch.distributions.constraints.positive.check(torch.tensor([-1.0, 2.0]))
        tensor([False,  True])
    """

    is_discrete = False
    event_dim = 0

    def check(self, value):
        """Checks which events satisfy the constraint.

        Args:
            value (Tensor): values, with the event in the last `event_dim` dimensions.

        Returns:
            Tensor: bool, without the event dimensions.
        """
        raise NotImplementedError

    def __repr__(self):
        return self.__class__.__name__[1:] + "()"


class _Dependent(Constraint):
    """A region that depends on other values, and so is known only for an object, not for its class.

    `dependent` represents such a region. A call returns one with more properties.

    Args:
        is_discrete (bool): whether the region is discrete, where that is known.
        event_dim (int): number of event dimensions, where that is known.

    Returns:
        Constraint: when called, such a constraint.

    Raises:
        ValueError: in `check`.
        NotImplementedError: when an attribute that is not known is read.

    Example:
        >>> torch.distributions.constraints.dependent(event_dim=1).event_dim
        1
    """

    def __init__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        self._is_discrete = is_discrete
        self._event_dim = event_dim
        super().__init__()

    @property
    def is_discrete(self) -> bool:
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self) -> int:
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, x):
        """Raises ValueError: whether `x` satisfies the constraint is unknown."""
        raise ValueError("Cannot determine validity of dependent constraint")


dependent = _Dependent()


def is_dependent(constraint):
    """Returns whether a constraint depends on other values.

    Args:
        constraint (Constraint): the constraint.

    Returns:
        bool: True for `dependent` and for dependent properties.

    Example:
        >>> c = torch.distributions.constraints
        >>> c.is_dependent(torch.distributions.Uniform.support), c.is_dependent(c.real)
        (True, False)
    """
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """A property for `support` and the like: computed for an object, a dependent constraint on its class.

    Args:
        fn (callable, optional): the getter; without one the result is a decorator.
        is_discrete (bool): whether the region is discrete, where that is known.
        event_dim (int): number of event dimensions, where that is known.

    Example:
        >>> c = torch.distributions.constraints
        >>> class Box:
        ...     @c.dependent_property(is_discrete=False, event_dim=0)
        ...     def support(self):
        ...         return c.interval(0.0, 2.0)
        >>> Box().support
        Interval(lower_bound=0.0, upper_bound=2.0)
        >>> Box.support.event_dim
        0
    """

    def __init__(
        self, fn: Callable[..., Any] | None = None, *, is_discrete: bool | None = NotImplemented,
        event_dim: int | None = NotImplemented,
    ) -> None:  # fmt: skip
        property.__init__(self, fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn: Callable[..., Any]) -> "_DependentProperty":
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


dependent_property = _DependentProperty


@copies_methods("__init__")
class _Wrapped(Constraint):
    """A constraint derived from another one."""

    def __init__(self, base_constraint):
        _require_condition(
            isinstance(base_constraint, Constraint),
            f"base_constraint must be a Constraint, got {type(base_constraint).__name__}",
        )
        self.base_constraint = base_constraint
        super().__init__()

    @property
    def is_discrete(self) -> bool:
        return self.base_constraint.is_discrete


class _IndependentConstraint(_Wrapped):
    """Makes the last batch dimensions of a constraint part of its events: all elements have to satisfy it.

    Args:
        base_constraint (Constraint): the constraint.
        reinterpreted_batch_ndims (int): how many batch dimensions become event dimensions.

    Raises:
        AssertionError: when an argument is not as required.
        ValueError: in `check`, when the value has too few dimensions.

    Example:
        >>> c = torch.distributions.constraints
        >>> c.independent(c.positive, 1).check(torch.tensor([[1.0, 2.0], [1.0, -2.0]]))
        tensor([ True, False])
    """

    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        super().__init__(base_constraint)
        _require_condition(
            isinstance(reinterpreted_batch_ndims, int),
            f"reinterpreted_batch_ndims must be an int, got {type(reinterpreted_batch_ndims).__name__}",
        )
        _require_condition(
            reinterpreted_batch_ndims >= 0, f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}"
        )
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def event_dim(self) -> int:
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value):
        result = self.base_constraint.check(value)
        if result.dim() < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        kept = result.dim() - self.reinterpreted_batch_ndims
        return result.reshape(result.shape[:kept] + (-1,)).all(-1)

    def __repr__(self):
        return f"{self.__class__.__name__[1:]}({repr(self.base_constraint)}, {self.reinterpreted_batch_ndims})"


independent = _IndependentConstraint


class MixtureSameFamilyConstraint(_Wrapped):
    """The region in the support of every component of a mixture.

    Args:
        base_constraint (Constraint): support of the components, which are its last batch dimension.

    Example:
        >>> c = torch.distributions.constraints
        >>> base = c.greater_than(torch.tensor([0.0, 1.0]))
        >>> c.MixtureSameFamilyConstraint(base).check(torch.tensor([0.5, 1.5]))
        tensor([False,  True])
    """

    @property
    def event_dim(self) -> int:
        return self.base_constraint.event_dim

    def check(self, value):
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return result.reshape(result.shape[: value.dim() - self.event_dim] + (-1,)).all(-1)

    def __repr__(self):
        return f"{self.__class__.__name__}({repr(self.base_constraint)})"


class _Boolean(Constraint):
    """The numbers 0 and 1."""

    is_discrete = True

    def check(self, value):
        return (value == 0) | (value == 1)


boolean = _Boolean()


class _OneHot(Constraint):
    """Vectors with a single 1 and zeros."""

    is_discrete = True
    event_dim = 1

    def check(self, value):
        return ((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)


one_hot = _OneHot()


class _Bounded(Constraint):
    """A constraint with bounds, which are its attributes."""

    def __repr__(self):
        bounds = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"{self.__class__.__name__[1:]}({bounds})"


@copies_methods("__init__")
class _Above(_Bounded):
    def __init__(self, lower_bound):
        self.lower_bound = lower_bound
        super().__init__()


@copies_methods("__init__")
class _Below(_Bounded):
    def __init__(self, upper_bound):
        self.upper_bound = upper_bound
        super().__init__()


@copies_methods("__init__")
class _Between(_Bounded):
    def __init__(self, lower_bound, upper_bound):
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        super().__init__()


class _IntegerInterval(_Between):
    """Integers from `lower_bound` to `upper_bound`, both included.

    Args:
        lower_bound (Tensor or int): smallest value.
        upper_bound (Tensor or int): largest value.

    Example:
        >>> interval = torch.distributions.constraints.integer_interval(0, 2)
        >>> interval.check(torch.tensor([2.0, 1.5, 3.0]))
        tensor([ True, False, False])
    """

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


integer_interval = _IntegerInterval


class _IntegerLessThan(_Below):
    """Integers of at most `upper_bound`.

    Args:
        upper_bound (Tensor or int): largest value.
    """

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (value <= self.upper_bound)


class _IntegerGreaterThan(_Above):
    """Integers of at least `lower_bound`.

    Args:
        lower_bound (Tensor or int): smallest value.
    """

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (value >= self.lower_bound)


nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)


class _Real(Constraint):
    """All numbers, infinities included, but not NaN."""

    def check(self, value):
        # Only NaN differs from itself.
        return value == value


real = _Real()
real_vector = independent(real, 1)


class _GreaterThan(_Above):
    """Numbers above `lower_bound`.

    Args:
        lower_bound (Tensor or float): bound, not included.

    Example:
        >>> torch.distributions.constraints.greater_than(1.0).check(torch.tensor([1.0, 2.0]))
        tensor([False,  True])
    """

    def check(self, value):
        return self.lower_bound < value


positive = _GreaterThan(0.0)
greater_than = _GreaterThan


class _GreaterThanEq(_Above):
    """Numbers of at least `lower_bound`.

    Args:
        lower_bound (Tensor or float): bound, included.

    Example:
        >>> torch.distributions.constraints.greater_than_eq(1.0).check(torch.tensor([0.0, 1.0]))
        tensor([False,  True])
    """

    def check(self, value):
        return self.lower_bound <= value


nonnegative = _GreaterThanEq(0.0)
greater_than_eq = _GreaterThanEq


class _LessThan(_Below):
    """Numbers below `upper_bound`.

    Args:
        upper_bound (Tensor or float): bound, not included.

    Example:
        >>> torch.distributions.constraints.less_than(1.0).check(torch.tensor([0.0, 1.0]))
        tensor([ True, False])
    """

    def check(self, value):
        return value < self.upper_bound


less_than = _LessThan


class _Interval(_Between):
    """Numbers from `lower_bound` to `upper_bound`, both included.

    Args:
        lower_bound (Tensor or float): smallest value.
        upper_bound (Tensor or float): largest value.

    Example:
        >>> torch.distributions.constraints.interval(0.0, 1.0).check(torch.tensor([1.0, 2.0]))
        tensor([ True, False])
    """

    def check(self, value):
        return (self.lower_bound <= value) & (value <= self.upper_bound)


unit_interval = _Interval(0.0, 1.0)
interval = _Interval


class _HalfOpenInterval(_Between):
    """Numbers from `lower_bound`, included, to `upper_bound`, not included.

    Args:
        lower_bound (Tensor or float): smallest value.
        upper_bound (Tensor or float): bound, not included.

    Example:
        >>> torch.distributions.constraints.half_open_interval(0.0, 1.0).check(torch.tensor([0.0, 1.0]))
        tensor([ True, False])
    """

    def check(self, value):
        return (self.lower_bound <= value) & (value < self.upper_bound)


half_open_interval = _HalfOpenInterval


class _Simplex(Constraint):
    """Vectors of nonnegative numbers whose sum is within 1e-6 of 1."""

    event_dim = 1

    def check(self, value):
        return torch.all(value >= 0, dim=-1) & ((value.sum(-1) - 1).abs() < 1e-6)


simplex = _Simplex()


class _Multinomial(Constraint):
    """Vectors of nonnegative counts whose sum is at most `upper_bound`.

    Args:
        upper_bound (int): largest sum.

    Example:
        >>> torch.distributions.constraints.multinomial(3).check(torch.tensor([[1.0, 2.0], [2.0, 2.0]]))
        tensor([ True, False])
    """

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound):
        self.upper_bound = upper_bound

    def check(self, x):
        """Checks which vectors satisfy the constraint.

        Args:
            x (Tensor): counts, vectors in the last dimension.

        Returns:
            Tensor: bool, without the last dimension.
        """
        return (x >= 0).all(dim=-1) & (x.sum(dim=-1) <= self.upper_bound)


multinomial = _Multinomial


def _is_lower_triangular(value):
    return (value.tril() == value).view(value.shape[:-2] + (-1,)).min(-1)[0]


class _LowerTriangular(Constraint):
    """Square lower triangular matrices."""

    event_dim = 2

    def check(self, value):
        return _is_lower_triangular(value)


lower_triangular = _LowerTriangular()


class _LowerCholesky(Constraint):
    """Square lower triangular matrices with a positive diagonal."""

    event_dim = 2

    def check(self, value):
        return _is_lower_triangular(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).min(-1)[0]


lower_cholesky = _LowerCholesky()


class _CorrCholesky(Constraint):
    """Cholesky factors of correlation matrices: lower triangular, positive diagonal, rows of length 1."""

    event_dim = 2

    def check(self, value):
        tolerance = torch.finfo(value.dtype).eps * value.size(-1) * 10
        length = torch.linalg.norm(value.detach(), dim=-1)
        return _LowerCholesky().check(value) & (length - 1.0).abs().le(tolerance).all(dim=-1)


corr_cholesky = _CorrCholesky()


class _Square(Constraint):
    """Square matrices."""

    event_dim = 2

    def check(self, value):
        return torch.full(
            size=value.shape[:-2],
            fill_value=value.shape[-2] == value.shape[-1],
            dtype=torch.bool,
            device=value.device,
        )


square = _Square()


class _Symmetric(_Square):
    """Symmetric matrices, with an absolute tolerance of 1e-6."""

    def check(self, value):
        square = super().check(value)
        return torch.isclose(value, value.mT, atol=1e-6).all(-2).all(-1) if square.all() else square


symmetric = _Symmetric()


class _PositiveSemidefinite(_Symmetric):
    """Symmetric matrices without negative eigenvalues."""

    def check(self, value):
        symmetric = super().check(value)
        return torch.linalg.eigvalsh(value).ge(0).all(-1) if symmetric.all() else symmetric


positive_semidefinite = _PositiveSemidefinite()


class _PositiveDefinite(_Symmetric):
    """Symmetric matrices that have a Cholesky decomposition."""

    def check(self, value):
        symmetric = super().check(value)
        return torch.linalg.cholesky_ex(value).info.eq(0) if symmetric.all() else symmetric


positive_definite = _PositiveDefinite()


@copies_methods("__init__")
class _Several(Constraint):
    """A constraint for each part along a dimension."""

    def __init__(self, cseq, dim=0):
        self.cseq = list(cseq)
        _require_condition(
            all(isinstance(part, Constraint) for part in self.cseq),
            "All elements of cseq must be Constraint instances",
        )
        self.dim = dim
        super().__init__()

    @property
    def is_discrete(self) -> bool:
        return any(part.is_discrete for part in self.cseq)

    def _check_dim(self, value):
        _require_condition(
            -value.dim() <= self.dim < value.dim(),
            f"dim {self.dim} out of range for value with {value.dim()} dimensions",
        )


class _Cat(_Several):
    """A constraint of its own for each part of a value along `dim`.

    Args:
        cseq (list of Constraint): one constraint per part.
        dim (int): dimension that is divided. Default: ``0``.
        lengths (list of int, optional): lengths of the parts. Default: 1 each.

    Raises:
        AssertionError: when the lengths do not fit.

    Example:
        >>> c = torch.distributions.constraints
        >>> c.cat([c.positive, c.real], lengths=[1, 2]).check(torch.tensor([-1.0, -1.0, 1.0]))
        tensor([False,  True,  True])
    """

    def __init__(self, cseq, dim=0, lengths=None):
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        _require_condition(
            len(self.lengths) == len(self.cseq), f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})"
        )

    @property
    def event_dim(self) -> int:
        return max(part.event_dim for part in self.cseq)

    def check(self, value):
        self._check_dim(value)
        checked, start = [], 0
        for part, length in zip(self.cseq, self.lengths):
            checked.append(part.check(value.narrow(self.dim, start, length)))
            start += length
        return torch.cat(checked, self.dim)


cat = _Cat


class _Stack(_Several):
    """A constraint of its own at each index of `dim`.

    Args:
        cseq (list of Constraint): one constraint per index.
        dim (int): dimension that is divided. Default: ``0``.

    Raises:
        AssertionError: when something else than constraints is given, or `dim` is out of range.

    Example:
        >>> c = torch.distributions.constraints
        >>> c.stack([c.positive, c.real]).check(torch.tensor([-1.0, -1.0]))
        tensor([False,  True])
    """

    @property
    def event_dim(self) -> int:
        dim = max(part.event_dim for part in self.cseq)
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value):
        self._check_dim(value)
        parts = [value.select(self.dim, index) for index in range(value.size(self.dim))]
        return torch.stack([own.check(part) for part, own in zip(parts, self.cseq)], self.dim)


stack = _Stack
