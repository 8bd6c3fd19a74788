"""Sums of tensors of coordinates over gloo: places and values of all ranks side by side, then summed up."""

from .. import cat, empty, int64, no_grad, sparse_coo, sparse_coo_tensor, tensor
from ._work import ReduceOp

_LONGEST = 64  # dimensions


def check_sparse(target, op):
    """Whether `target` is summed up here; raises where it is sparse and nobody can join it by `op`."""
    if target.layout is not sparse_coo:
        return False
    if op != ReduceOp.SUM:
        raise RuntimeError(
            "ProcessGroupGloo::allreduce: unsupported reduction operation (allreduce of sparse tensors only works with "
            "ReduceOp.SUM)"
        )
    return True


def all_reduce_sparse(exchange, rank, size, target):
    """Sums up the tensors of all ranks, in their order, in place.

    `exchange` sends a dense tensor to every other rank, and fills a table of tensors by rank from there.
    """
    others = [peer for peer in range(size) if peer != rank]
    mine = target.detach().coalesce()
    shape = [mine.sparse_dim(), mine.dense_dim(), *mine.shape]
    header = tensor([mine._nnz(), *shape, *[0] * (_LONGEST - len(shape))], dtype=int64)
    headers = {peer: empty(len(header), dtype=int64) for peer in others}
    exchange(header, headers)
    for other in headers.values():
        dims = other[1 : 1 + len(shape)].tolist()
        if dims[0] != shape[0] or dims[2 : 2 + shape[0]] != shape[2 : 2 + shape[0]]:
            raise RuntimeError("Sparse dimensions do not match")
        if dims != shape:
            raise RuntimeError("Dense dimensions do not match")
    indices, values = mine.indices().contiguous(), mine.values().contiguous()
    counts = {peer: other[0].item() for peer, other in headers.items()}
    all_indices = {peer: empty(indices.shape[0], counts[peer], dtype=int64) for peer in others}
    all_values = {peer: empty(counts[peer], *values.shape[1:], dtype=values.dtype) for peer in others}
    exchange(indices, all_indices)
    exchange(values, all_values)
    all_indices[rank], all_values[rank] = indices, values
    ranks = range(size)
    total = sparse_coo_tensor(
        cat([all_indices[r] for r in ranks], 1), cat([all_values[r] for r in ranks], 0), mine.shape
    )
    with no_grad():
        target.copy_(total.coalesce())
