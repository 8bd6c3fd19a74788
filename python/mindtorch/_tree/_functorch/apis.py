"""vmap, grad and grad_and_value."""

import functools

from .eager_transforms import grad_and_value_impl
from .vmap import _check_randomness_arg, vmap_impl


def _exposed(function):
    function.__module__ = __name__.removesuffix("_functorch.apis") + "func"
    return function


@_exposed
def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """Maps `func` over a dimension of its inputs."""
    _check_randomness_arg(randomness)
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        return vmap_impl(func, in_dims, out_dims, randomness, chunk_size, args, kwargs)

    return wrapped


@_exposed
def grad(func, argnums=0, has_aux=False):
    """The gradient of a function with one number as its value, as a function."""

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        gradient, value = grad_and_value_impl(func, argnums, has_aux, args, kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapper


@_exposed
def grad_and_value(func, argnums=0, has_aux=False):
    """The gradient and the value."""

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        return grad_and_value_impl(func, argnums, has_aux, args, kwargs)

    return wrapper
