"""Kullback-Leibler divergences: a registry of formulas by pairs of distribution types."""

import warnings
from functools import total_ordering

from .._root import torch
from .distribution import Distribution

__all__ = ["register_kl", "kl_divergence"]

_KL_REGISTRY: dict = {}
_KL_MEMOIZE: dict = {}


def register_kl(type_p, type_q):
    """Registers a function of (p, q) as the KL divergence of a pair of distribution types.

    It also serves their subclasses, unless a closer pair is registered; where two pairs are equally
    close, the one with the closer p is used, with a warning.

    Args:
        type_p (type): type of p, a subclass of `Distribution`.
        type_q (type): type of q.

    Returns:
        callable: a decorator that returns the function itself.

    Raises:
        TypeError: when something else than a class is given.

    Example:
        >>> class Zero(torch.distributions.Normal):
        ...     pass
        >>> @torch.distributions.register_kl(Zero, Zero)
        ... def kl_zero(p, q):
        ...     return torch.zeros(p.batch_shape)
        >>> torch.distributions.kl_divergence(Zero(0.0, 1.0), Zero(1.0, 1.0))
        tensor(0.)
    """
    for kind in (type_p, type_q):
        issubclass(kind, Distribution)  # accepts any class, and raises for other objects

    def decorator(fun):
        _KL_REGISTRY[type_p, type_q] = fun
        _KL_MEMOIZE.clear()
        return fun

    return decorator


@total_ordering
class _Match:
    """Sorts pairs of types, the most derived first."""

    __slots__ = ["types"]

    def __init__(self, *types):
        self.types = types

    def __eq__(self, other):
        return self.types == other.types

    def __le__(self, other):
        for mine, theirs in zip(self.types, other.types):
            if not issubclass(mine, theirs):
                return False
            if mine is not theirs:
                break
        return True


def _dispatch_kl(type_p, type_q):
    matches = [pair for pair in _KL_REGISTRY if issubclass(type_p, pair[0]) and issubclass(type_q, pair[1])]
    if not matches:
        return NotImplemented
    left = min(_Match(*pair) for pair in matches).types
    right = min(_Match(*reversed(pair)) for pair in matches).types[::-1]
    if _KL_REGISTRY[left] is not _KL_REGISTRY[right]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). "
            f"Please register_kl({left[0].__name__}, {right[1].__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return _KL_REGISTRY[left]


def kl_divergence(p: Distribution, q: Distribution) -> torch.Tensor:
    """Computes the Kullback-Leibler divergence ``KL(p || q) = E_p[log p(x) - log q(x)]`` in closed form.

    It is infinite where p has mass outside the support of q.

    Args:
        p (Distribution): the distribution of the expectation.
        q (Distribution): the other one.

    Returns:
        Tensor: nonnegative, of the broadcast batch shape.

    Raises:
        NotImplementedError: when no formula is registered for the two types.

    Example:
        >>> p = torch.distributions.Normal(torch.tensor([1.0]), torch.tensor([1.0]))
        >>> q = torch.distributions.Normal(torch.tensor([0.0]), torch.tensor([1.0]))
        >>> torch.distributions.kl_divergence(p, q)  # loc ** 2 / 2
        tensor([0.5000])
    """
    pair = type(p), type(q)
    if pair not in _KL_MEMOIZE:
        _KL_MEMOIZE[pair] = _dispatch_kl(*pair)
    formula = _KL_MEMOIZE[pair]
    if formula is NotImplemented:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type {q.__class__.__name__}"
        )
    return formula(p, q)


from . import _kl_cross, _kl_same  # noqa: E402, F401
