"""torch.distributed.tensor.experimental: plain tensors among distributed ones, functions of pieces, own rules."""

from ..._refusing import define_names_that_raise_when_used
from ._func_map import local_map
from ._plain import implicit_replication
from ._register_sharding import register_sharding

__all__ = ["context_parallel", "implicit_replication", "local_map", "register_sharding"]

for _value in (implicit_replication, local_map, register_sharding):
    _value.__module__ = __name__
define_names_that_raise_when_used(__name__, "", "context_parallel")
