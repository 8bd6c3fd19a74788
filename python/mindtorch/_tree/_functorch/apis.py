"""vmap, grad and grad_and_value."""

from __future__ import annotations

import functools
from collections.abc import Callable

from .eager_transforms import grad_and_value_impl
from .vmap import _check_randomness_arg, vmap_impl


def _expose_function(function):
    function.__module__ = __name__.removesuffix("_functorch.apis") + "func"
    return function


@_expose_function
def vmap(
    func: Callable,
    in_dims: int | tuple = 0,
    out_dims: int | tuple[int, ...] = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable:
    """Maps a function over a dimension of its inputs, as if it were called for each index and stacked.

    The function sees its inputs without that dimension; operations run on whole batches where they can.
    Inside, `.item()`, conditions on values and results whose shape depends on values are not possible.

    Args:
        func (callable): takes and returns tensors, at any depth of tuples, lists and dicts.
        in_dims (int or tuple): the mapped dimension of each argument, None for those that are not
            mapped; structured as the arguments. Default: ``0``.
        out_dims (int or tuple): where the dimension appears in the results. Default: ``0``.
        randomness (str): ``"error"`` refuses random operations, ``"different"`` draws for each index,
            ``"same"`` draws once. Default: ``"error"``.
        chunk_size (int, optional): how many indices are computed at a time. Default: all.

    Returns:
        callable: the mapped function.

    Raises:
        ValueError: when dimensions do not exist or differ in size, or an option is invalid.

    Example:
        >>> dot = torch.func.vmap(torch.dot)
        >>> dot(torch.ones(3, 2), torch.arange(6.0).view(3, 2))
        tensor([1., 5., 9.])
        >>> torch.func.vmap(torch.dot, in_dims=(0, None))(torch.eye(2), torch.tensor([5.0, 7.0]))
        tensor([5., 7.])
    """
    _check_randomness_arg(randomness)
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        return vmap_impl(func, in_dims, out_dims, randomness, chunk_size, args, kwargs)

    return wrapped


@_expose_function
def grad(func: Callable, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable:
    """Returns the gradient of a function that returns one number, as a function.

    It can be nested for higher derivatives, and combined with `vmap`.

    Args:
        func (callable): returns a tensor without dimensions, or with `has_aux` ``(tensor, aux)``.
        argnums (int or tuple of int): which arguments to differentiate by. Default: ``0``.
        has_aux (bool): whether `func` also returns an auxiliary value. Default: ``False``.

    Returns:
        callable: takes the arguments of `func`, returns the gradient, structured as the chosen
        arguments, or ``(gradient, aux)``.

    Raises:
        RuntimeError: when the result is no tensor with one element.

    Example:
        >>> slope = torch.func.grad(torch.sin)
        >>> slope(torch.tensor(0.0)), torch.func.grad(slope)(torch.tensor(0.0))
        (tensor(1.), tensor(-0.))
    """

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        gradient, value = grad_and_value_impl(func, argnums, has_aux, args, kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapper


@_expose_function
def grad_and_value(func: Callable, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable:
    """Returns gradient and value of a function that returns one number, as a function.

    Args:
        func (callable): returns a tensor without dimensions, or with `has_aux` ``(tensor, aux)``.
        argnums (int or tuple of int): which arguments to differentiate by. Default: ``0``.
        has_aux (bool): whether `func` also returns an auxiliary value. Default: ``False``.

    Returns:
        callable: takes the arguments of `func`, returns ``(gradient, value)`` or
        ``(gradient, (value, aux))``.

    Raises:
        RuntimeError: when the result is no tensor with one element.

    Example:
        >>> torch.func.grad_and_value(lambda x: (x ** 2).sum())(torch.tensor([1.0, 2.0]))
        (tensor([2., 4.]), tensor(5.))
    """

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        return grad_and_value_impl(func, argnums, has_aux, args, kwargs)

    return wrapper
