"""Distribution: the base of all, with shapes, validation and expansion of parameters."""

import warnings
from typing import Any

from .._lending import named
from .._root import torch
from ..utils._deprecated import deprecated
from . import constraints
from .utils import lazy_property

__all__ = ["Distribution"]

_SCALAR = torch.Size()


class Distribution:
    """A batch of distributions over events of one shape."""

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    # A subclass with this has an `expand`: parameters, each with the number of its event dimensions, and distributions.
    _expanded: dict[str, int]

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Switches checks of arguments and samples on or off; on at first, unless run with -O."""
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self,
        batch_shape: "torch.Size" = _SCALAR,
        event_shape: "torch.Size" = _SCALAR,
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = batch_shape
        self._event_shape = event_shape
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
                # Derived from a parameter that is checked itself.
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
            cls.expand = named(_expand, f"{cls.__qualname__}.expand")

    def expand(self, batch_shape, _instance=None):
        """The same distributions, broadcast to a larger batch."""
        raise NotImplementedError

    def _finish_expand(self, new) -> None:
        """Carries over what is no parameter."""

    @property
    def batch_shape(self) -> "torch.Size":
        """The shape of the independent distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> "torch.Size":
        """The shape of one draw of one distribution."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        """The constraint of each parameter, by name."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The constraint that samples satisfy."""
        raise NotImplementedError

    @property
    def mean(self) -> "torch.Tensor":
        raise NotImplementedError

    @property
    def mode(self) -> "torch.Tensor":
        """The most probable value."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> "torch.Tensor":
        raise NotImplementedError

    @property
    def stddev(self) -> "torch.Tensor":
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape=_SCALAR) -> "torch.Tensor":
        """Draws without a gradient."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=_SCALAR) -> "torch.Tensor":
        """Draws so that the sample is differentiable in the parameters."""
        raise NotImplementedError

    @deprecated("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.")
    def sample_n(self, n: int) -> "torch.Tensor":
        return self.sample(torch.Size((n,)))

    def log_prob(self, value) -> "torch.Tensor":
        """Log density (or probability) of `value`, one per event."""
        raise NotImplementedError

    def cdf(self, value) -> "torch.Tensor":
        """The probability of at most `value`."""
        raise NotImplementedError

    def icdf(self, value) -> "torch.Tensor":
        """The inverse of `cdf`."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> "torch.Tensor":
        """All values of a discrete distribution, along a new first dimension; over the whole batch if `expand`."""
        raise NotImplementedError

    def entropy(self) -> "torch.Tensor":
        """Minus the expected log_prob, in nats."""
        raise NotImplementedError

    def perplexity(self) -> "torch.Tensor":
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
        def show(value):
            return f"{value if value.numel() == 1 else value.size()}"

        own = [name for name in self.arg_constraints if name in self.__dict__]
        return f"{self.__class__.__name__}({', '.join(f'{name}: {show(self.__dict__[name])}' for name in own)})"


def _expand(self, batch_shape, _instance=None):
    """The same distributions, broadcast to a larger batch."""
    owner = next(cls for cls in type(self).__mro__ if "_expanded" in vars(cls))
    new = self._get_checked_instance(owner, _instance)
    batch_shape = torch.Size(batch_shape)
    for name, event_dims in owner._expanded.items():
        if name in self.__dict__:
            value = self.__dict__[name]
            trailing = () if isinstance(value, Distribution) else value.shape[value.dim() - event_dims :]
            setattr(new, name, value.expand(batch_shape + trailing))
    self._finish_expand(new)
    Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
    new._validate_args = self._validate_args
    return new
