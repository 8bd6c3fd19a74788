"""torch.distributed._composable.fsdp: its names exist, but are not supported."""

from ..fsdp import CPUOffloadPolicy, FSDPModule, MixedPrecisionPolicy, OffloadPolicy, fully_shard
