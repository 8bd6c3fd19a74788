"""Nested arguments split over devices, and nested outputs concatenated."""

import warnings
from collections.abc import Sequence
from typing import Any

from ..._root import torch
from ._functions import Gather, Scatter

__all__ = ["scatter", "scatter_kwargs", "gather"]


def is_namedtuple(obj: Any) -> bool:
    """Returns whether an object is a named tuple; deprecated.

    Args:
        obj (object): the object.

    Returns:
        bool: whether it is.

    Example:
        >>> import warnings
        >>> from torch.nn.parallel.scatter_gather import is_namedtuple
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     is_namedtuple((1, 2))
        False
    """
    warnings.warn("`is_namedtuple` is deprecated, please use the python checks instead", FutureWarning, stacklevel=2)
    return _is_namedtuple(obj)


def _is_namedtuple(obj):
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")


def scatter(inputs, target_gpus, dim=0):
    """Splits the tensors in nested lists, tuples and dicts over devices; other objects are shared.

    Args:
        inputs (object): what to split.
        target_gpus (sequence of int or torch.device): the devices.
        dim (int): the dimension along which. Default: ``0``.

    Returns:
        list or tuple: a part for each device.

    Example:
        >>> nn.parallel.scatter("shared", [0, 1])
        ['shared', 'shared']
    """
    if isinstance(inputs, torch.Tensor):
        return Scatter.apply(target_gpus, None, dim, inputs)
    if not isinstance(inputs, (tuple, list, dict)) or (not inputs and not _is_namedtuple(inputs)):
        return [inputs for _ in target_gpus]
    leaves = inputs.items() if isinstance(inputs, dict) else inputs
    per_device = zip(*(scatter(leaf, target_gpus, dim) for leaf in leaves), strict=False)
    if _is_namedtuple(inputs):
        return [type(inputs)(*part) for part in per_device]
    if isinstance(inputs, dict):
        return [type(inputs)(part) for part in per_device]
    return [type(inputs)(part) if isinstance(inputs, list) else part for part in per_device]


def scatter_kwargs(
    inputs: tuple[Any, ...], kwargs: dict[str, Any] | None, target_gpus: Sequence[int | torch.device], dim: int = 0
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """Splits positional and keyword arguments over devices.

    Args:
        inputs (tuple): the arguments.
        kwargs (dict or None): the keyword arguments.
        target_gpus (sequence of int or torch.device): the devices.
        dim (int): the dimension along which. Default: ``0``.

    Returns:
        tuple of two tuples: the arguments and the keyword arguments of each device.

    Example:
        >>> from torch.nn.parallel.scatter_gather import scatter_kwargs
        >>> scatter_kwargs((1,), None, [0, 1])
        (((1,), (1,)), ({}, {}))
    """
    args = list(scatter(inputs, target_gpus, dim)) if inputs else []
    named = list(scatter(kwargs, target_gpus, dim)) if kwargs else []
    args += [()] * (len(named) - len(args))
    named += [{} for _ in range(len(args) - len(named))]
    return tuple(args), tuple(named)


def gather(outputs: Any, target_device: int | torch.device, dim: int = 0) -> Any:
    """Joins the outputs of several devices: nested lists, tuples and dicts of tensors.

    Args:
        outputs (sequence): an output for each device, all of one structure.
        target_device (int, torch.device or str): the device of the result.
        dim (int): the dimension along which. Default: ``0``.

    Returns:
        Any: one output.

    Raises:
        ValueError: when dicts have different numbers of keys.

    Example:
        >>> nn.parallel.gather([None, None], "cpu") is None
        True
    """
    first = outputs[0]
    if isinstance(first, torch.Tensor):
        return Gather.apply(target_device, dim, *outputs)
    if first is None:
        return None
    if isinstance(first, dict):
        if not all(len(first) == len(other) for other in outputs):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)((key, gather([o[key] for o in outputs], target_device, dim)) for key in first)
    joined = [gather(list(same), target_device, dim) for same in zip(*outputs, strict=True)]
    return type(first)._make(joined) if _is_namedtuple(first) else type(first)(joined)
