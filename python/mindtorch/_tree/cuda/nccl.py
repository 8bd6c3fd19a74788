"""NCCL, which a build without CUDA does not have."""

import warnings

from .._absent_device import refuse_missing


def is_available(tensors):
    """False, with a warning: no NCCL here."""
    warnings.warn("PyTorch is not compiled with NCCL support", stacklevel=2)
    return False


refuse_missing(
    __name__,
    {
        "version()": "_nccl_version",
        "unique_id()": "_nccl_unique_id",
        "init_rank(num_ranks, uid, rank)": "_nccl_init_rank",
        "all_reduce(inputs, outputs=None, op=0, streams=None, comms=None)": "_nccl_all_reduce",
        "all_gather(inputs, outputs, streams=None, comms=None)": "_nccl_all_gather",
        "broadcast(inputs, root=0, streams=None, comms=None)": "_nccl_broadcast",
        "reduce(inputs, output=None, root=0, op=0, streams=None, comms=None)": "_nccl_reduce",
        "reduce_scatter(inputs, outputs, op=0, streams=None, comms=None)": "_nccl_reduce_scatter",
    },
)
