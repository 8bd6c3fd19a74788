"""torch.distributed.fsdp: its names exist, but are not supported."""

from .._refusing import refuse

_CLASSES = (
    "BackwardPrefetch CPUOffload CPUOffloadPolicy DataParallelMeshDims FSDPModule FullOptimStateDictConfig "
    "FullStateDictConfig FullyShardedDataParallel LocalOptimStateDictConfig LocalStateDictConfig MixedPrecision "
    "MixedPrecisionPolicy OffloadPolicy OptimStateDictConfig OptimStateKeyType ShardedOptimStateDictConfig "
    "ShardedStateDictConfig ShardingStrategy StateDictConfig StateDictSettings StateDictType UnshardHandle"
)
refuse(__name__, _CLASSES, "fully_shard register_fsdp_forward_method share_comm_ctx")
