"""torch.nn: layers, losses and what they are made of."""

from .._lazy import lazy_attributes
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
from .modules import *
from . import attention, functional, init, modules, parallel, parameter, utils
from .parallel import DataParallel


def factory_kwargs(kwargs):
    """The keyword arguments for factory functions out of a module's: `device`, `dtype`, `memory_format`."""
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
