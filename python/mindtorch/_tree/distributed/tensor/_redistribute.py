"""Moves a tensor's pieces from one list of placements to another, one dimension of the mesh at a time."""

from ..._root import torch
from ...autograd import Function
from .. import _functional_collectives as collectives
from ._dtensor_spec import DTensorSpec, tensor_meta_of, replace_partial_by_replicate
from ._layout import intervals_of_shard, is_shard_placement, length, intervals_on_rank
from .placement_types import Partial, Replicate, _NormPartial, _StridedShard


def redistribute(local, current: DTensorSpec, target: DTensorSpec, forward_dtype=None):
    """Returns this rank's piece after the placements of `target`.

    Args:
        local: this rank's piece after the placements of `current`.
        current, target: two specs with the same mesh and global shape.
        forward_dtype: the pieces' dtype while they are moved; unchanged if None.
    """
    if current.mesh != target.mesh:
        raise NotImplementedError("Cross device mesh comm not supported yet!")
    if current.placements == target.placements or current.mesh.get_coordinate() is None:
        return local
    if forward_dtype is not None and forward_dtype != local.dtype:
        return redistribute(local.to(forward_dtype), current, target).to(local.dtype)
    placements = list(current.placements)
    for mesh_dim, placement in plan(current.placements, target.placements):
        local = _change_one_placement(local, current.mesh, current.shape, placements, mesh_dim, placement)
        placements[mesh_dim] = placement
    return local


def plan(source, target):
    """Returns steps `(dimension of the mesh, new placement)`.

    Pieces of pieces come together in the reverse order of their cuts: the first pass removes cuts from the last
    dimension of the mesh to the first, the second adds cuts and finishes sums from the first to the last.
    """
    state, steps = list(source), []

    def sharded_dims_at(index):
        return {placement.dim for placement in (source[index], target[index]) if is_shard_placement(placement)}

    def outer_mesh_dim_changes(index, dim):
        return any(source[outer] != target[outer] and dim in sharded_dims_at(outer) for outer in range(index))

    for index in reversed(range(len(state))):
        now, then = state[index], target[index]
        if not is_shard_placement(now) or (now == then and not outer_mesh_dim_changes(index, now.dim)):
            continue
        direct = (
            is_shard_placement(then)
            and not isinstance(now, _StridedShard)
            and not isinstance(then, _StridedShard)
            and now.dim != then.dim
            and not outer_mesh_dim_changes(index, then.dim)
            and not any(is_shard_placement(inner) and inner.dim == then.dim for inner in state[index + 1 :])
        )
        state[index] = then if direct else Replicate()
        steps.append((index, state[index]))
    for index, then in enumerate(target):
        if isinstance(state[index], Partial) and isinstance(then, Partial) and state[index] != then:
            steps.append((index, Replicate()))
            state[index] = Replicate()
        if state[index] != then:
            steps.append((index, then))
    return steps


def _change_one_placement(local, mesh, shape, placements, mesh_dim, then):
    """Returns the piece after one placement has changed."""
    now = placements[mesh_dim]
    group, count, rank = (mesh, mesh_dim), mesh.size(mesh_dim), mesh.get_local_rank(mesh_dim)
    if isinstance(now, Partial):
        if isinstance(then, Replicate):
            return _all_reduce_partial(local, now, group)
        return _reduce_and_shard(local, now, then, group, count, rank)
    if isinstance(then, Partial):
        if is_shard_placement(now):
            raise RuntimeError(f"redistribute from {now} to {then} not supported yet")
        return _make_partial_term(local, then, count, rank)
    if is_shard_placement(now):
        size = _local_size_before_mesh_dim_shards(shape, mesh, placements, mesh_dim, now.dim)
        if is_shard_placement(then):
            return _reshard_by_all_to_all(local, now.dim, then.dim, size, group, count, rank)
        return _gather_shards(local, now, size, group, count)
    return take(local, then, count, rank)


def _local_size_before_mesh_dim_shards(shape, mesh, placements, mesh_dim, dim):
    """Returns the size of a dimension before the cut of a dimension of the mesh."""
    outer = placements[:mesh_dim]
    return length(intervals_on_rank(shape[dim], dim, mesh.shape, outer, mesh.get_coordinate()))


def take(local, placement, count, rank):
    """Returns the piece of a replicated tensor that a placement gives a rank, as a tensor of its own."""
    dim = placement.dim
    pieces = [
        local.narrow(dim, start, stop - start)
        for start, stop in intervals_of_shard([(0, local.size(dim))] if local.size(dim) else [], placement, count, rank)
    ]
    if not pieces:
        return local.narrow(dim, 0, 0).clone(memory_format=torch.contiguous_format)
    if len(pieces) > 1:
        return torch.cat(pieces, dim)
    return pieces[0].clone(memory_format=torch.contiguous_format) if count > 1 else pieces[0]


def _pad_with_zeros(tensor, dim, size):
    if tensor.size(dim) == size:
        return tensor
    shape = list(tensor.shape)
    shape[dim] = size - tensor.size(dim)
    return torch.cat([tensor, tensor.new_zeros(shape)], dim)


def _gather_shards(local, now, size, group, count):
    """Returns the concatenated pieces of all ranks, in the order of their global indices."""
    whole = [(0, size)] if size else []
    parts = [intervals_of_shard(whole, now, count, rank) for rank in range(count)]
    lengths = [length(found) for found in parts]
    dim, largest = now.dim, max(lengths)
    if not largest:
        return local
    gathered = collectives.all_gather_tensor(_pad_with_zeros(local, dim, largest), dim, group)
    if lengths != [largest] * count:
        pieces = [gathered.narrow(dim, rank * largest, lengths[rank]) for rank in range(count)]
        gathered = torch.cat(pieces, dim)
    if not isinstance(now, _StridedShard):
        return gathered
    order = [index for found in parts for start, stop in found for index in range(start, stop)]
    return gathered.index_select(dim, torch.tensor(order, device=local.device).argsort())


def _reshard_by_all_to_all(local, old, new, size, group, count, rank):
    """Returns the piece along the dimension `new` of a tensor that was cut along `old`."""
    mine = [
        intervals_of_shard([(0, local.size(new))], placement, count, other)
        for placement in [_Plain(new)]
        for other in range(count)
    ]
    sent = [
        (local.narrow(new, found[0][0], length(found)) if found else local.narrow(new, 0, 0)).reshape(-1)
        for found in mine
    ]
    shape = list(local.shape)
    shape[new] = length(mine[rank])
    shapes = []
    for other in range(count):
        shape[old] = length(intervals_of_shard([(0, size)] if size else [], _Plain(old), count, other))
        shapes.append(tuple(shape))
    counts = [torch.Size(found).numel() for found in shapes]
    received = collectives.all_to_all_single(torch.cat(sent), counts, [piece.numel() for piece in sent], group)
    pieces = [piece.view(found) for piece, found in zip(received.split(counts), shapes)]
    return torch.cat(pieces, old)


class _Plain:
    """A cut along a dimension."""

    def __init__(self, dim):
        self.dim = dim


def _all_reduce_partial(local, now, group):
    """Returns the complete tensor from its terms."""
    if isinstance(now, _NormPartial):
        return _from_norm_powers(now, collectives.all_reduce(_to_norm_powers(now, local), now.reduce_op, group))
    return collectives.all_reduce(local, now.reduce_op, group)


def _reduce_and_shard(local, now, then, group, count, rank):
    """Returns this rank's piece of the complete tensor."""
    size, dim = local.size(then.dim), then.dim
    if isinstance(now, _NormPartial) or isinstance(then, _StridedShard):
        return take(_all_reduce_partial(local, now, group), then, count, rank)
    full = -(-size // count)
    piece = collectives.reduce_scatter_tensor(_pad_with_zeros(local, dim, full * count), now.reduce_op, dim, group)
    mine = length(intervals_of_shard([(0, size)] if size else [], then, count, rank))
    return piece if mine == full else piece.narrow(dim, 0, mine).contiguous()


def _to_norm_powers(now, local):
    if now.norm_type in (float("inf"), float("-inf"), 0, 1):
        return local
    return local**now.norm_type


def _from_norm_powers(now, total):
    if now.norm_type in (float("inf"), float("-inf"), 0, 1):
        return total
    return total ** (1 / now.norm_type)


def _make_partial_term(local, then, count, rank):
    """Returns this rank's term of a tensor that all ranks have."""
    if isinstance(then, _NormPartial):
        if then.norm_type in (0, 1):
            return local / count
        if then.norm_type in (float("inf"), float("-inf")):
            return local
        return local / count ** (1 / then.norm_type)
    return local / count if then.reduce_op == "sum" else local


class Redistribute(Function):
    """Redistribution with a gradient, which goes back to the placements before."""

    @staticmethod
    def forward(ctx, tensor, mesh, placements, forward_dtype, backward_dtype):
        ctx.spec, ctx.dtypes = tensor._spec, (backward_dtype, tensor.dtype)
        target = DTensorSpec(mesh, placements, tensor._spec.tensor_meta)
        local = redistribute(tensor._local_tensor, tensor._spec, target, forward_dtype)
        if local is tensor._local_tensor:
            local = local.view_as(local)
        return type(tensor)(local, target, requires_grad=tensor.requires_grad)

    @staticmethod
    def backward(ctx, grad):
        # Where the input was Partial, each rank's term gets the complete gradient, which is Replicate.
        target = DTensorSpec(ctx.spec.mesh, replace_partial_by_replicate(ctx.spec.placements), tensor_meta_of(grad))
        local = redistribute(grad._local_tensor, grad._spec, target, ctx.dtypes[0])
        return type(grad)(local, target, requires_grad=grad.requires_grad), None, None, None, None
