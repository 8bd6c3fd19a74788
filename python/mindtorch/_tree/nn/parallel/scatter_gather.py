"""Nested arguments split over devices, and nested outputs joined."""

import warnings

from ..._root import torch
from ._functions import Gather, Scatter

__all__ = ["scatter", "scatter_kwargs", "gather"]


def is_namedtuple(obj):
    """Deprecated: whether `obj` is a named tuple."""
    warnings.warn("`is_namedtuple` is deprecated, please use the python checks instead", FutureWarning, stacklevel=2)
    return _is_namedtuple(obj)


def _is_namedtuple(obj):
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")


def scatter(inputs, target_gpus, dim=0):
    """Per device, `inputs` with its tensors split along `dim`; other leaves are shared."""
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


def scatter_kwargs(inputs, kwargs, target_gpus, dim=0):
    """Positional and keyword arguments per device; the shorter list is filled up with empty ones."""
    args = list(scatter(inputs, target_gpus, dim)) if inputs else []
    named = list(scatter(kwargs, target_gpus, dim)) if kwargs else []
    args += [()] * (len(named) - len(args))
    named += [{} for _ in range(len(args) - len(named))]
    return tuple(args), tuple(named)


def gather(outputs, target_device, dim=0):
    """The outputs of all devices as one, tensors joined along `dim`."""
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
