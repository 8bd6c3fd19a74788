"""Options of fully_shard."""

from dataclasses import dataclass

from ... import dtype

__all__ = ["CPUOffloadPolicy", "DataParallelMeshDims", "MixedPrecisionPolicy", "OffloadPolicy"]


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The types in which a sharded module computes; its parameters keep theirs.

    Args:
        param_dtype (torch.dtype, optional): the type of gathered parameters. Default: their own.
        reduce_dtype (torch.dtype, optional): the type in which gradients are reduced. Default: that of the gradients.
        output_dtype (torch.dtype, optional): the type of floating-point outputs. Default: that in which the module
            returns them.
        cast_forward_inputs (bool): whether floating-point inputs get `param_dtype`. Default: ``True``.
    """

    param_dtype: dtype | None = None
    reduce_dtype: dtype | None = None
    output_dtype: dtype | None = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Keeps the pieces of parameters on the device that computes."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Keeps the pieces of parameters, their gradients and the optimizer's state in the host's memory.

    Args:
        pin_memory (bool): whether the host's memory is pinned; ignored for devices that have no pinned memory.
            Default: ``True``.
    """

    pin_memory: bool = True


@dataclass(frozen=True)
class DataParallelMeshDims:
    """The dimensions of a mesh along which a module is data parallel.

    Args:
        shard (str or tuple[str, ...], optional): those over which parameters are sharded.
        replicate (str or tuple[str, ...], optional): those over which they are replicated.

    Raises:
        ValueError: when neither is given.
    """

    shard: str | tuple[str, ...] | None = None
    replicate: str | tuple[str, ...] | None = None

    def __post_init__(self):
        if self.shard is None and self.replicate is None:
            raise ValueError("At least one of shard or replicate must be set in DataParallelMeshDims")
