"""The base of transforms, and transforms made from others: inverses, compositions, more event dimensions, other
shapes."""

from __future__ import annotations

import functools
import itertools
import operator

from .._root import torch
from . import constraints
from .utils import _sum_rightmost, lazy_property


class Transform:
    """Base class of transforms: maps from a `domain` to a `codomain`, with inverse and Jacobian.

    Calling a transform maps x to y; `inv` maps back. Values are batches of events: an elementwise
    transform has events without dimensions, one of vectors takes the last dimension. A subclass defines
    `domain`, `codomain`, `bijective`, `_call`, `_inverse` and `log_abs_det_jacobian`.

    With a cache of one, the inverse of the last output is the last input itself: exact, cheap, and with
    its gradient history.

    Args:
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Attributes:
        domain, codomain (Constraint): valid inputs and outputs.
        bijective (bool): whether the map is one to one.

    Raises:
        ValueError: when `cache_size` is neither 0 nor 1.

    Example:
        >>> exp = torch.distributions.ExpTransform()
        >>> y = exp(torch.tensor([0.0]))
        >>> y, exp.inv(y)
        (tensor([1.]), tensor([0.]))
    """

    bijective = False
    domain: constraints.Constraint
    codomain: constraints.Constraint

    # Names of attributes that are the constructor's arguments besides `cache_size`. A subclass that sets this can be
    # copied, and needs no `with_cache`.
    _arguments: tuple[str, ...]

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv = None
        if cache_size == 1:
            self._cached_x_y = (None, None)
        super().__init__()

    def __getstate__(self):
        # Pickles leave out the inverse, which refers to this transform and is cheap to create again.
        return self.__dict__ | {"_inv": None}

    @property
    def event_dim(self) -> int:
        """The number of dimensions of one event; ValueError if input and output differ in it."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> "Transform":
        """The inverse transform; ``t.inv.inv is t``."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    @property
    def sign(self) -> int:
        """The sign of the derivative, 1 or -1, of an elementwise monotonic transform."""
        raise NotImplementedError

    def with_cache(self, cache_size=1):
        """Returns this transform with the given cache size.

        Args:
            cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``1``.

        Returns:
            Transform: itself where the size is the same, else a new one.

        Raises:
            NotImplementedError: when a subclass has its own `__init__` and no `with_cache`.
        """
        if cache_size == self._cache_size:
            return self
        for owner in type(self).__mro__:
            if "_arguments" in vars(owner):
                return owner(*(getattr(self, name) for name in owner._arguments), cache_size=cache_size)
        if type(self).__init__ is not Transform.__init__:
            raise NotImplementedError(f"{type(self)}.with_cache is not implemented")
        return type(self)(cache_size=cache_size)

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return not self.__eq__(other)

    def __call__(self, x):
        if self._cache_size == 0:
            return self._call(x)
        known_x, known_y = self._cached_x_y
        if x is known_x:
            return known_y
        y = self._call(x)
        self._cached_x_y = (x, y)
        return y

    def _inv_call(self, y):
        if self._cache_size == 0:
            return self._inverse(y)
        known_x, known_y = self._cached_x_y
        if y is known_y:
            return known_x
        x = self._inverse(y)
        self._cached_x_y = (x, y)
        return x

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def log_abs_det_jacobian(self, x, y):
        """Computes ``log |det dy/dx|``.

        Args:
            x (Tensor): input.
            y (Tensor): output for `x`.

        Returns:
            Tensor: one number per event.
        """
        raise NotImplementedError

    def __repr__(self):
        return self.__class__.__name__ + "()"

    def forward_shape(self, shape):
        """Returns the shape of the output for an input shape.

        Args:
            shape (torch.Size): shape of x.

        Returns:
            torch.Size: shape of y.

        Raises:
            ValueError: when the shape has too few dimensions or wrong sizes.
        """
        return shape

    def inverse_shape(self, shape):
        """Returns the shape of the input for an output shape.

        Args:
            shape (torch.Size): shape of y.

        Returns:
            torch.Size: shape of x.

        Raises:
            ValueError: when the shape has too few dimensions or wrong sizes.
        """
        return shape


def _split_shape(shape, event_dim):
    """Splits a shape into batch and event dimensions."""
    cut = len(shape) - event_dim
    if cut < 0:
        raise ValueError("Too few dimensions on input")
    return shape[:cut], shape[cut:]


def _apply_function(value, function):
    return function(value)


def _with_caches(parts, cache_size):
    return [part.with_cache(cache_size) for part in parts] if cache_size else parts


def _make_forwarding_property(path):
    """A property that returns an attribute of another object."""
    return property(operator.attrgetter(path))


class _InverseTransform(Transform):
    """The inverse of another transform."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return self._inv.domain

    bijective, sign = _make_forwarding_property("_inv.bijective"), _make_forwarding_property("_inv.sign")

    @property
    def inv(self) -> Transform:
        return self._inv

    def with_cache(self, cache_size=1):
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other):
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __repr__(self):
        return f"{type(self).__name__}({self._inv!r})"

    def __call__(self, x):
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x, y):
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._inv.forward_shape(shape)


class ComposeTransform(Transform):
    """Applies several transforms, one after the other; with none it is the identity.

    log-determinants are added, each summed over the dimensions that the others count as event
    dimensions. `identity_transform` is the empty composition.

    Args:
        parts (list of Transform): the transforms, the first one first.
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.
        x (Tensor): when called, the value to map.

    Returns:
        Tensor: when called, the image of `x`.

    Example:
        >>> d = torch.distributions
        >>> f = d.ComposeTransform([d.ExpTransform(), d.AffineTransform(1.0, 2.0)])
        >>> x = torch.tensor([0.0])
        >>> f(x), f.log_abs_det_jacobian(x, f(x)).exp()  # 1 + 2 * exp(x), 2 * exp(x)
        (tensor([3.]), tensor([2.]))
    """

    _arguments = ("parts",)

    def __init__(self, parts: list[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.parts = _with_caches(parts, cache_size)

    def __eq__(self, other):
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    def _event_dims_between_parts(self):
        """Returns the number of event dimensions before each part, and after the last one.

        Starts with the smallest number for which each part has at least as many as its domain.
        """
        start, offsets = 0, [0]
        for part in self.parts:
            own = part.domain.event_dim
            start = max(start, own - offsets[-1])
            offsets.append(offsets[-1] + part.codomain.event_dim - own)
        return [start + offset for offset in offsets]

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return (
            constraints._with_event_dim(self.parts[0].domain, self._event_dims_between_parts()[0])
            if self.parts
            else constraints.real
        )

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return (
            constraints._with_event_dim(self.parts[-1].codomain, self._event_dims_between_parts()[-1])
            if self.parts
            else constraints.real
        )

    @lazy_property
    def bijective(self) -> bool:
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self) -> int:
        return functools.reduce(operator.mul, (part.sign for part in self.parts), 1)

    @property
    def inv(self) -> Transform:
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def __call__(self, x):
        return functools.reduce(_apply_function, self.parts, x)

    def log_abs_det_jacobian(self, x, y):
        if not self.parts:
            return torch.zeros_like(x)
        values = [*itertools.accumulate(self.parts[:-1], _apply_function, initial=x), y]
        terms = (
            _sum_rightmost(part.log_abs_det_jacobian(*pair), event_dim - part.domain.event_dim)
            for part, pair, event_dim in zip(self.parts, itertools.pairwise(values), self._event_dims_between_parts())
        )
        return functools.reduce(operator.add, terms)

    def forward_shape(self, shape):
        return functools.reduce(_apply_function, (part.forward_shape for part in self.parts), shape)

    def inverse_shape(self, shape):
        return functools.reduce(_apply_function, (part.inverse_shape for part in reversed(self.parts)), shape)

    def __repr__(self):
        return f"{type(self).__name__}(\n    " + ",\n    ".join(map(repr, self.parts)) + "\n)"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """Makes the last batch dimensions of a transform's values part of its events.

    Values stay the same; log-determinants are summed over these dimensions.

    Args:
        base_transform (Transform): the transform.
        reinterpreted_batch_ndims (int): how many batch dimensions become event dimensions.
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Raises:
        ValueError: when called with too few dimensions.

    Example:
        >>> d = torch.distributions
        >>> f = d.IndependentTransform(d.ExpTransform(), 1)
        >>> x = torch.tensor([1.0, 2.0])
        >>> f.log_abs_det_jacobian(x, f(x))
        tensor(3.)
    """

    _arguments = ("base_transform", "reinterpreted_batch_ndims")

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    bijective, sign = (
        _make_forwarding_property("base_transform.bijective"),
        _make_forwarding_property("base_transform.sign"),
    )

    def _call(self, x):
        _split_shape(x.shape, self.domain.event_dim)
        return self.base_transform(x)

    def _inverse(self, y):
        _split_shape(y.shape, self.codomain.event_dim)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y):
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """Reshapes events, the last dimensions of a value; the log-determinant is 0.

    Args:
        in_shape (torch.Size): shape of an event.
        out_shape (torch.Size): its new shape, of as many elements.
        cache_size (int): 1 remembers the last pair of input and output, 0 none. Default: ``0``.

    Raises:
        ValueError: when the numbers of elements differ, or a value does not have the shape.

    Example:
        >>> f = torch.distributions.ReshapeTransform((4,), (2, 2))
        >>> f(torch.zeros(3, 4)).shape
        torch.Size([3, 2, 2])
    """

    bijective = True
    _arguments = ("in_shape", "out_shape")

    def __init__(self, in_shape: torch.Size, out_shape: torch.Size, cache_size: int = 0) -> None:
        in_shape, out_shape = torch.Size(in_shape), torch.Size(out_shape)
        if in_shape.numel() != out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        self.in_shape, self.out_shape = in_shape, out_shape
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self):
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self):
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x):
        return x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y):
        return y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x, y):
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    @staticmethod
    def _replace_shape_suffix(shape, old, new):
        batch, event = _split_shape(shape, len(old))
        if event != old:
            raise ValueError(f"Shape mismatch: expected {event} but got {old}")
        return batch + new

    def forward_shape(self, shape):
        return self._replace_shape_suffix(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape):
        return self._replace_shape_suffix(shape, self.out_shape, self.in_shape)


class _Stateless(Transform):
    """Equal to every other instance of its class."""

    def __eq__(self, other):
        return isinstance(other, type(self))

    __hash__ = None
