"""torch.distributed._tensor: the former name of torch.distributed.tensor."""

import sys

from .. import tensor as _tensor
from ..tensor import (
    DeviceMesh,
    DTensor,
    Partial,
    Placement,
    Replicate,
    Shard,
    distribute_module,
    distribute_tensor,
    empty,
    experimental,
    full,
    init_device_mesh,
    ones,
    placement_types,
    rand,
    randn,
    zeros,
)

__all__ = [name for name in globals() if not name.startswith("_") and name != "sys"]

for _name in ("experimental", "placement_types"):
    sys.modules[f"{__name__}.{_name}"] = getattr(_tensor, _name)
