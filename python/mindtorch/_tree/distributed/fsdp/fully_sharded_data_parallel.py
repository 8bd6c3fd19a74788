"""torch.distributed.fsdp.fully_sharded_data_parallel: its names exist, but are not supported."""

from . import *
