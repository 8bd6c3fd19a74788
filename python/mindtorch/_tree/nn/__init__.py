"""torch.nn: layers, losses and their building blocks."""

from __future__ import annotations

from .._lazy import lazy_attributes
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
from .modules import *
from . import attention, functional, init, modules, parallel, parameter, utils
from .parallel import DataParallel


def factory_kwargs(kwargs):
    """Returns the arguments of tensor factories among a module's: `device`, `dtype` and `memory_format`.

    Args:
        kwargs (dict or None): the module's keyword arguments; a dict under ``"factory_kwargs"``
            counts too.

    Returns:
        dict: those of the three that are given.

    Raises:
        TypeError: for any other key, or one that is given twice.

    Example:
        >>> nn.factory_kwargs({"dtype": torch.float64})
        {'dtype': torch.float64}
    """
    given = {} if kwargs is None else dict(kwargs)
    nested = dict(given.pop("factory_kwargs", {}))
    unexpected = given.keys() - {"device", "dtype", "memory_format"}
    if unexpected:
        raise TypeError(f"unexpected kwargs {unexpected}")
    twice = given.keys() & nested.keys()
    if twice:
        raise TypeError(f"{min(twice)} specified twice, in **kwargs and in factory_kwargs")
    return nested | given


__getattr__ = lazy_attributes(__name__, modules=("common_types", "quantized"))
