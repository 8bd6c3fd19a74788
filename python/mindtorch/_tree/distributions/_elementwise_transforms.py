"""Transforms that act on each element separately."""

from __future__ import annotations

import math

from .._root import torch
from ..types import _Number
from . import constraints
from ._transform import Transform, _Stateless
from .utils import broadcast_all, lazy_property, log_odds


def _softplus(x):
    return torch.nn.functional.softplus(x)


class ExpTransform(_Stateless):
    """The exponential, ``y = exp(x)``, from the reals to the positive numbers.

    Inverse ``log(y)``; log-determinant x.

    Args:
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Example:
        >>> torch.distributions.ExpTransform()(torch.tensor([0.0, 1.0]))
        tensor([1.0000, 2.7183])
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x, y):
        return x


class _Parametric(Transform):
    """A transform with parameters, `_parameters`, that broadcast with the values."""

    _parameters: tuple[str, ...]

    def forward_shape(self, shape):
        parameters = (getattr(self, name) for name in self._parameters)
        return torch.broadcast_shapes(shape, *(getattr(parameter, "shape", ()) for parameter in parameters))

    inverse_shape = forward_shape


class PowerTransform(_Parametric):
    """A power, ``y = x ** exponent``, of positive numbers.

    Inverse ``y ** (1 / exponent)``; log-determinant ``log |exponent * y / x|``.

    Args:
        exponent (Tensor or float): the exponent, not 0.
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Example:
        >>> f = torch.distributions.PowerTransform(2.0)
        >>> f(torch.tensor([3.0])), f.inv(torch.tensor([9.0]))
        (tensor([9.]), tensor([3.]))
    """

    domain = codomain = constraints.positive
    bijective = True
    _arguments = _parameters = ("exponent",)

    def __init__(self, exponent: torch.Tensor, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    @lazy_property
    def sign(self) -> int:
        return self.exponent.sign()

    def __eq__(self, other):
        return isinstance(other, PowerTransform) and self.exponent.eq(other.exponent).all().item()

    def _call(self, x):
        return x**self.exponent

    def _inverse(self, y):
        return y ** (1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        return (self.exponent * y / x).abs().log()


def _clip_to_open_interval(p):
    """Clamps to (0, 1), where the inverse of the sigmoid is finite."""
    finfo = torch.finfo(p.dtype)
    return p.clamp(min=finfo.tiny, max=1.0 - finfo.eps)


def _clipped_sigmoid(x):
    return _clip_to_open_interval(x.sigmoid())


class SigmoidTransform(_Stateless):
    """The logistic sigmoid, ``y = 1 / (1 + exp(-x))``, from the reals to (0, 1).

    Outputs are clamped to [tiny, 1 - eps] of the dtype, so that the inverse ``log(y) - log(1 - y)`` is
    finite. Log-determinant ``-softplus(-x) - softplus(x)``.

    Args:
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Example:
        >>> f = torch.distributions.SigmoidTransform()
        >>> f(torch.tensor([0.0])), f.inv(torch.tensor([0.5]))
        (tensor([0.5000]), tensor([0.]))
    """

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = +1

    def _call(self, x):
        return _clipped_sigmoid(x)

    def _inverse(self, y):
        return log_odds(_clip_to_open_interval(y))

    def log_abs_det_jacobian(self, x, y):
        return -_softplus(-x) - _softplus(x)


class SoftplusTransform(_Stateless):
    """The softplus, ``y = log(1 + exp(x))``, from the reals to the positive numbers.

    Inverse ``log(exp(y) - 1)``, computed as ``y + log(1 - exp(-y))``; log-determinant
    ``-softplus(-x)``. Above 20 softplus is the identity.

    Args:
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Example:
        >>> torch.distributions.SoftplusTransform()(torch.tensor([0.0]))  # log(2)
        tensor([0.6931])
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x):
        return _softplus(x)

    def _inverse(self, y):
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x, y):
        return -_softplus(-x)


class TanhTransform(_Stateless):
    """The hyperbolic tangent, ``y = tanh(x)``, from the reals to (-1, 1).

    Inverse ``atanh(y)``, infinite where y has been rounded to 1 (a cache avoids that); log-determinant
    ``2 * (log(2) - x - softplus(-2 * x))``, which is ``log(1 - y ** 2)`` without cancellation.

    Args:
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Example:
        >>> f = torch.distributions.TanhTransform(cache_size=1)
        >>> y = f(torch.tensor([50.0]))
        >>> y, f.inv(y)
        (tensor([1.]), tensor([50.]))
    """

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = +1

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return torch.atanh(y)

    def log_abs_det_jacobian(self, x, y):
        # log(1 - tanh(x)^2), without the cancellation.
        return 2.0 * (math.log(2.0) - x - _softplus(-2.0 * x))


class AbsTransform(_Stateless):
    """The absolute value, ``y = |x|``; not one to one, its inverse returns y. It has no log-determinant.

    Args:
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Example:
        >>> torch.distributions.AbsTransform()(torch.tensor([-2.0, 3.0]))
        tensor([2., 3.])
    """

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x):
        return x.abs()

    def _inverse(self, y):
        return y


def _are_equal_parameters(a, b) -> bool:
    if isinstance(a, _Number) and isinstance(b, _Number):
        return a == b
    return (a == b).all().item()


class AffineTransform(_Parametric):
    """An affine map of each element, ``y = loc + scale * x``.

    Inverse ``(y - loc) / scale``; log-determinant ``log |scale|``, summed over event dimensions.

    Args:
        loc (Tensor or float): offset.
        scale (Tensor or float): factor, not 0.
        event_dim (int): number of event dimensions. Default: ``0``.
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Example:
        >>> f = torch.distributions.AffineTransform(1.0, 2.0)
        >>> f(torch.tensor([3.0])), f.inv(torch.tensor([7.0]))
        (tensor([7.]), tensor([3.]))
    """

    bijective = True
    _arguments = ("loc", "scale", "event_dim")
    _parameters = ("loc", "scale")

    def __init__(
        self, loc: torch.Tensor | float, scale: torch.Tensor | float, event_dim: int = 0, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return constraints._with_event_dim(constraints.real, self.event_dim)

    codomain = domain

    def __eq__(self, other):
        return (
            isinstance(other, AffineTransform)
            and _are_equal_parameters(self.loc, other.loc)
            and _are_equal_parameters(self.scale, other.scale)
        )

    @property
    def sign(self) -> torch.Tensor | int:
        if not isinstance(self.scale, _Number):
            return self.scale.sign()
        return (self.scale > 0) - (self.scale < 0)

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        is_number = isinstance(self.scale, _Number)
        slope = torch.full_like(x, math.log(abs(self.scale))) if is_number else self.scale.abs().log()
        if not self.event_dim:
            return slope.expand(x.shape)
        return slope.flatten(-self.event_dim).sum(-1).expand(x.shape[: -self.event_dim])
