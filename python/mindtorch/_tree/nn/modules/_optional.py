"""Optional parameters of layers."""

import math

from ..._root import torch
from .. import init
from ..parameter import Parameter


def register_optional_parameter(module, name, shape, is_wanted=True, **factory):
    """Registers an uninitialised parameter of `shape` under `name`, or None unless `is_wanted`."""
    param = Parameter(torch.empty(shape, **factory)) if is_wanted else None
    module.register_parameter(name, param)


def initialize_bias(module):
    """Samples a layer's bias, if it has one, uniformly in ``+-1 / sqrt(fan_in)`` of its weight."""
    if module.bias is not None:
        fan_in = init._calculate_fan_in_and_fan_out(module.weight)[0]
        limit = 1 / math.sqrt(fan_in) if fan_in else 0
        init.uniform_(module.bias, -limit, limit)
