"""torch.distributed.tensor._utils: its names exist, but are not supported."""

from .._refusing import refuse

refuse(__name__, "", "compute_local_shape_and_global_offset")
