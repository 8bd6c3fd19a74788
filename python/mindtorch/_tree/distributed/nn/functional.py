"""Collectives with gradients: each process gets the gradients from all results to which its tensor contributed."""

import warnings

from ..._root import torch
from ...autograd import Function
from .. import distributed_c10d as dist
from ..distributed_c10d import ReduceOp, group


def _deprecated(name, suggestion=None):
    suggestion = f"torch.distributed._functional_collectives.{suggestion or name}"
    warnings.warn(
        f"torch.distributed.nn.functional.{name} is deprecated, use {suggestion} instead.", FutureWarning, stacklevel=3
    )


def broadcast(tensor, src, group=group.WORLD):
    """Copies the tensor of one rank to all, with a gradient.

    The source's gradient is the sum of all ranks' gradients. Deprecated, with a warning.

    Args:
        tensor (Tensor): the source's tensor; of the same shape and dtype elsewhere.
        src (int): the source's rank.
        group (ProcessGroup): the group. Default: the default group.

    Returns:
        Tensor: a copy of the source's tensor.
    """
    _deprecated("broadcast")
    return _Broadcast.apply(src, group, tensor)


def gather(tensor, dst=0, group=group.WORLD):
    """Gives one rank the tensors of all, with gradients.

    Args:
        tensor (Tensor): what this rank gives; of one shape on all.
        dst (int): the rank that gets them. Default: ``0``.
        group (ProcessGroup): the group. Default: the default group.

    Returns:
        tuple[Tensor]: the tensors in the order of the ranks; zeros elsewhere.
    """
    return _Gather.apply(dst, group, tensor)


def scatter(tensors, src=0, group=group.WORLD):
    """Gives each rank its tensor of those of one, with gradients.

    Args:
        tensors (list[Tensor]): a tensor for each rank, of one shape; of the same shapes elsewhere.
        src (int): the rank whose tensors are sent. Default: ``0``.
        group (ProcessGroup): the group. Default: the default group.

    Returns:
        Tensor: this rank's.
    """
    return _Scatter.apply(src, group, *tensors)


def reduce(tensor, dst, op=ReduceOp.SUM, group=group.WORLD):
    """Joins the tensors of all ranks on one, with a gradient: the destination's, on each rank.

    Args:
        tensor (Tensor): what this rank gives.
        dst (int): the rank that gets the result.
        op (ReduceOp): how elements are joined; the gradient is that of a sum. Default: ``ReduceOp.SUM``.
        group (ProcessGroup): the group. Default: the default group.

    Returns:
        Tensor: the result on `dst`.
    """
    return _Reduce.apply(dst, op, group, tensor)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=group.WORLD):
    """Joins the lists of all ranks index by index; each rank gets the result at its own, with gradients.

    Deprecated, with a warning.

    Args:
        output (Tensor): is filled.
        input_list (list[Tensor]): a tensor for each rank.
        op (ReduceOp): how elements are joined; the gradient is that of a sum. Default: ``ReduceOp.SUM``.
        group (ProcessGroup): the group. Default: the default group.

    Returns:
        Tensor: `output`.
    """
    _deprecated("reduce_scatter", "reduce_scatter_single")
    return _Reduce_Scatter.apply(op, group, output, *input_list)


def all_gather(tensor, group=group.WORLD):
    """Gives every rank the tensors of all, with gradients: the sum of what all ranks have for a tensor.

    Deprecated, with a warning.

    Args:
        tensor (Tensor): what this rank gives; of one shape on all.
        group (ProcessGroup): the group. Default: the default group.

    Returns:
        tuple[Tensor]: the tensors in the order of the ranks.
    """
    _deprecated("all_gather", "all_gather_single")
    return _AllGather.apply(group, tensor)


def _all_gather_base(output_tensor, input_tensor, group=group.WORLD):
    return _AllGatherBase.apply(output_tensor, input_tensor, group)


def all_to_all(output_tensor_list, input_tensor_list, group=group.WORLD):
    """Sends each tensor of a list to the rank of its index, with gradients.

    Args:
        output_tensor_list (list[Tensor]): a tensor for each rank; are filled.
        input_tensor_list (list[Tensor]): a tensor for each rank; are sent.
        group (ProcessGroup): the group. Default: the default group.

    Returns:
        tuple[Tensor]: what each rank gave for this one.
    """
    return _AlltoAll.apply(group, output_tensor_list, *input_tensor_list)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=group.WORLD):
    """Sends rows of a tensor to each rank, with gradients. Deprecated, with a warning.

    Args:
        output (Tensor): is filled, in the order of the ranks.
        input (Tensor): its rows are sent.
        output_split_sizes (list[int], optional): rows that come from each rank. Default: as many from each.
        input_split_sizes (list[int], optional): rows for each rank. Default: as many for each.
        group (ProcessGroup): the group. Default: the default group.

    Returns:
        Tensor: `output`.
    """
    _deprecated("all_to_all_single")
    return _AlltoAllSingle.apply(group, output, output_split_sizes, input_split_sizes, input)


def all_reduce(tensor, op=ReduceOp.SUM, group=group.WORLD):
    """Joins the tensors of all ranks, with a gradient: the same reduction of all ranks' gradients.

    Deprecated, with a warning.

    Args:
        tensor (Tensor): what this rank gives; it stays.
        op (ReduceOp): how elements are joined. Default: ``ReduceOp.SUM``.
        group (ProcessGroup): the group. Default: the default group.

    Returns:
        Tensor: the result, a new tensor.
    """
    _deprecated("all_reduce")
    return _AllReduce.apply(op, group, tensor)


class _Broadcast(Function):
    @staticmethod
    def forward(ctx, src, group, tensor):
        ctx.src, ctx.group = src, group
        tensor = tensor.clone()
        dist.broadcast(tensor, src, group=group)
        return tensor

    @staticmethod
    def backward(ctx, grad):
        total = _Reduce.apply(ctx.src, ReduceOp.SUM, ctx.group, grad)
        if ctx.src != dist.get_rank(ctx.group):
            total.zero_()
        return None, None, total


class _Gather(Function):
    @staticmethod
    def forward(ctx, dst, group, tensor):
        ctx.dst, ctx.group = dst, group
        gathered = [torch.zeros_like(tensor) for _ in range(dist.get_world_size(group))]
        dist.gather(tensor.contiguous(), gathered if dist.get_rank(group) == dst else None, dst, group=group)
        return tuple(gathered)

    @staticmethod
    def backward(ctx, *grads):
        return None, None, _Scatter.apply(ctx.dst, ctx.group, *grads)


class _Scatter(Function):
    @staticmethod
    def forward(ctx, src, group, *tensors):
        ctx.src, ctx.group = src, group
        if not all(tensor.size() == tensors[0].size() for tensor in tensors):
            raise AssertionError
        output = torch.zeros_like(tensors[0])
        dist.scatter(output, list(tensors) if dist.get_rank(group) == src else None, src, group=group)
        return output

    @staticmethod
    def backward(ctx, grad):
        return None, None, *_Gather.apply(ctx.src, ctx.group, grad)


class _Reduce(Function):
    @staticmethod
    def forward(ctx, src, op, group, tensor):
        ctx.src, ctx.group = src, group
        tensor = tensor.clone()
        dist.reduce(tensor, src, op=op, group=group)
        return tensor

    @staticmethod
    def backward(ctx, grad):
        return None, None, None, _Broadcast.apply(ctx.src, ctx.group, grad)


class _Reduce_Scatter(Function):
    @staticmethod
    def forward(ctx, op, group, tensor, *tensors):
        ctx.group = group
        tensor = tensor.contiguous()
        dist.reduce_scatter(tensor, [t.contiguous() for t in tensors], op=op, group=group)
        return tensor

    @staticmethod
    def backward(ctx, grad):
        return None, None, None, *_AllGather.apply(ctx.group, grad)


class _AllGather(Function):
    @staticmethod
    def forward(ctx, group, tensor):
        ctx.group = group
        tensor = tensor.contiguous()
        gathered = [torch.empty_like(tensor) for _ in range(dist.get_world_size(group))]
        dist.all_gather(gathered, tensor, group=group)
        return tuple(gathered)

    @staticmethod
    def backward(ctx, *grads):
        received = _AlltoAll.apply(ctx.group, [torch.empty_like(grad) for grad in grads], *grads)
        return None, torch.sum(torch.stack(received), dim=0)


class _AllGatherBase(Function):
    @staticmethod
    def forward(ctx, output_tensor, input_tensor, group):
        dist._all_gather_base(output_tensor, input_tensor.contiguous(), group=group)
        return output_tensor

    @staticmethod
    def backward(ctx, grad):
        raise RuntimeError("Backend not supported!")


class _AlltoAll(Function):
    @staticmethod
    def forward(ctx, group, outputs, *tensors):
        ctx.group = group
        ctx.sizes = [tensor.size() for tensor in tensors[: dist.get_world_size(group)]]
        dist.all_to_all(outputs, [tensor.contiguous() for tensor in tensors], group=group)
        return tuple(outputs)

    @staticmethod
    def backward(ctx, *grads):
        outputs = [grads[0].new_empty(size) for size in ctx.sizes]
        return None, None, *_AlltoAll.apply(ctx.group, outputs, *grads)


class _AlltoAllSingle(Function):
    @staticmethod
    def forward(ctx, group, output, output_split_sizes, input_split_sizes, input):
        ctx.group, ctx.size, ctx.splits = group, input.size(), (input_split_sizes, output_split_sizes)
        dist.all_to_all_single(output, input, output_split_sizes, input_split_sizes, group=group)
        return output

    @staticmethod
    def backward(ctx, grad):
        received = _AlltoAllSingle.apply(ctx.group, grad.new_empty(ctx.size), *ctx.splits, grad.contiguous())
        return None, None, None, None, received


class _AllReduce(Function):
    @staticmethod
    def forward(ctx, op, group, tensor):
        ctx.op, ctx.group = op, group
        tensor = tensor.clone(memory_format=torch.contiguous_format)
        dist.all_reduce(tensor, op=op, group=group)
        return tensor

    @staticmethod
    def backward(ctx, grad):
        return None, None, _AllReduce.apply(ctx.op, ctx.group, grad)
