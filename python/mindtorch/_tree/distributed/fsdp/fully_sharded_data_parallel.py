"""torch.distributed.fsdp.fully_sharded_data_parallel: names only."""

from . import *
