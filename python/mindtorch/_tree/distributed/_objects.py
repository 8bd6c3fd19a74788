"""Collectives of pickled objects. Unpickling runs code: trust the other members."""

import pickle

from .. import empty, empty_like, tensor, uint8
from ._checks import _canonicalize_group_rank, _check_list_of_root, _check_not_self_rank, _member, _root
from ._collectives import all_gather, broadcast, gather, recv, scatter, send
from ._transport import memory_of
from ._world import _group_or_default_group, _rank_not_in_group


def _object_to_tensor(obj, device=None, group=None):
    data = pickle.dumps(obj)
    value = empty(len(data), dtype=uint8)
    memory_of(value)[:] = data
    return value, tensor([len(data)])


def _tensor_to_object(value, size, group=None):
    return pickle.loads(memory_of(value)[: int(size)])


def _sized(obj, group):
    """A pickled object, as long as the longest of all ranks', and the sizes of all."""
    data, size = _object_to_tensor(obj)
    sizes = [tensor([0]) for _ in range(group.size())]
    all_gather(sizes, size, group)
    return data.resize_(max(map(int, sizes))), sizes


@_member
def all_gather_object(object_list, obj, group=None):
    """Fills the list with the pickled objects of all ranks. Unpickling runs code: trust the members."""
    group = _group_or_default_group(group)
    data, sizes = _sized(obj, group)
    outputs = [empty_like(data) for _ in sizes]
    all_gather(outputs, data, group)
    for place, (output, size) in enumerate(zip(outputs, sizes, strict=True)):
        object_list[place] = _tensor_to_object(output, size)


@_member
def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    """Fills the list of one rank with the pickled objects of all. Unpickling runs code: trust the members."""
    group = _group_or_default_group(group)
    root = _root(group, dst, group_dst)
    _check_list_of_root(group, root, "gather_list", object_gather_list, "destination")
    data, sizes = _sized(obj, group)
    outputs = [empty_like(data) for _ in sizes] if group.rank() == root else None
    gather(data, outputs, group=group, group_dst=root)
    for place, output in enumerate(outputs or ()):
        object_gather_list[place] = _tensor_to_object(output, sizes[place])


def _pack(objects):
    pairs = [_object_to_tensor(each) for each in objects]
    sizes = tensor([int(size) for _, size in pairs])
    whole = empty(int(sizes.sum()), dtype=uint8)
    for part, (data, _) in zip(whole.split(sizes.tolist()), pairs, strict=True):
        part.copy_(data)
    return sizes, whole


def _unpack(sizes, whole, objects):
    for place, part in enumerate(whole.split(sizes.tolist())):
        objects[place] = _tensor_to_object(part, part.numel())


@_member
def send_object_list(object_list, dst=None, group=None, device=None, group_dst=None, use_batch=False):
    """Sends pickled objects to a rank."""
    group = _group_or_default_group(group)
    root = _canonicalize_group_rank(group, dst, group_dst)
    _check_not_self_rank(group, root, "destination")
    for each in _pack(object_list):
        send(each, group=group, group_dst=root)


def recv_object_list(object_list, src=None, group=None, device=None, group_src=None, use_batch=False):
    """Fills the list with what a rank sends (None: any); gives its rank. Unpickling runs code: trust the sender."""
    if _rank_not_in_group(group):
        return -1
    group = _group_or_default_group(group)
    sizes = tensor([0] * len(object_list))
    source = recv(sizes, src, group, group_src=group_src)
    whole = empty(int(sizes.sum()), dtype=uint8)
    recv(whole, source, group)
    _unpack(sizes, whole, object_list)
    return source


@_member
def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """Fills the lists of all ranks, of one length, with the pickled objects of one.

    Unpickling runs code: trust the source.
    """
    group = _group_or_default_group(group)
    root = _root(group, src, group_src)
    here = group.rank() == root
    sizes, whole = _pack(object_list) if here else (tensor([0] * len(object_list)), None)
    broadcast(sizes, group=group, group_src=root)
    whole = whole if here else empty(int(sizes.sum()), dtype=uint8)
    broadcast(whole, group=group, group_src=root)
    if not here:
        _unpack(sizes, whole, object_list)


@_member
def scatter_object_list(
    scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None
):
    """Gives each rank, in its list's first place, its object of the list of one.

    Unpickling runs code: trust the source.
    """
    group = _group_or_default_group(group)
    root = _root(group, src, group_src)
    if not isinstance(scatter_object_output_list, list) or len(scatter_object_output_list) < 1:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    data = sizes = None
    longest = tensor([0])
    if group.rank() == root:
        if scatter_object_input_list is None:
            raise ValueError("source rank must provide non-None scatter_object_input_list")
        data, sizes = map(list, zip(*map(_object_to_tensor, scatter_object_input_list), strict=True))
        longest = max(sizes).clone()
        for each in data:
            each.resize_(int(longest))
    broadcast(longest, group=group, group_src=root)
    output, size = empty(int(longest), dtype=uint8), tensor([0])
    scatter(output, data, group=group, group_src=root)
    scatter(size, sizes, group=group, group_src=root)
    scatter_object_output_list[0] = _tensor_to_object(output, size)
