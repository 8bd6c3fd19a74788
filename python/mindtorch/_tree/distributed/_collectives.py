"""Collectives of tensors, and messages.

Every rank calls the same collectives in the same order. With `async_op` a collective gives its Work at once; else it
returns when it is done. `group` None is the default group; a rank that is no member gets a warning and None. Ranks in
arguments are global ones, but for `group_src` and `group_dst`.
"""

import contextlib
import warnings
from datetime import timedelta

from typing_extensions import deprecated

from .. import Tensor
from ._checks import (
    _canonicalize_group_rank,
    _check_list_of_root,
    _check_not_self_rank,
    _check_single_tensor,
    _check_tensor_list,
    _done,
    _ensure_all_tensors_same_dtype,
    _member,
    _of_reduction,
    _real,
    _reals,
    _refuse_complex,
    _root,
)
from ._work import (
    AllgatherOptions,
    AllreduceCoalescedOptions,
    AllreduceOptions,
    AllToAllOptions,
    BarrierOptions,
    BroadcastOptions,
    GatherOptions,
    ReduceOp,
    ReduceOptions,
    ReduceScatterOptions,
    ScatterOptions,
    Work,
)
from ._world import (
    _check_valid_timeout,
    _group_or_default_group,
    _rank_not_in_group,
    _world,
    get_backend,
    get_global_rank,
    get_rank,
)
from .constants import default_pg_timeout


@_member
def isend(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Sends a tensor to a rank; gives a Work."""
    group = _group_or_default_group(group)
    group_dst = _canonicalize_group_rank(group, dst, group_dst)
    _check_single_tensor(tensor, "tensor")
    _check_not_self_rank(group, group_dst, "destination")
    return group.send([_real(tensor)], group_dst, tag)


@_member
def irecv(tensor, src=None, group=None, tag=0, group_src=None):
    """Fills a tensor with what a rank (None: any) sends; gives a Work."""
    _check_single_tensor(tensor, "tensor")
    group = _group_or_default_group(group)
    if src is None and group_src is None:
        return group.recv_anysource([_real(tensor)], tag)
    return group.recv([_real(tensor)], _canonicalize_group_rank(group, src, group_src), tag)


@_member
def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Sends a tensor to a rank."""
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    """Fills a tensor with what a rank sends, without `src` any; gives its rank, -1 where this process is no member."""
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    if src is not None:
        return src
    return get_global_rank(_group_or_default_group(group), work._source_rank())


class P2POp:
    """One sending or receiving of `batch_isend_irecv`: `op` is `isend` or `irecv`."""

    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                "``torch.distributed.irecv``."
            )
        _check_single_tensor(tensor, "tensor")
        self.op, self.tensor, self.tag = op, tensor, tag
        self.group = _group_or_default_group(group)
        self.peer = _canonicalize_group_rank(self.group, peer, group_peer, True)
        self.group_peer = _canonicalize_group_rank(self.group, peer, group_peer)

    def __repr__(self):
        ends = (get_rank(self.group), self.group_peer)
        source, target = ends if self.op is isend else ends[::-1]
        return (
            f"P2POp({self.op.__name__} pg={self.group.group_name}, group_src={source}, group_dst={target},  "
            f"{self.tensor.shape}, {self.tensor.dtype})"
        )


def batch_isend_irecv(p2p_op_list):
    """Starts several sendings and receivings of one group; gives their Works."""
    if not isinstance(p2p_op_list, list) or not all(isinstance(op, P2POp) for op in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    group = p2p_op_list[0].group
    if any(op.group != group for op in p2p_op_list):
        raise ValueError("All ops need to use the same group.")
    return [op.op(op.tensor, op.peer, op.group, op.tag) for op in p2p_op_list]


class _CoalescingManager:
    def __init__(self):
        self.works = []

    def append(self, work=None):
        if work:
            self.works.append(work)

    def wait(self):
        for work in self.works:
            work.wait()


@contextlib.contextmanager
def _coalescing_manager(group=None, device=None, async_ops=False):
    """Collectives of one kind inside run together at its end."""
    group = _group_or_default_group(group)
    if _world.pg_coalesce_state.get(group):
        raise ValueError("ProcessGroup has non-empty op list at the start of coalescing")
    calls = _world.pg_coalesce_state[group] = []
    manager = _CoalescingManager()
    yield manager
    del _world.pg_coalesce_state[group]
    names = {name for name, _ in calls}
    if len(names) > 1:
        raise RuntimeError(
            f"Coalescing manager requires all collectives to be the same type, but got mixed types: {names}"
        )
    manager.works = [start() for _, start in calls]
    if not async_ops:
        manager.wait()


def _started(group, name, start, async_op):
    """Starts a collective: at once, or at the end of the coalescing manager that it stands in."""
    if group in _world.pg_coalesce_state:
        _world.pg_coalesce_state[group].append((name, start))
        return _IllegalWork() if async_op else None
    return _done(start(), async_op)


@_member
def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    """Copies the source's tensor to those of all ranks, of the same shape and dtype."""
    group = _group_or_default_group(group)
    root = _canonicalize_group_rank(group, src, group_src)
    _check_single_tensor(tensor, "tensor")
    return _done(group.broadcast([_real(tensor)], BroadcastOptions(rootRank=root, asyncOp=async_op)), async_op)


@_member
def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """Joins the tensors of all ranks, in place."""
    _check_single_tensor(tensor, "tensor")
    _refuse_complex("all_reduce", [tensor], op)
    options = _of_reduction(AllreduceOptions, op, async_op)
    group = _group_or_default_group(group)
    return _started(group, "all_reduce", lambda: group.allreduce([_real(tensor)], options), async_op)


class _IllegalWork(Work):
    """The work of a collective inside of a coalescing manager, which alone can be waited for."""

    def __getattribute__(self, name):
        if name in ("is_success", "exception", "wait", "source_rank", "result", "synchronize", "is_completed"):
            raise ValueError(f"Illegal to call {name} on IllegalWork object")
        return object.__getattribute__(self, name)


@_member
@deprecated(
    "`torch.distributed.all_reduce_coalesced` will be deprecated. If you must use it, please revisit our "
    "documentation later at https://pytorch.org/docs/main/distributed.html#collective-functions",
    category=FutureWarning,
)
def all_reduce_coalesced(tensors, op=ReduceOp.SUM, group=None, async_op=False):
    """Joins each of several tensors, of one dtype, with those of all ranks, in place."""
    tensors = [tensors] if isinstance(tensors, Tensor) else tensors
    _check_tensor_list(tensors, "tensor")
    _ensure_all_tensors_same_dtype(tensors)
    _refuse_complex("all_reduce", tensors, op)
    options = _of_reduction(AllreduceCoalescedOptions, op, async_op)
    return _done(_group_or_default_group(group).allreduce_coalesced(_reals(tensors), options), async_op)


@_member
def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    """Joins the tensors of all ranks in that of one."""
    group = _group_or_default_group(group)
    root = _canonicalize_group_rank(group, dst, group_dst)
    _check_single_tensor(tensor, "tensor")
    options = _of_reduction(ReduceOptions, op, async_op)
    options.rootRank = root
    return _done(group.reduce([tensor], options), async_op)


@_member
def all_gather(tensor_list, tensor, group=None, async_op=False):
    """Fills the list with the tensors of all ranks."""
    _check_tensor_list(tensor_list, "tensor_list")
    _check_single_tensor(tensor, "tensor")
    _ensure_all_tensors_same_dtype(tensor_list, tensor)
    group = _group_or_default_group(group)
    return _done(group.allgather([_reals(tensor_list)], [_real(tensor)], AllgatherOptions(asyncOp=async_op)), async_op)


@_member
def all_gather_single(output_tensor, input_tensor, group=None, async_op=False):
    """Fills a tensor with those of all ranks, one after another or each at a place of a new first dimension."""
    _check_single_tensor(input_tensor, "input_tensor")
    _check_single_tensor(output_tensor, "output_tensor")
    group, options = _group_or_default_group(group), AllgatherOptions(asyncOp=async_op)
    output, value = _real(output_tensor), _real(input_tensor)
    return _started(group, "all_gather_single", lambda: group._allgather_base(output, value, options), async_op)


@deprecated(
    "`torch.distributed.all_gather_into_tensor` is deprecated. Please use "
    "`torch.distributed.all_gather_single` instead.",
    category=FutureWarning,
)
def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """The old name of `all_gather_single`."""
    return all_gather_single(output_tensor, input_tensor, group, async_op)


@deprecated(
    "`torch.distributed._all_gather_base` is a private function and will be deprecated. "
    "Please use `torch.distributed.all_gather_single` instead.",
    category=FutureWarning,
)
def _all_gather_base(output_tensor, input_tensor, group=None, async_op=False):
    return all_gather_single(output_tensor, input_tensor, group, async_op)


@_member
@deprecated(
    "`torch.distributed.all_gather_coalesced` will be deprecated. If you must use it, please revisit our "
    "documentation later at https://pytorch.org/docs/main/distributed.html#collective-functions",
    category=FutureWarning,
)
def all_gather_coalesced(output_tensor_lists, input_tensor_list, group=None, async_op=False):
    """Fills a list for each rank with its several tensors."""
    _check_tensor_list(input_tensor_list, "input_tensor_list")
    _ensure_all_tensors_same_dtype(input_tensor_list)
    if not isinstance(output_tensor_lists, list):
        raise TypeError("Invalid function argument: output_tensor_lists should be a list")
    for each in output_tensor_lists:
        _check_tensor_list(each, "output_tensor_lists")
    group = _group_or_default_group(group)
    lists = [_reals(each) for each in output_tensor_lists]
    return _done(
        group.allgather_coalesced(lists, _reals(input_tensor_list), AllgatherOptions(asyncOp=async_op)), async_op
    )


@_member
def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    """Fills the list of one rank with the tensors of all."""
    _check_single_tensor(tensor, "tensor")
    if gather_list:
        _check_tensor_list(gather_list, "gather_list")
    _ensure_all_tensors_same_dtype(tensor, gather_list or [])
    group = _group_or_default_group(group)
    root = _root(group, dst, group_dst)
    _check_list_of_root(group, root, "gather_list", gather_list, "destination")
    outputs = [_reals(gather_list)] if group.rank() == root else []
    return _done(group.gather(outputs, [_real(tensor)], GatherOptions(rootRank=root, asyncOp=async_op)), async_op)


@_member
def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    """Gives each rank its tensor of the list of one."""
    _check_single_tensor(tensor, "tensor")
    if scatter_list:
        _check_tensor_list(scatter_list, "scatter_list")
    _ensure_all_tensors_same_dtype(tensor, scatter_list or [])
    group = _group_or_default_group(group)
    root = _root(group, src, group_src)
    _check_list_of_root(group, root, "scatter_list", scatter_list, "source")
    inputs = [_reals(scatter_list)] if group.rank() == root else []
    return _done(group.scatter([_real(tensor)], inputs, ScatterOptions(rootRank=root, asyncOp=async_op)), async_op)


@_member
def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    """Joins each rank's list of tensors, and gives every rank the one of its place."""
    _check_single_tensor(output, "output")
    _check_tensor_list(input_list, "input_list")
    _ensure_all_tensors_same_dtype(output, input_list)
    _refuse_complex("reduce_scatter", [output], op)
    options, group = _of_reduction(ReduceScatterOptions, op, async_op), _group_or_default_group(group)
    return _done(group.reduce_scatter([_real(output)], [_reals(input_list)], options), async_op)


@_member
def reduce_scatter_single(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """Joins the tensors of all ranks, and gives every rank its share of the first dimension."""
    _check_single_tensor(output, "output")
    _check_single_tensor(input, "input")
    _refuse_complex("reduce_scatter_single", [input], op)
    options, group = _of_reduction(ReduceScatterOptions, op, async_op), _group_or_default_group(group)
    output, value = _real(output), _real(input)
    return _started(
        group, "reduce_scatter_single", lambda: group._reduce_scatter_base(output, value, options), async_op
    )


@deprecated(
    "`torch.distributed.reduce_scatter_tensor` is deprecated. Please use "
    "`torch.distributed.reduce_scatter_single` instead.",
    category=FutureWarning,
)
def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """The old name of `reduce_scatter_single`."""
    return reduce_scatter_single(output, input, op, group, async_op)


@deprecated(
    "`torch.distributed._reduce_scatter_base` is a private function and will be deprecated. "
    "Please use `torch.distributed.reduce_scatter_single` instead.",
    category=FutureWarning,
)
def _reduce_scatter_base(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    return reduce_scatter_single(output, input, op, group, async_op)


@_member
def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    """Sends rows of a tensor to each rank, and fills another: as many as the sizes say, else as many each."""
    _check_single_tensor(output, "output")
    _check_single_tensor(input, "input")
    _ensure_all_tensors_same_dtype(output, input)
    options, group = AllToAllOptions(asyncOp=async_op), _group_or_default_group(group)
    sizes = list(output_split_sizes or ()), list(input_split_sizes or ())
    return _done(group.alltoall_base(_real(output), _real(input), *sizes, options), async_op)


@_member
def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """Sends the tensor of each place to that rank, and fills those of the other list."""
    _check_tensor_list(output_tensor_list, "output_tensor_list")
    _check_tensor_list(input_tensor_list, "input_tensor_list")
    _ensure_all_tensors_same_dtype(output_tensor_list, input_tensor_list)
    options, group = AllToAllOptions(asyncOp=async_op), _group_or_default_group(group)
    return _done(group.alltoall(_reals(output_tensor_list), _reals(input_tensor_list), options), async_op)


@_member
def barrier(group=None, async_op=False, device_ids=None, timeout=None):
    """Ends when all ranks have come."""
    if device_ids is not None and not isinstance(device_ids, list):
        raise TypeError("Invalid function argument: device_ids type should be List[int]")
    return _done(
        _group_or_default_group(group).barrier(BarrierOptions(asyncOp=async_op, device_ids=device_ids)), async_op
    )


@_member
def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """A barrier whose rank 0 says which rank (with `wait_all_ranks`: which ranks) did not come in time."""
    if get_backend(group) != "gloo":
        raise ValueError("monitored_barrier is only implemented for GLOO backend.")
    if isinstance(timeout, float):
        warnings.warn(
            f"Please specify timeout arg as a timedelta. Converting current value of {timeout} assuming it "
            "represents seconds",
            stacklevel=2,
        )
        timeout = timedelta(seconds=timeout)
    timeout = default_pg_timeout if timeout is None else timeout
    _check_valid_timeout(timeout)
    return _group_or_default_group(group).monitored_barrier(timeout, wait_all_ranks=wait_all_ranks)
