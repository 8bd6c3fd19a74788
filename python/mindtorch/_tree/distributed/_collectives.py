"""Collectives of tensors, and messages.

Every rank calls the same collectives in the same order. With `async_op` a collective returns its Work immediately,
otherwise it returns when it is complete. `group` None is the default group; a rank outside the group gets a warning
and None. Rank arguments are global ranks, except `group_src` and `group_dst`.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from typing_extensions import deprecated

from .. import Tensor
from ._checks import (
    _canonicalize_group_rank,
    _check_list_only_on_root,
    _check_not_self_rank,
    _check_single_tensor,
    _check_tensor_list,
    _wait_or_return_work,
    _ensure_all_tensors_same_dtype,
    _run_in_members_only,
    _make_reduction_options,
    _view_complex_as_real,
    _view_all_as_real,
    _refuse_complex_tensors_for_op,
    _choose_root_rank,
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

if TYPE_CHECKING:
    from ._groups import ProcessGroup


@_run_in_members_only
def isend(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> Work | None:
    """Starts to send a tensor to a rank; it must not change before the Work is done.

    Args:
        tensor (Tensor): what to send.
        dst (int, optional): the global rank that gets it; this or `group_dst`.
        group (ProcessGroup, optional): the group. Default: the default group.
        tag (int): must equal the receiver's tag. Default: ``0``.
        group_dst (int, optional): the receiver's rank in `group`.

    Returns:
        Work or None: the sending; None where this process is no member.

    Raises:
        ValueError: when the receiver is this process, or no rank is given.
    """
    group = _group_or_default_group(group)
    group_dst = _canonicalize_group_rank(group, dst, group_dst)
    _check_single_tensor(tensor, "tensor")
    _check_not_self_rank(group, group_dst, "destination")
    return group.send([_view_complex_as_real(tensor)], group_dst, tag)


@_run_in_members_only
def irecv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> Work | None:
    """Starts to receive a message into a tensor, which has it when the Work is done.

    Args:
        tensor (Tensor): is filled; of the shape and dtype that are sent.
        src (int, optional): the global rank that sends. Default: any.
        group (ProcessGroup, optional): the group. Default: the default group.
        tag (int): the tag of the message. Default: ``0``.
        group_src (int, optional): the sender's rank in `group`, in place of `src`.

    Returns:
        Work or None: the receiving; None where this process is no member.
    """
    _check_single_tensor(tensor, "tensor")
    group = _group_or_default_group(group)
    if src is None and group_src is None:
        return group.recv_anysource([_view_complex_as_real(tensor)], tag)
    return group.recv([_view_complex_as_real(tensor)], _canonicalize_group_rank(group, src, group_src), tag)


@_run_in_members_only
def send(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> None:
    """Sends a tensor to a rank, and returns when it may change again.

    Args:
        tensor (Tensor): what to send.
        dst (int, optional): the global rank that gets it; this or `group_dst`.
        group (ProcessGroup, optional): the group. Default: the default group.
        tag (int): must equal the receiver's tag. Default: ``0``.
        group_dst (int, optional): the receiver's rank in `group`.

    Raises:
        ValueError: when the receiver is this process, or no rank is given.
    """
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> int:
    """Receives a message into a tensor.

    Args:
        tensor (Tensor): is filled; of the shape and dtype that are sent.
        src (int, optional): the global rank that sends. Default: any.
        group (ProcessGroup, optional): the group. Default: the default group.
        tag (int): the tag of the message. Default: ``0``.
        group_src (int, optional): the sender's rank in `group`, in place of `src`.

    Returns:
        int: the global rank of the sender; -1 where this process is no member.
    """
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    if src is not None:
        return src
    return get_global_rank(_group_or_default_group(group), work._source_rank())


class P2POp:
    """One sending or receiving, for batch_isend_irecv.

    Args:
        op (Callable): torch.distributed.isend or irecv.
        tensor (Tensor): what to send, or is filled.
        peer (int, optional): the global rank of the other process; this or `group_peer`.
        group (ProcessGroup, optional): the group. Default: the default group.
        tag (int): the tag of the message. Default: ``0``.
        group_peer (int, optional): the other process's rank in `group`.

    Raises:
        ValueError: when `op` is neither.
    """

    def __init__(
        self,
        op: Callable,
        tensor: Tensor,
        peer: int | None = None,
        group: ProcessGroup | None = None,
        tag: int = 0,
        group_peer: int | None = None,
    ):
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


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Starts several sendings and receivings of one group.

    Args:
        p2p_op_list (list[P2POp]): what to start.

    Returns:
        list[Work]: a Work for each; wait for all of them.

    Raises:
        ValueError: when something else is in the list, or groups differ.
    """
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
    """Collectives of one kind inside this context run together at its end."""
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


def _start_collective(group, name, start, async_op):
    """Starts a collective immediately, or at the end of the enclosing coalescing manager."""
    if group in _world.pg_coalesce_state:
        _world.pg_coalesce_state[group].append((name, start))
        return _IllegalWork() if async_op else None
    return _wait_or_return_work(start(), async_op)


@_run_in_members_only
def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
):
    """Copies the tensor of one rank to those of all.

    Args:
        tensor (Tensor): what the source sends; is filled on the others. Of one shape and dtype on all.
        src (int, optional): the source's global rank; this or `group_src`.
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.
        group_src (int, optional): the source's rank in `group`.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.
    """
    group = _group_or_default_group(group)
    root = _canonicalize_group_rank(group, src, group_src)
    _check_single_tensor(tensor, "tensor")
    return _wait_or_return_work(
        group.broadcast([_view_complex_as_real(tensor)], BroadcastOptions(rootRank=root, asyncOp=async_op)), async_op
    )


@_run_in_members_only
def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op: bool = False):
    """Joins the tensors of all ranks element by element, in place: all ranks have the same bits afterwards.

    Args:
        tensor (Tensor): the rank's tensor; is overwritten. Of one shape and dtype on all.
        op (ReduceOp): how elements are joined. Default: ``ReduceOp.SUM``.
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.

    Raises:
        ValueError: when the tensor is complex and `op` needs an order or bits.
    """
    _check_single_tensor(tensor, "tensor")
    _refuse_complex_tensors_for_op("all_reduce", [tensor], op)
    options = _make_reduction_options(AllreduceOptions, op, async_op)
    group = _group_or_default_group(group)
    return _start_collective(
        group, "all_reduce", lambda: group.allreduce([_view_complex_as_real(tensor)], options), async_op
    )


class _IllegalWork(Work):
    """The work of a collective inside a coalescing manager; only the manager's work can be waited for."""

    def __getattribute__(self, name):
        if name in ("is_success", "exception", "wait", "source_rank", "result", "synchronize", "is_completed"):
            raise ValueError(f"Illegal to call {name} on IllegalWork object")
        return object.__getattribute__(self, name)


@_run_in_members_only
@deprecated(
    "`torch.distributed.all_reduce_coalesced` will be deprecated. If you must use it, please revisit our "
    "documentation later at https://pytorch.org/docs/main/distributed.html#collective-functions",
    category=FutureWarning,
)
def all_reduce_coalesced(tensors, op=ReduceOp.SUM, group=None, async_op: bool = False):
    """Joins each of several tensors with those of all ranks, in place; deprecated, with a warning.

    Args:
        tensors (list[Tensor] or Tensor): the rank's tensors, of one dtype; are overwritten.
        op (ReduceOp): how elements are joined. Default: ``ReduceOp.SUM``.
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.
    """
    tensors = [tensors] if isinstance(tensors, Tensor) else tensors
    _check_tensor_list(tensors, "tensor")
    _ensure_all_tensors_same_dtype(tensors)
    _refuse_complex_tensors_for_op("all_reduce", tensors, op)
    options = _make_reduction_options(AllreduceCoalescedOptions, op, async_op)
    return _wait_or_return_work(
        _group_or_default_group(group).allreduce_coalesced(_view_all_as_real(tensors), options), async_op
    )


@_run_in_members_only
def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op=ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
):
    """Joins the tensors of all ranks element by element, in the tensor of one.

    Args:
        tensor (Tensor): the rank's tensor; is overwritten on the destination.
        dst (int, optional): the destination's global rank; this or `group_dst`.
        op (ReduceOp): how elements are joined. Default: ``ReduceOp.SUM``.
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.
        group_dst (int, optional): the destination's rank in `group`.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.
    """
    group = _group_or_default_group(group)
    root = _canonicalize_group_rank(group, dst, group_dst)
    _check_single_tensor(tensor, "tensor")
    options = _make_reduction_options(ReduceOptions, op, async_op)
    options.rootRank = root
    return _wait_or_return_work(group.reduce([tensor], options), async_op)


@_run_in_members_only
def all_gather(tensor_list, tensor, group=None, async_op: bool = False):
    """Fills a list with the tensors of all ranks, in the order of the ranks.

    Args:
        tensor_list (list[Tensor]): a tensor for each rank, of the shape of `tensor`; are filled.
        tensor (Tensor): what this rank gives.
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.
    """
    _check_tensor_list(tensor_list, "tensor_list")
    _check_single_tensor(tensor, "tensor")
    _ensure_all_tensors_same_dtype(tensor_list, tensor)
    group = _group_or_default_group(group)
    return _wait_or_return_work(
        group.allgather(
            [_view_all_as_real(tensor_list)], [_view_complex_as_real(tensor)], AllgatherOptions(asyncOp=async_op)
        ),
        async_op,
    )


@_run_in_members_only
def all_gather_single(output_tensor, input_tensor, group=None, async_op: bool = False):
    """Fills one tensor with those of all ranks.

    Args:
        output_tensor (Tensor): is filled: the tensors one after another along the first dimension, or, with
            one dimension more than `input_tensor`, at the indices of a new first dimension.
        input_tensor (Tensor): what this rank gives; of one shape on all.
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.
    """
    _check_single_tensor(input_tensor, "input_tensor")
    _check_single_tensor(output_tensor, "output_tensor")
    group, options = _group_or_default_group(group), AllgatherOptions(asyncOp=async_op)
    output, value = _view_complex_as_real(output_tensor), _view_complex_as_real(input_tensor)
    return _start_collective(
        group, "all_gather_single", lambda: group._allgather_base(output, value, options), async_op
    )


@deprecated(
    "`torch.distributed.all_gather_into_tensor` is deprecated. Please use "
    "`torch.distributed.all_gather_single` instead.",
    category=FutureWarning,
)
def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op: bool = False):
    """Fills one tensor with those of all ranks: the deprecated name of all_gather_single.

    Args:
        output_tensor (Tensor): is filled.
        input_tensor (Tensor): what this rank gives.
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.
    """
    return all_gather_single(output_tensor, input_tensor, group, async_op)


@deprecated(
    "`torch.distributed._all_gather_base` is a private function and will be deprecated. "
    "Please use `torch.distributed.all_gather_single` instead.",
    category=FutureWarning,
)
def _all_gather_base(output_tensor, input_tensor, group=None, async_op=False):
    return all_gather_single(output_tensor, input_tensor, group, async_op)


@_run_in_members_only
@deprecated(
    "`torch.distributed.all_gather_coalesced` will be deprecated. If you must use it, please revisit our "
    "documentation later at https://pytorch.org/docs/main/distributed.html#collective-functions",
    category=FutureWarning,
)
def all_gather_coalesced(output_tensor_lists, input_tensor_list, group=None, async_op: bool = False):
    """Fills a list for each rank with the several tensors that it gives; deprecated, with a warning.

    Args:
        output_tensor_lists (list[list[Tensor]]): a list for each rank, of tensors that are filled.
        input_tensor_list (list[Tensor]): what this rank gives, of one dtype.
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.
    """
    _check_tensor_list(input_tensor_list, "input_tensor_list")
    _ensure_all_tensors_same_dtype(input_tensor_list)
    if not isinstance(output_tensor_lists, list):
        raise TypeError("Invalid function argument: output_tensor_lists should be a list")
    for each in output_tensor_lists:
        _check_tensor_list(each, "output_tensor_lists")
    group = _group_or_default_group(group)
    lists = [_view_all_as_real(each) for each in output_tensor_lists]
    return _wait_or_return_work(
        group.allgather_coalesced(lists, _view_all_as_real(input_tensor_list), AllgatherOptions(asyncOp=async_op)),
        async_op,
    )


@_run_in_members_only
def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
):
    """Fills the list of one rank with the tensors of all, in the order of the ranks.

    Args:
        tensor (Tensor): what this rank gives; of one shape and dtype on all.
        gather_list (list[Tensor], optional): on the destination, a tensor for each rank; None elsewhere.
        dst (int, optional): the destination's global rank. Default: 0.
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.
        group_dst (int, optional): the destination's rank in `group`, in place of `dst`.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.

    Raises:
        ValueError: when the list is missing on the destination, or given elsewhere.
    """
    _check_single_tensor(tensor, "tensor")
    if gather_list:
        _check_tensor_list(gather_list, "gather_list")
    _ensure_all_tensors_same_dtype(tensor, gather_list or [])
    group = _group_or_default_group(group)
    root = _choose_root_rank(group, dst, group_dst)
    _check_list_only_on_root(group, root, "gather_list", gather_list, "destination")
    outputs = [_view_all_as_real(gather_list)] if group.rank() == root else []
    return _wait_or_return_work(
        group.gather(outputs, [_view_complex_as_real(tensor)], GatherOptions(rootRank=root, asyncOp=async_op)), async_op
    )


@_run_in_members_only
def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
):
    """Gives each rank its tensor of the list of one.

    Args:
        tensor (Tensor): is filled; of one shape and dtype on all.
        scatter_list (list[Tensor], optional): on the source, a tensor for each rank; None elsewhere.
        src (int, optional): the source's global rank. Default: 0.
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.
        group_src (int, optional): the source's rank in `group`, in place of `src`.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.

    Raises:
        ValueError: when the list is missing on the source, or given elsewhere.
    """
    _check_single_tensor(tensor, "tensor")
    if scatter_list:
        _check_tensor_list(scatter_list, "scatter_list")
    _ensure_all_tensors_same_dtype(tensor, scatter_list or [])
    group = _group_or_default_group(group)
    root = _choose_root_rank(group, src, group_src)
    _check_list_only_on_root(group, root, "scatter_list", scatter_list, "source")
    inputs = [_view_all_as_real(scatter_list)] if group.rank() == root else []
    return _wait_or_return_work(
        group.scatter([_view_complex_as_real(tensor)], inputs, ScatterOptions(rootRank=root, asyncOp=async_op)),
        async_op,
    )


@_run_in_members_only
def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op: bool = False):
    """Joins the lists of all ranks index by index, and gives every rank the result at its own index.

    Args:
        output (Tensor): is filled.
        input_list (list[Tensor]): a tensor for each rank, of the shape of `output`.
        op (ReduceOp): how elements are joined. Default: ``ReduceOp.SUM``.
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.
    """
    _check_single_tensor(output, "output")
    _check_tensor_list(input_list, "input_list")
    _ensure_all_tensors_same_dtype(output, input_list)
    _refuse_complex_tensors_for_op("reduce_scatter", [output], op)
    options, group = _make_reduction_options(ReduceScatterOptions, op, async_op), _group_or_default_group(group)
    return _wait_or_return_work(
        group.reduce_scatter([_view_complex_as_real(output)], [_view_all_as_real(input_list)], options), async_op
    )


@_run_in_members_only
def reduce_scatter_single(output, input, op=ReduceOp.SUM, group=None, async_op: bool = False):
    """Joins the tensors of all ranks, and gives every rank its share of the first dimension.

    Args:
        output (Tensor): is filled.
        input (Tensor): what this rank gives; as many times as large as `output` as there are ranks.
        op (ReduceOp): how elements are joined. Default: ``ReduceOp.SUM``.
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.
    """
    _check_single_tensor(output, "output")
    _check_single_tensor(input, "input")
    _refuse_complex_tensors_for_op("reduce_scatter_single", [input], op)
    options, group = _make_reduction_options(ReduceScatterOptions, op, async_op), _group_or_default_group(group)
    output, value = _view_complex_as_real(output), _view_complex_as_real(input)
    return _start_collective(
        group, "reduce_scatter_single", lambda: group._reduce_scatter_base(output, value, options), async_op
    )


@deprecated(
    "`torch.distributed.reduce_scatter_tensor` is deprecated. Please use "
    "`torch.distributed.reduce_scatter_single` instead.",
    category=FutureWarning,
)
def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op: bool = False):
    """Joins tensors and shares the result out: the deprecated name of reduce_scatter_single.

    Args:
        output (Tensor): is filled.
        input (Tensor): what this rank gives.
        op (ReduceOp): how elements are joined. Default: ``ReduceOp.SUM``.
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.
    """
    return reduce_scatter_single(output, input, op, group, async_op)


@deprecated(
    "`torch.distributed._reduce_scatter_base` is a private function and will be deprecated. "
    "Please use `torch.distributed.reduce_scatter_single` instead.",
    category=FutureWarning,
)
def _reduce_scatter_base(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    return reduce_scatter_single(output, input, op, group, async_op)


@_run_in_members_only
def all_to_all_single(
    output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op: bool = False
):
    """Sends rows of a tensor to each rank, and fills another with the rows that come.

    Args:
        output (Tensor): is filled, in the order of the ranks.
        input (Tensor): its rows are sent, in the order of the ranks.
        output_split_sizes (list[int], optional): rows that come from each rank. Default: as many from each.
        input_split_sizes (list[int], optional): rows for each rank. Default: as many for each.
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.
    """
    _check_single_tensor(output, "output")
    _check_single_tensor(input, "input")
    _ensure_all_tensors_same_dtype(output, input)
    options, group = AllToAllOptions(asyncOp=async_op), _group_or_default_group(group)
    sizes = list(output_split_sizes or ()), list(input_split_sizes or ())
    return _wait_or_return_work(
        group.alltoall_base(_view_complex_as_real(output), _view_complex_as_real(input), *sizes, options), async_op
    )


@_run_in_members_only
def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op: bool = False):
    """Sends each tensor of a list to the rank of its index, and fills another list with what comes.

    Args:
        output_tensor_list (list[Tensor]): a tensor for each rank; are filled.
        input_tensor_list (list[Tensor]): a tensor for each rank; are sent.
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.
    """
    _check_tensor_list(output_tensor_list, "output_tensor_list")
    _check_tensor_list(input_tensor_list, "input_tensor_list")
    _ensure_all_tensors_same_dtype(output_tensor_list, input_tensor_list)
    options, group = AllToAllOptions(asyncOp=async_op), _group_or_default_group(group)
    return _wait_or_return_work(
        group.alltoall(_view_all_as_real(output_tensor_list), _view_all_as_real(input_tensor_list), options), async_op
    )


@_run_in_members_only
def barrier(
    group: ProcessGroup | None = None, async_op: bool = False, device_ids=None, timeout: timedelta | None = None
):
    """Waits until all ranks of a group have called it.

    Args:
        group (ProcessGroup, optional): the group. Default: the default group.
        async_op (bool): returns a Work at once instead of waiting. Default: ``False``.
        device_ids (list[int], optional): devices of other backends; gloo does not look at them.
        timeout (timedelta, optional): not looked at; the group's own holds.

    Returns:
        Work or None: the Work with `async_op`; otherwise None, also in a process outside the group.
    """
    if device_ids is not None and not isinstance(device_ids, list):
        raise TypeError("Invalid function argument: device_ids type should be List[int]")
    return _wait_or_return_work(
        _group_or_default_group(group).barrier(BarrierOptions(asyncOp=async_op, device_ids=device_ids)), async_op
    )


@_run_in_members_only
def monitored_barrier(group: ProcessGroup | None = None, timeout=None, wait_all_ranks: bool = False):
    """Waits until all ranks have called it; rank 0 reports the ranks that did not in time.

    Args:
        group (ProcessGroup, optional): the group. Default: the default group.
        timeout (timedelta, optional): how long to wait; a float is seconds. Default: 30 minutes.
        wait_all_ranks (bool): names all ranks that are missing, not only the first. Default: ``False``.

    Returns:
        None.

    Raises:
        RuntimeError: when a rank did not call it in time.
        ValueError: when the backend is not gloo.
    """
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
