"""Options of FullyShardedDataParallel."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from ... import dtype
from ...nn import Module
from ...nn.modules.batchnorm import _BatchNorm

__all__ = [
    "BackwardPrefetch",
    "CPUOffload",
    "FullOptimStateDictConfig",
    "FullStateDictConfig",
    "LocalOptimStateDictConfig",
    "LocalStateDictConfig",
    "MixedPrecision",
    "OptimStateDictConfig",
    "ShardedOptimStateDictConfig",
    "ShardedStateDictConfig",
    "ShardingStrategy",
    "StateDictConfig",
    "StateDictSettings",
    "StateDictType",
]


class ShardingStrategy(Enum):
    """What is sharded: parameters always (FULL_SHARD), parameters outside of forward and backward (SHARD_GRAD_OP),
    nothing (NO_SHARD), or all within groups of ranks that are replicas of each other (HYBRID_SHARD)."""

    FULL_SHARD = 1
    SHARD_GRAD_OP = 2
    NO_SHARD = 3
    HYBRID_SHARD = 4
    _HYBRID_SHARD_ZERO2 = 5


class BackwardPrefetch(Enum):
    """When backward gathers the parameters of the next module; here, when they are needed."""

    BACKWARD_PRE = 1
    BACKWARD_POST = 2


@dataclass
class MixedPrecision:
    """The types in which a module computes; its parameters keep theirs.

    Args:
        param_dtype (torch.dtype, optional): the type of gathered parameters. Default: their own.
        reduce_dtype (torch.dtype, optional): the type in which gradients are reduced. Default: `param_dtype`.
        buffer_dtype (torch.dtype, optional): the type of buffers. Default: their own.
        keep_low_precision_grads (bool): whether gradients keep the type of the reduction. Default: ``False``.
        cast_forward_inputs (bool): whether each module's inputs get `param_dtype`. Default: ``False``.
        cast_root_forward_inputs (bool): whether the root's inputs do. Default: ``True``.
    """

    param_dtype: dtype | None = None
    reduce_dtype: dtype | None = None
    buffer_dtype: dtype | None = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True
    _module_classes_to_ignore: Sequence[type[Module]] = (_BatchNorm,)


@dataclass
class CPUOffload:
    """Where pieces of parameters are kept.

    Args:
        offload_params (bool): whether they are in the host's memory. Default: ``False``.
    """

    offload_params: bool = False


class StateDictType(Enum):
    """The kind of state: complete tensors on each rank, this rank's piece of all parameters together (LOCAL), or a
    DTensor for each parameter (SHARDED)."""

    FULL_STATE_DICT = 1
    LOCAL_STATE_DICT = 2
    SHARDED_STATE_DICT = 3


@dataclass
class StateDictConfig:
    """Options of states.

    Args:
        offload_to_cpu (bool): whether tensors are copied to the host. Default: ``False``.
    """

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """Options of complete states.

    Args:
        rank0_only (bool): whether other ranks get empty dictionaries. Default: ``False``.
    """

    rank0_only: bool = False


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """Options of local states."""


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """Options of sharded states."""

    _use_dtensor: bool = False


@dataclass
class OptimStateDictConfig:
    """Options of the states of optimizers.

    Args:
        offload_to_cpu (bool): whether tensors are copied to the host. Default: ``True``.
    """

    offload_to_cpu: bool = True


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """Options of complete states.

    Args:
        rank0_only (bool): whether other ranks get empty dictionaries. Default: ``False``.
    """

    rank0_only: bool = False


@dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """Options of local states."""

    offload_to_cpu: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """Options of sharded states."""

    _use_dtensor: bool = False


@dataclass
class StateDictSettings:
    """What FullyShardedDataParallel.set_state_dict_type has set.

    Args:
        state_dict_type (StateDictType): the kind.
        state_dict_config (StateDictConfig): the options of the model's state.
        optim_state_dict_config (OptimStateDictConfig): those of the optimizer's.
    """

    state_dict_type: StateDictType
    state_dict_config: StateDictConfig
    optim_state_dict_config: OptimStateDictConfig
