"""Which elements of a distributed tensor each rank has: arithmetic on dimensions, without tensors.

A dimension's part on one rank is a list of intervals `(start, stop)` of global indices, in the order in which the
rank stores them. Placements cut a dimension one after the other, from the first dimension of the mesh to the last.
"""

from .placement_types import Shard, _StridedShard


def is_shard_placement(placement) -> bool:
    """Returns whether the placement gives each rank a piece of a dimension."""
    return isinstance(placement, (Shard, _StridedShard))


def length(intervals) -> int:
    """Returns the number of indices in the intervals."""
    return sum(stop - start for start, stop in intervals)


def _slice_intervals(intervals, start, stop):
    """Returns the intervals of the positions from `start` to `stop`; adjacent intervals become one."""
    found, passed = [], 0
    for first, last in intervals:
        begin, end = max(first, first + start - passed), min(last, first + stop - passed)
        passed += last - first
        if begin >= end:
            continue
        if found and found[-1][1] == begin:
            begin = found.pop()[0]
        found.append((begin, end))
    return found


def _chunk_bounds(size, count, index):
    """Returns start and stop of a chunk: all have ceil(size / count) elements, except the last ones."""
    full = -(-size // count)
    return min(index * full, size), min((index + 1) * full, size)


def intervals_of_shard(intervals, placement, count, index):
    """Returns the part that a placement gives the rank `index` of `count`."""
    if isinstance(placement, _StridedShard):
        found, size = [], length(intervals)
        for block in range(placement.split_factor):
            start, stop = _chunk_bounds(size, placement.split_factor, block)
            begin, end = _chunk_bounds(stop - start, count, index)
            for first, last in _slice_intervals(intervals, start + begin, start + end):
                if found and found[-1][1] == first:
                    first = found.pop()[0]
                found.append((first, last))
        return found
    return _slice_intervals(intervals, *_chunk_bounds(length(intervals), count, index))


def intervals_on_rank(size, dim, mesh_shape, placements, coordinate):
    """Returns the intervals of one dimension of a tensor that a rank has.

    Args:
        size: the dimension's global size.
        dim: the dimension.
        mesh_shape, placements: the mesh's sizes and how each cuts the tensor.
        coordinate: the rank's indices in the mesh.
    """
    intervals = [(0, size)] if size else []
    for count, placement, index in zip(mesh_shape, placements, coordinate):
        if is_shard_placement(placement) and placement.dim == dim:
            intervals = intervals_of_shard(intervals, placement, count, index)
    return intervals


def local_shape(shape, mesh, placements, coordinate=None) -> tuple[int, ...]:
    """Returns the shape of a rank's piece; of this rank's if `coordinate` is None."""
    coordinate = mesh.get_coordinate() if coordinate is None else coordinate
    if coordinate is None:
        return (0,)
    cuts = {placement.dim for placement in placements if is_shard_placement(placement)}
    mesh_shape = mesh.shape
    return tuple(
        length(intervals_on_rank(size, dim, mesh_shape, placements, coordinate)) if dim in cuts else size
        for dim, size in enumerate(shape)
    )


def local_shape_and_offset(shape, mesh, placements, coordinate=None):
    """Returns shape and offset of a rank's piece; the offset of an empty piece is the dimension's size."""
    coordinate = mesh.get_coordinate() if coordinate is None else coordinate
    if coordinate is None:
        return (0,), ()
    parts = [intervals_on_rank(size, dim, mesh.shape, placements, coordinate) for dim, size in enumerate(shape)]
    offset = tuple(found[0][0] if found else size for found, size in zip(parts, shape))
    return tuple(map(length, parts)), offset


def global_shape_and_strides(tensor, mesh, placements):
    """Returns shape and strides of the distributed tensor of which every rank has a piece of this shape."""
    shape, strides = list(tensor.shape), list(tensor.stride())
    for index, placement in enumerate(placements):
        if not is_shard_placement(placement):
            continue
        if placement.dim < 0:
            raise AssertionError(
                f"Shard placements should have negative dims normalized in the user-facing APIs: {placement}"
            )
        if placement.dim >= tensor.ndim:
            raise AssertionError(
                f"Sharding dim {placement.dim} greater than tensor ndim {tensor.ndim} for placement number {index}."
            )
        count, dim = mesh.size(index), placement.dim
        shape[dim] *= count
        for other in range(tensor.ndim):
            if other != dim and strides[other] >= strides[dim]:
                strides[other] *= count
    return tuple(shape), tuple(strides)
