"""torch.distributed.tensor: placements; sharded tensors exist by name only."""

from .._refusing import refuse
from ..device_mesh import DeviceMesh, init_device_mesh
from . import experimental, placement_types
from .placement_types import Partial, Placement, Replicate, Shard, _StridedShard

__all__ = ["DTensor", "distribute_tensor", "distribute_module", "Shard", "Replicate", "Partial", "Placement"]

refuse(__name__, "DTensor", "distribute_tensor distribute_module empty full ones rand randn zeros")
