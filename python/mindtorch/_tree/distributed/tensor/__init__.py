"""torch.distributed.tensor: tensors whose pieces are on the ranks of a device mesh.

- `placement_types.py`: how a dimension of the mesh cuts a tensor; `_layout.py`: the arithmetic of pieces.
- `_api.py`: DTensor and the functions that make one; `_redistribute.py` moves pieces between placements.
- `_call.py`, `_dispatch.py`: an operator call: a rule of `_rules` lists valid placements, the cheapest are chosen, and
  the operator runs on the pieces.
"""

from ...serialization import add_safe_globals
from ..device_mesh import DeviceMesh, init_device_mesh
from . import experimental, placement_types
from ._api import DTensor, distribute_module, distribute_tensor, empty, full, ones, rand, randn, zeros
from ._dtensor_spec import DTensorSpec, ShardOrderEntry, TensorMeta
from .placement_types import Partial, Placement, Replicate, Shard, _StridedShard

__all__ = [
    "DTensor", "distribute_tensor", "distribute_module", "Shard", "Replicate", "Partial", "Placement", "ones", "empty",
    "full", "rand", "randn", "zeros",
]  # fmt: skip

for _value in (DTensor, distribute_tensor, distribute_module, ones, empty, full, rand, randn, zeros):
    _value.__module__ = __name__
# Classes that `torch.load(weights_only=True)` must accept in files of distributed tensors.
add_safe_globals([DTensor, DTensorSpec, DeviceMesh, Partial, Replicate, Shard, ShardOrderEntry, TensorMeta])
