"""torch.nn: layers, losses and what they are made of."""

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
    if kwargs is None:
        return {}
    plain = {"device", "dtype", "memory_format"}
    allowed = plain | {"factory_kwargs"}
    if not kwargs.keys() <= allowed:
        raise TypeError(f"unexpected kwargs {kwargs.keys() - allowed}")
    chosen = dict(kwargs.get("factory_kwargs", {}))
    for name in plain:
        if name in kwargs:
            if name in chosen:
                raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
            chosen[name] = kwargs[name]
    return chosen


__getattr__ = lazy_attributes(__name__, modules=("common_types", "quantized"))
