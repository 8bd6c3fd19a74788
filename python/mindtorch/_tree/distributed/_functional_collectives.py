"""Collectives that return a new tensor and leave their argument unchanged.

A `group` is a ProcessGroup, a group's name, a DeviceMesh of one dimension, or a pair of a mesh and one of its
dimensions. Results are complete when the call returns. The functions whose name ends in `_autograd` have gradients.
"""

from .._absent_device import make_refusing_class
from .._root import torch
from ..autograd import Function
from . import distributed_c10d as dist
from .device_mesh import DeviceMesh

AsyncCollectiveTensor = make_refusing_class(
    __name__,
    "AsyncCollectiveTensor(elem): The result of a collective that may still be running.",
    NotImplementedError,
    "AsyncCollectiveTensor: collectives are complete when they return",
    (torch.Tensor,),
)


def wait_tensor(tensor):
    """Returns the tensor itself: collectives are complete when they return."""
    return tensor


def _resolve_group(group, tag: str = ""):
    """Returns the process group that `group` describes."""
    if isinstance(group, DeviceMesh):
        if group.ndim != 1:
            raise AssertionError("Only 1D mesh is supported, pass in (DeviceMesh, int) together if mesh > 1D")
        return group.get_group()
    if isinstance(group, tuple) and len(group) == 2 and isinstance(group[0], DeviceMesh):
        return group[0].get_group(group[1])
    if isinstance(group, str):
        return dist._resolve_process_group(group)
    if isinstance(group, dist.ProcessGroup):
        return group
    raise ValueError(f"Unsupported group type: {type(group)}, {group}")


def _reduce_op_named(name: str):
    return getattr(dist.ReduceOp, name.upper())


def broadcast(self, src: int, group, tag: str = ""):
    """Returns the tensor of the rank `src`.

    Args:
        self (Tensor): the source's tensor; of the same shape and dtype elsewhere.
        src (int): the source's global rank.
        group (ProcessGroup or others): the group.
        tag (str): has no effect. Default: ``""``.

    Returns:
        Tensor: a copy of the source's tensor.
    """
    result = self.contiguous().clone()
    dist.broadcast(result, src, group=_resolve_group(group, tag))
    return result


def all_reduce(self, reduceOp: str, group, tag: str = ""):
    """Returns the reduction of all ranks' tensors.

    Args:
        self (Tensor): this rank's tensor.
        reduceOp (str): "sum", "avg", "product", "min", "max", "band", "bor" or "bxor".
        group (ProcessGroup or others): the group.
        tag (str): has no effect. Default: ``""``.

    Returns:
        Tensor: the reduction, the same on all ranks.
    """
    result = self.contiguous().clone()
    group = _resolve_group(group, tag)
    average = reduceOp.lower() == "avg"
    dist.all_reduce(result, _reduce_op_named("sum" if average else reduceOp), group=group)
    return result.div_(group.size()) if average else result


def all_gather_single(self, gather_dim: int, group, tag: str = ""):
    """Returns all ranks' tensors, concatenated along a dimension in the order of the ranks.

    Args:
        self (Tensor): this rank's tensor, of the same shape on all.
        gather_dim (int): the dimension.
        group (ProcessGroup or others): the group.
        tag (str): has no effect. Default: ``""``.

    Returns:
        Tensor: the concatenated tensors.
    """
    group = _resolve_group(group, tag)
    source = self.contiguous()
    gathered = source.new_empty((group.size(), *source.shape))
    dist.all_gather_single(gathered, source.unsqueeze(0), group=group)
    return gathered.flatten(0, 1) if gather_dim == 0 and self.ndim else torch.cat(gathered.unbind(0), gather_dim)


def all_gather_tensor(self, gather_dim: int, group, tag: str = ""):
    """Returns all ranks' tensors, concatenated along a dimension; see :func:`all_gather_single`.

    Args:
        self (Tensor): this rank's tensor, of the same shape on all.
        gather_dim (int): the dimension.
        group (ProcessGroup or others): the group.
        tag (str): has no effect. Default: ``""``.

    Returns:
        Tensor: the concatenated tensors.
    """
    return all_gather_single(self, gather_dim, group, tag)


def reduce_scatter_single(self, reduceOp: str, scatter_dim: int, group, tag: str = ""):
    """Reduces all ranks' tensors and returns this rank's piece of the result along a dimension.

    Args:
        self (Tensor): this rank's tensor, of the same shape on all.
        reduceOp (str): as in :func:`all_reduce`.
        scatter_dim (int): the dimension; its size is a multiple of the number of ranks.
        group (ProcessGroup or others): the group.
        tag (str): has no effect. Default: ``""``.

    Returns:
        Tensor: the piece.
    """
    group = _resolve_group(group, tag)
    count = group.size()
    if self.size(scatter_dim) % count:
        raise AssertionError(
            f"input dimension {scatter_dim} ({self.size(scatter_dim)}) must be a multiple of group_size {count}"
        )
    pieces = (
        torch.stack(self.chunk(count, scatter_dim)) if self.size(scatter_dim) else self.new_empty((count, *self.shape))
    )
    result = self.new_empty(pieces.shape[1:])
    average = reduceOp.lower() == "avg"
    dist.reduce_scatter_single(result, pieces, _reduce_op_named("sum" if average else reduceOp), group=group)
    return result.div_(count) if average else result


def reduce_scatter_tensor(self, reduceOp: str, scatter_dim: int, group, tag: str = ""):
    """Reduces all ranks' tensors and returns this rank's piece; see :func:`reduce_scatter_single`.

    Args:
        self (Tensor): this rank's tensor, of the same shape on all.
        reduceOp (str): as in :func:`all_reduce`.
        scatter_dim (int): the dimension; its size is a multiple of the number of ranks.
        group (ProcessGroup or others): the group.
        tag (str): has no effect. Default: ``""``.

    Returns:
        Tensor: the piece.
    """
    return reduce_scatter_single(self, reduceOp, scatter_dim, group, tag)


def all_to_all_single(self, output_split_sizes, input_split_sizes, group, tag: str = ""):
    """Sends rows of the tensor to each rank, and returns the rows that this rank receives.

    Args:
        self (Tensor): the rows to send, in the order of the ranks.
        output_split_sizes (list[int], optional): how many rows come from each rank; equally many if it is None.
        input_split_sizes (list[int], optional): how many rows go to each rank; equally many if it is None.
        group (ProcessGroup or others): the group.
        tag (str): has no effect. Default: ``""``.

    Returns:
        Tensor: the received rows, in the order of the ranks.
    """
    if output_split_sizes is not None and not all(isinstance(size, int) for size in output_split_sizes):
        raise AssertionError(f"All output_split_sizes must be int or SymInt, got {output_split_sizes}")
    if input_split_sizes is not None and not all(isinstance(size, int) for size in input_split_sizes):
        raise AssertionError(f"All input_split_sizes must be int or SymInt, got {input_split_sizes}")
    group = _resolve_group(group, tag)
    rows = self.size(0) if output_split_sizes is None else sum(output_split_sizes)
    result = self.new_empty((rows, *self.shape[1:]))
    dist.all_to_all_single(result, self.contiguous(), output_split_sizes, input_split_sizes, group=group)
    return result


class _AllGather(Function):
    @staticmethod
    def forward(ctx, tensor, dim, group):
        ctx.place = dim, group
        return all_gather_single(tensor, dim, group)

    @staticmethod
    def backward(ctx, grad):
        return reduce_scatter_single(grad, "sum", *ctx.place), None, None


class _ReduceScatter(Function):
    @staticmethod
    def forward(ctx, tensor, reduction, dim, group):
        ctx.place, ctx.count = (dim, group), _resolve_group(group).size() if reduction.lower() == "avg" else 1
        return reduce_scatter_single(tensor, reduction, dim, group)

    @staticmethod
    def backward(ctx, grad):
        return all_gather_single(grad / ctx.count if ctx.count > 1 else grad, *ctx.place), None, None, None


class _AllToAll(Function):
    @staticmethod
    def forward(ctx, tensor, output_split_sizes, input_split_sizes, group):
        ctx.place = input_split_sizes, output_split_sizes, group
        return all_to_all_single(tensor, output_split_sizes, input_split_sizes, group)

    @staticmethod
    def backward(ctx, grad):
        return all_to_all_single(grad, *ctx.place), None, None, None


def all_gather_tensor_autograd(self, gather_dim: int, group, tag: str = ""):
    """Is :func:`all_gather_tensor` with a gradient: the sum of all ranks' gradients of this rank's piece.

    Args:
        self (Tensor): this rank's tensor, of the same shape on all.
        gather_dim (int): the dimension.
        group (ProcessGroup or others): the group.
        tag (str): has no effect. Default: ``""``.

    Returns:
        Tensor: the concatenated tensors.
    """
    return _AllGather.apply(self, gather_dim, _resolve_group(group, tag))


def reduce_scatter_tensor_autograd(self, reduceOp: str, scatter_dim: int, group, tag: str = ""):
    """Is :func:`reduce_scatter_tensor` of "sum" or "avg" with a gradient: all ranks' gradients, concatenated.

    Args:
        self (Tensor): this rank's tensor, of the same shape on all.
        reduceOp (str): "sum" or "avg".
        scatter_dim (int): the dimension; its size is a multiple of the number of ranks.
        group (ProcessGroup or others): the group.
        tag (str): has no effect. Default: ``""``.

    Returns:
        Tensor: the piece.
    """
    return _ReduceScatter.apply(self, reduceOp, scatter_dim, _resolve_group(group, tag))


def all_to_all_single_autograd(self, output_split_sizes, input_split_sizes, group, tag: str = ""):
    """Is :func:`all_to_all_single` with a gradient: gradients return to the ranks that sent the rows.

    Args:
        self (Tensor): the rows to send, in the order of the ranks.
        output_split_sizes (list[int], optional): how many rows come from each rank; equally many if it is None.
        input_split_sizes (list[int], optional): how many rows go to each rank; equally many if it is None.
        group (ProcessGroup or others): the group.
        tag (str): has no effect. Default: ``""``.

    Returns:
        Tensor: the received rows, in the order of the ranks.
    """
    return _AllToAll.apply(self, output_split_sizes, input_split_sizes, _resolve_group(group, tag))
