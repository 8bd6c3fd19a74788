"""Collectives of pickled objects. Unpickling runs code: trust the other members."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from .. import empty, empty_like, frombuffer, tensor, uint8
from .._zip_archive import memory_view_of_storage
from ._checks import (
    _canonicalize_group_rank,
    _check_list_only_on_root,
    _check_not_self_rank,
    _run_in_members_only,
    _choose_root_rank,
)
from ._collectives import all_gather, broadcast, gather, recv, scatter, send
from ._world import _group_or_default_group, _rank_not_in_group

if TYPE_CHECKING:
    from ._groups import ProcessGroup


def _device_of(group):
    """The device for pickled objects: the CPU if the group has a backend for it."""
    kinds = list(getattr(group, "_backends", ())) or ["cpu"]
    return "cpu" if "cpu" in kinds else kinds[0]


def _object_to_tensor(obj, device=None, group=None):
    data = bytearray(pickle.dumps(obj))
    return frombuffer(data, dtype=uint8).clone().to(device or "cpu"), tensor([len(data)], device=device)


def _tensor_to_object(value, size, group=None):
    value = value.cpu()
    start = value.storage_offset()
    return pickle.loads(memory_view_of_storage(value.untyped_storage())[start : start + int(size)])


def _pickle_to_common_size(obj, group):
    """Gathers a pickled object as long as the longest of all ranks', and the sizes of all."""
    data, size = _object_to_tensor(obj, _device_of(group))
    sizes = [empty_like(size) for _ in range(group.size())]
    all_gather(sizes, size, group)
    return data.resize_(max(map(int, sizes))), sizes


@_run_in_members_only
def all_gather_object(object_list, obj, group=None):
    """Fills a list with the objects of all ranks, in the order of the ranks.

    They are pickled on the way. Unpickling runs code: trust the members.

    Args:
        object_list (list): has an entry for each rank; is overwritten.
        obj (Any): what this rank gives.
        group (ProcessGroup, optional): the group. Default: the default group.

    Returns:
        None.
    """
    group = _group_or_default_group(group)
    data, sizes = _pickle_to_common_size(obj, group)
    outputs = [empty_like(data) for _ in sizes]
    all_gather(outputs, data, group)
    for place, (output, size) in enumerate(zip(outputs, sizes, strict=True)):
        object_list[place] = _tensor_to_object(output, size)


@_run_in_members_only
def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int | None = None, group: ProcessGroup | None = None,
    group_dst: int | None = None,
):  # fmt: skip
    """Fills the list of one rank with the objects of all, in the order of the ranks.

    They are pickled on the way. Unpickling runs code: trust the members.

    Args:
        obj (Any): what this rank gives.
        object_gather_list (list, optional): on the destination, has an entry for each rank; None elsewhere.
        dst (int, optional): the destination's global rank. Default: 0.
        group (ProcessGroup, optional): the group. Default: the default group.
        group_dst (int, optional): the destination's rank in `group`, in place of `dst`.

    Returns:
        None.
    """
    group = _group_or_default_group(group)
    root = _choose_root_rank(group, dst, group_dst)
    _check_list_only_on_root(group, root, "gather_list", object_gather_list, "destination")
    data, sizes = _pickle_to_common_size(obj, group)
    outputs = [empty_like(data) for _ in sizes] if group.rank() == root else None
    gather(data, outputs, group=group, group_dst=root)
    for place, output in enumerate(outputs or ()):
        object_gather_list[place] = _tensor_to_object(output, sizes[place])


def _pickle_into_one_tensor(objects, device):
    pairs = [_object_to_tensor(each) for each in objects]
    sizes = tensor([int(size) for _, size in pairs])
    whole = empty(int(sizes.sum()), dtype=uint8)
    for part, (data, _) in zip(whole.split(sizes.tolist()), pairs, strict=True):
        part.copy_(data)
    return sizes.to(device), whole.to(device)


def _unpickle_from_one_tensor(sizes, whole, objects):
    for place, part in enumerate(whole.split(sizes.tolist())):
        objects[place] = _tensor_to_object(part, part.numel())


@_run_in_members_only
def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: ProcessGroup | None = None,
    device=None,
    group_dst: int | None = None,
    use_batch: bool = False,
):
    """Sends pickled objects to a rank, which calls recv_object_list.

    Args:
        object_list (list): the objects.
        dst (int, optional): the receiver's global rank; this or `group_dst`.
        group (ProcessGroup, optional): the group. Default: the default group.
        device (torch.device, optional): not looked at.
        group_dst (int, optional): the receiver's rank in `group`.
        use_batch (bool): not looked at. Default: ``False``.

    Returns:
        None.
    """
    group = _group_or_default_group(group)
    root = _canonicalize_group_rank(group, dst, group_dst)
    _check_not_self_rank(group, root, "destination")
    for each in _pickle_into_one_tensor(object_list, _device_of(group)):
        send(each, group=group, group_dst=root)


def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device=None,
    group_src: int | None = None,
    use_batch: bool = False,
):
    """Fills a list with the objects that a rank sends by send_object_list.

    Unpickling runs code: trust the sender.

    Args:
        object_list (list): as long as the sender's; is overwritten.
        src (int, optional): the sender's global rank. Default: any.
        group (ProcessGroup, optional): the group. Default: the default group.
        device (torch.device, optional): not looked at.
        group_src (int, optional): the sender's rank in `group`, in place of `src`.
        use_batch (bool): not looked at. Default: ``False``.

    Returns:
        int: the sender's global rank; -1 where this process is no member.
    """
    if _rank_not_in_group(group):
        return -1
    group = _group_or_default_group(group)
    where = _device_of(group)
    sizes = tensor([0] * len(object_list), device=where)
    source = recv(sizes, src, group, group_src=group_src)
    whole = empty(int(sizes.sum()), dtype=uint8, device=where)
    recv(whole, source, group)
    _unpickle_from_one_tensor(sizes, whole, object_list)
    return source


@_run_in_members_only
def broadcast_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device=None,
    group_src: int | None = None,
):
    """Fills the lists of all ranks with the objects of one.

    They are pickled on the way. Unpickling runs code: trust the source.

    Args:
        object_list (list): the source's objects; is overwritten on the others, of the same length.
        src (int, optional): the source's global rank. Default: 0.
        group (ProcessGroup, optional): the group. Default: the default group.
        device (torch.device, optional): not looked at.
        group_src (int, optional): the source's rank in `group`, in place of `src`.

    Returns:
        None.
    """
    group = _group_or_default_group(group)
    root = _choose_root_rank(group, src, group_src)
    here, where = group.rank() == root, _device_of(group)
    sizes, whole = (
        _pickle_into_one_tensor(object_list, where) if here else (tensor([0] * len(object_list), device=where), None)
    )
    broadcast(sizes, group=group, group_src=root)
    whole = whole if here else empty(int(sizes.sum()), dtype=uint8, device=where)
    broadcast(whole, group=group, group_src=root)
    if not here:
        _unpickle_from_one_tensor(sizes, whole, object_list)


@_run_in_members_only
def scatter_object_list(
    scatter_object_output_list: list[Any], scatter_object_input_list: list[Any] | None = None, src: int | None = None,
    group: ProcessGroup | None = None, group_src: int | None = None,
):  # fmt: skip
    """Gives each rank its object of the list of one.

    They are pickled on the way. Unpickling runs code: trust the source.

    Args:
        scatter_object_output_list (list): not empty; its first entry is overwritten.
        scatter_object_input_list (list, optional): on the source, an object for each rank.
        src (int, optional): the source's global rank. Default: 0.
        group (ProcessGroup, optional): the group. Default: the default group.
        group_src (int, optional): the source's rank in `group`, in place of `src`.

    Returns:
        None.

    Raises:
        ValueError: when a list is missing or empty.
    """
    group = _group_or_default_group(group)
    root = _choose_root_rank(group, src, group_src)
    if not isinstance(scatter_object_output_list, list) or len(scatter_object_output_list) < 1:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    data = sizes = None
    where = _device_of(group)
    longest = tensor([0], device=where)
    if group.rank() == root:
        if scatter_object_input_list is None:
            raise ValueError("source rank must provide non-None scatter_object_input_list")
        data, sizes = map(
            list, zip(*(_object_to_tensor(each, where) for each in scatter_object_input_list), strict=True)
        )
        longest = max(sizes).clone()
        for each in data:
            each.resize_(int(longest))
    broadcast(longest, group=group, group_src=root)
    output, size = empty(int(longest), dtype=uint8, device=where), tensor([0], device=where)
    scatter(output, data, group=group, group_src=root)
    scatter(size, sizes, group=group, group_src=root)
    scatter_object_output_list[0] = _tensor_to_object(output, size)
