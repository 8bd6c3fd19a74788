"""torch.distributed.tensor._utils: names only."""

from .._refusing import refuse

refuse(__name__, "", "compute_local_shape_and_global_offset")
