"""Distribution: the base class, with shapes, validation and expansion of parameters."""

import warnings
from typing import Any

from .._method_copies import copy_under_name
from .._root import torch
from ..utils._deprecated import deprecated
from . import constraints
from .utils import lazy_property

__all__ = ["Distribution"]

_SCALAR = torch.Size()


class Distribution:
    """Base class of probability distributions: a batch of independent ones over events of one shape.

    Parameters broadcast to `batch_shape`; one draw of one distribution has `event_shape` (empty for
    numbers). Samples have the shape ``sample_shape + batch_shape + event_shape``; `log_prob` takes
    values that broadcast with ``batch_shape + event_shape`` and drops the event dimensions.

    A subclass defines `arg_constraints`, `support`, `log_prob`, and `rsample` (reparametrised draws,
    with gradients) or `sample`, and others as far as they exist in closed form.

    Args:
        batch_shape (torch.Size): shape of the batch. Default: ``torch.Size([])``.
        event_shape (torch.Size): shape of one event. Default: ``torch.Size([])``.
        validate_args (bool, optional): checks parameters, and values given to methods. Default: on,
            unless Python runs with -O.

    Attributes:
        has_rsample (bool): whether `rsample` exists.
        has_enumerate_support (bool): whether `enumerate_support` exists.

    Raises:
        ValueError: when a parameter does not satisfy its constraint.

    Example:
        >>> normal = torch.distributions.Normal(torch.zeros(3), 1.0)
        >>> normal.batch_shape, normal.event_shape
        (torch.Size([3]), torch.Size([]))
        >>> normal.sample((5,)).shape
        torch.Size([5, 3])
        >>> normal.log_prob(torch.tensor(0.0))
        tensor([-0.9189, -0.9189, -0.9189])
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    # Subclasses that set this get an `expand`. It names the tensors and distributions to expand, each with the number
    # of last dimensions (for a distribution: batch dimensions) that do not change.
    _expanded: dict[str, int]

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Switches the checks of parameters and values on or off for all distributions made from now on.

        Checks cost time; they are on at first, unless Python runs with -O.

        Args:
            value (bool): whether to check.
        """
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: "torch.Size" = _SCALAR, event_shape: "torch.Size" = _SCALAR,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        self._batch_shape, self._event_shape = batch_shape, event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()
        super().__init__()

    def _validate_parameters(self) -> None:
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                "initialize the distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        for name, constraint in arg_constraints.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                # A lazy property is derived from another parameter, which is checked itself.
                continue
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{repr(self)} to satisfy the constraint {repr(constraint)}, but found invalid values:\n{value}"
                )

    def __init_subclass__(cls, **kwargs) -> None:
        super().__init_subclass__(**kwargs)
        if "_expanded" in vars(cls):
            cls.expand = copy_under_name(_expand_parameters, f"{cls.__qualname__}.expand")

    def expand(self, batch_shape: torch.Size | list[int] | tuple[int, ...], _instance=None):
        """Returns the same distributions with parameters expanded to a larger batch, without copies.

        Args:
            batch_shape (torch.Size): the new batch shape, which the old one broadcasts to.
            _instance (Distribution, optional): a new object to fill, for subclasses with their own
                `expand`.

        Returns:
            Distribution: of the same type, its parameters views of these.

        Raises:
            NotImplementedError: when a subclass has its own `__init__` and no `expand`.
        """
        raise NotImplementedError

    def _finish_expand(self, new, batch_shape) -> None:
        """Copies all attributes to `new`; parameters are expanded to `batch_shape`."""

    @property
    def batch_shape(self) -> "torch.Size":
        """The shape of the batch of independent distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> "torch.Size":
        """The shape of one sample of one distribution; empty for numbers."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        """The constraints of the parameters, a dict by name."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The constraint that all values of the distribution satisfy."""
        raise NotImplementedError

    @property
    def mean(self) -> "torch.Tensor":
        """The expected value, of shape ``batch_shape + event_shape``."""
        raise NotImplementedError

    @property
    def mode(self) -> "torch.Tensor":
        """The most probable value, of shape ``batch_shape + event_shape``; NaN if there is none."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> "torch.Tensor":
        """The variance of each element, of shape ``batch_shape + event_shape``."""
        raise NotImplementedError

    @property
    def stddev(self) -> "torch.Tensor":
        """The standard deviation of each element, the square root of `variance`."""
        return self.variance.sqrt()

    def sample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = _SCALAR) -> "torch.Tensor":
        """Draws values, without gradients.

        Args:
            sample_shape (torch.Size): how many draws, as a shape. Default: one, ``torch.Size([])``.

        Returns:
            Tensor: draws of shape ``sample_shape + batch_shape + event_shape``.
        """
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = _SCALAR) -> "torch.Tensor":
        """Draws values that are differentiable functions of the parameters (reparametrised draws).

        Args:
            sample_shape (torch.Size): how many draws, as a shape. Default: one, ``torch.Size([])``.

        Returns:
            Tensor: draws of shape ``sample_shape + batch_shape + event_shape``.

        Raises:
            NotImplementedError: when the distribution has no such form (see `has_rsample`).
        """
        raise NotImplementedError

    @deprecated("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.")
    def sample_n(self, n: int) -> "torch.Tensor":
        """Draws `n` values; deprecated: use ``sample((n,))``.

        Args:
            n (int): number of draws.

        Returns:
            Tensor: draws of shape ``(n,) + batch_shape + event_shape``.
        """
        return self.sample(torch.Size((n,)))

    def log_prob(self, value: torch.Tensor) -> "torch.Tensor":
        """Computes the logarithm of the density, or of the probability of a discrete value.

        Args:
            value (Tensor): values in the support, broadcast with ``batch_shape + event_shape``.

        Returns:
            Tensor: one number per event.

        Raises:
            ValueError: when a value is outside the support or does not broadcast (unless validation is
                off).
        """
        raise NotImplementedError

    def cdf(self, value: torch.Tensor) -> "torch.Tensor":
        """Computes the probability of a draw of at most `value`.

        Args:
            value (Tensor): values in the support.

        Returns:
            Tensor: probabilities, in [0, 1].
        """
        raise NotImplementedError

    def icdf(self, value: torch.Tensor) -> "torch.Tensor":
        """Computes quantiles, the inverse of `cdf`.

        Args:
            value (Tensor): probabilities, in [0, 1].

        Returns:
            Tensor: values x with ``cdf(x) == value``.
        """
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> "torch.Tensor":
        """Lists all values of a discrete distribution, along a new first dimension.

        Args:
            expand (bool): repeats the values for the whole batch; otherwise batch dimensions have size 1.
                Default: ``True``.

        Returns:
            Tensor: values of shape ``(number of values,) + batch_shape + event_shape``.

        Raises:
            NotImplementedError: when the support is infinite or differs within the batch.
        """
        raise NotImplementedError

    def entropy(self) -> "torch.Tensor":
        """Computes the entropy, ``-E[log_prob(x)]``, in nats.

        Returns:
            Tensor: of shape `batch_shape`.
        """
        raise NotImplementedError

    def perplexity(self) -> "torch.Tensor":
        """Computes the exponential of the entropy.

        Returns:
            Tensor: of shape `batch_shape`.
        """
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape=_SCALAR) -> "torch.Size":
        return torch.Size(torch.Size(sample_shape) + self._batch_shape + self._event_shape)

    def _validate_sample(self, value) -> None:
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape = value.size()
        if shape[len(shape) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}.")
        expected = self._batch_shape + self._event_shape
        for found, wanted in zip(reversed(shape), reversed(expected)):
            if found != 1 and wanted != 1 and found != wanted:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation.",
                stacklevel=2,
            )
            return
        if support is None:
            raise AssertionError("support is unexpectedly None")
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({repr(support)}) of the distribution {repr(self)}, but found invalid values:\n{value}"
            )

    def _check_sample(self, value) -> None:
        if self._validate_args:
            self._validate_sample(value)

    def _get_checked_instance(self, cls, _instance=None):
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    def __repr__(self) -> str:
        def format_parameter(value):
            return f"{value if value.numel() == 1 else value.size()}"

        own = [name for name in self.arg_constraints if name in self.__dict__]
        parameters = ", ".join(f"{name}: {format_parameter(self.__dict__[name])}" for name in own)
        return f"{self.__class__.__name__}({parameters})"


def _expand_parameters(self, batch_shape, _instance=None):
    """Returns the same distributions with parameters expanded to a larger batch, without copies.

    Args:
        batch_shape (torch.Size): the new batch shape, which the old one broadcasts to.
        _instance (Distribution, optional): a new object to fill, for subclasses with their own
            `expand`.

    Returns:
        Distribution: of the same type, its parameters views of these.
    """
    owner = next(cls for cls in type(self).__mro__ if "_expanded" in vars(cls))
    new = self._get_checked_instance(owner, _instance)
    batch_shape = torch.Size(batch_shape)
    for name, kept in owner._expanded.items():
        if name in self.__dict__:
            value = self.__dict__[name]
            shape = value.batch_shape if isinstance(value, Distribution) else value.shape
            setattr(new, name, value.expand(batch_shape + shape[len(shape) - kept :]))
    self._finish_expand(new, batch_shape)
    Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
    new._validate_args = self._validate_args
    return new
