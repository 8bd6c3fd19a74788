"""torch.distributed of a build without it: `is_available()` is False, and no process group is ever initialized."""

import enum

from .._absent_device import refuse_all

__all__ = ["is_available", "is_initialized"]


def is_available() -> bool:
    """Whether process groups are built: False."""
    return False


def is_initialized() -> bool:
    """Whether there is a process group: False."""
    return False


is_torchelastic_launched = is_nccl_available = is_gloo_available = is_initialized
is_mpi_available = is_ucc_available = is_xccl_available = is_initialized

# What is asked of a group, as torch answers before there is one.
refuse_all(
    __name__,
    [
        f"{name}(*args, **kwargs)"
        for name in (
            "all_gather all_gather_into_tensor all_gather_object all_reduce all_to_all all_to_all_single barrier "
            "broadcast broadcast_object_list gather gather_object get_backend get_rank get_world_size irecv isend "
            "monitored_barrier new_group recv reduce reduce_scatter reduce_scatter_tensor scatter scatter_object_list "
            "send"
        ).split()
    ],
    ValueError,
    "Default process group has not been initialized, please make sure to call init_process_group.",
)

refuse_all(__name__, ("destroy_process_group(group=None)",), AssertionError, "Process group cannot be None")
refuse_all(
    __name__,
    (
        "init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, "
        "group_name='', pg_options=None, device_id=None)",
    ),
    NotImplementedError,
    "torch.distributed.{name}: there are no process groups",
)


class ReduceOp:
    """How values of several processes become one."""

    RedOpType = enum.Enum("RedOpType", "SUM AVG PRODUCT MIN MAX BAND BOR BXOR PREMUL_SUM", start=0)


for _op in ReduceOp.RedOpType:
    setattr(ReduceOp, _op.name, _op)
del _op


class GroupMember:
    """The group of all processes, where there is one."""

    WORLD = NON_GROUP_MEMBER = None


group = GroupMember


class DistError(RuntimeError):
    """The base of errors of process groups."""


class DistBackendError(DistError):
    """A backend failed."""


class DistNetworkError(DistError):
    """The network failed."""


class DistStoreError(DistError):
    """The store failed."""


class QueueEmptyError(DistStoreError):
    """A queue of the store was empty."""


class _Stub:
    """Stands for types in annotations, as in torch's builds without distributed."""


GroupName = ProcessGroup = _Stub
