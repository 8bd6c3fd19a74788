"""Parameters that a layer may do without."""

from ..._root import torch
from ..parameter import Parameter


def set_parameter(module, name, shape, wanted=True, **factory):
    """Registers an uninitialised parameter of `shape` under `name`, or None unless `wanted`."""
    param = Parameter(torch.empty(shape, **factory)) if wanted else None
    module.register_parameter(name, param)
