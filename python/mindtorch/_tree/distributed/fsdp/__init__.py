"""torch.distributed.fsdp: names only."""

from .._refusing import refuse

_CLASSES = (
    "BackwardPrefetch CPUOffload CPUOffloadPolicy FSDPModule FullOptimStateDictConfig FullStateDictConfig "
    "FullyShardedDataParallel MixedPrecision MixedPrecisionPolicy OffloadPolicy OptimStateKeyType "
    "ShardedOptimStateDictConfig ShardedStateDictConfig ShardingStrategy StateDictType"
)
refuse(__name__, _CLASSES, "fully_shard register_fsdp_forward_method")
