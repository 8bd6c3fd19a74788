"""Transforms of each element by itself."""

from __future__ import annotations

import math

from .._root import torch
from ..types import _Number
from . import constraints
from ._transform import Transform, _Stateless
from .utils import broadcast_all, lazy_property


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


class PowerTransform(Transform):
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

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: torch.Tensor, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def with_cache(self, cache_size=1):
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size=cache_size)

    @lazy_property
    def sign(self) -> int:
        return self.exponent.sign()

    def __eq__(self, other):
        return isinstance(other, PowerTransform) and self.exponent.eq(other.exponent).all().item()

    def _call(self, x):
        return x.pow(self.exponent)

    def _inverse(self, y):
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape):
        return torch.broadcast_shapes(shape, getattr(self.exponent, "shape", ()))

    inverse_shape = forward_shape


def _clipped_sigmoid(x):
    finfo = torch.finfo(x.dtype)
    return torch.clamp(torch.sigmoid(x), min=finfo.tiny, max=1.0 - finfo.eps)


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
        finfo = torch.finfo(y.dtype)
        y = y.clamp(min=finfo.tiny, max=1.0 - finfo.eps)
        return y.log() - (-y).log1p()

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


def _same(a, b) -> bool:
    if isinstance(a, _Number) and isinstance(b, _Number):
        return a == b
    return (a == b).all().item()


class AffineTransform(Transform):
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
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    codomain = domain

    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self.event_dim, cache_size=cache_size)

    def __eq__(self, other):
        return isinstance(other, AffineTransform) and _same(self.loc, other.loc) and _same(self.scale, other.scale)

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
        if isinstance(self.scale, _Number):
            result = torch.full_like(x, math.log(abs(self.scale)))
        else:
            result = torch.abs(self.scale).log()
        shape = x.shape
        if self.event_dim:
            result = result.view(result.size()[: -self.event_dim] + (-1,)).sum(-1)
            shape = shape[: -self.event_dim]
        return result.expand(shape)

    def forward_shape(self, shape):
        return torch.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape
