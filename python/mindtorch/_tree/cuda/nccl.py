"""NCCL, which a build without CUDA does not have."""

from __future__ import annotations

import warnings

from .._absent_device import define_missing_as_refusing


def is_available(tensors) -> bool:
    """Returns whether NCCL can be used for tensors.

    Args:
        tensors (list[Tensor]): not looked at.

    Returns:
        bool: False, with a warning: this build has no NCCL.
    """
    warnings.warn("PyTorch is not compiled with NCCL support", stacklevel=2)
    return False


define_missing_as_refusing(
    __name__,
    {
        "version(): Returns NCCL's version.": "_nccl_version",
        "unique_id(): Makes an id for a communicator.": "_nccl_unique_id",
        "init_rank(num_ranks, uid, rank): Makes this process's communicator.": "_nccl_init_rank",
        "all_reduce(inputs, outputs=None, op=0, streams=None, comms=None): Joins tensors of several devices.": (
            "_nccl_all_reduce"
        ),
        "all_gather(inputs, outputs, streams=None, comms=None): Gives each device the tensors of all.": (
            "_nccl_all_gather"
        ),
        "broadcast(inputs, root=0, streams=None, comms=None): Copies a tensor to all devices.": "_nccl_broadcast",
        "reduce(inputs, output=None, root=0, op=0, streams=None, comms=None): Joins tensors on one device.": (
            "_nccl_reduce"
        ),
        "reduce_scatter(inputs, outputs, op=0, streams=None, comms=None): Joins tensors and shares them out.": (
            "_nccl_reduce_scatter"
        ),
    },
)
