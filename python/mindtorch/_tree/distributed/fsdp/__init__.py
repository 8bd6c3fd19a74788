"""torch.distributed.fsdp: parameters, gradients and optimizer states are sharded over the ranks.

- `_fully_shard.py`: fully_shard and FSDPModule, when parameters are gathered and freed; `_shards.py`: how; `_policies.py`:
  the options.
"""

from .._refusing import refuse
from ._fully_shard import FSDPModule, UnshardHandle, fully_shard, register_fsdp_forward_method, share_comm_ctx
from ._policies import CPUOffloadPolicy, DataParallelMeshDims, MixedPrecisionPolicy, OffloadPolicy

for _value in (
    FSDPModule,
    UnshardHandle,
    fully_shard,
    register_fsdp_forward_method,
    share_comm_ctx,
    CPUOffloadPolicy,
    DataParallelMeshDims,
    MixedPrecisionPolicy,
    OffloadPolicy,
):
    _value.__module__ = __name__

refuse(
    __name__,
    "BackwardPrefetch CPUOffload FullOptimStateDictConfig FullStateDictConfig FullyShardedDataParallel "
    "LocalOptimStateDictConfig LocalStateDictConfig MixedPrecision OptimStateDictConfig OptimStateKeyType "
    "ShardedOptimStateDictConfig ShardedStateDictConfig ShardingStrategy StateDictConfig StateDictSettings "
    "StateDictType",
)
