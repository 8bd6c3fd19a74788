"""Copies and concatenations across devices as autograd functions."""

import warnings
from itertools import chain

from ..._root import torch
from ..._utils import _get_device_index
from ...autograd.function import Function
from . import comm


class Broadcast(Function):
    """Copies to several devices; backward sums."""

    @staticmethod
    def forward(ctx, target_gpus, *inputs):
        if not all(i.device.type != "cpu" for i in inputs):
            raise AssertionError("Broadcast function not implemented for CPU tensors")
        ctx.target_gpus = [_get_device_index(x, True) for x in target_gpus]
        if not inputs:
            return ()
        ctx.num_inputs = len(inputs)
        ctx.input_device = inputs[0].get_device()
        copies = comm.broadcast_coalesced(inputs, ctx.target_gpus)
        fixed = [i for i, needed in enumerate(ctx.needs_input_grad[1:]) if not needed]
        ctx.mark_non_differentiable(*[on_device[i] for i in fixed for on_device in copies])
        return tuple(chain.from_iterable(copies))

    @staticmethod
    def backward(ctx, *grad_outputs):
        return (None, *ReduceAddCoalesced.apply(ctx.input_device, ctx.num_inputs, *grad_outputs))


class ReduceAddCoalesced(Function):
    """Sums over devices; backward copies."""

    @staticmethod
    def forward(ctx, destination, num_inputs, *grads):
        ctx.target_gpus = [grads[i].get_device() for i in range(0, len(grads), num_inputs)]
        lists = [grads[i : i + num_inputs] for i in range(0, len(grads), num_inputs)]
        return comm.reduce_add_coalesced(lists, destination)

    @staticmethod
    def backward(ctx, *grad_outputs):
        return (None, None, *Broadcast.apply(ctx.target_gpus, *grad_outputs))


class Gather(Function):
    """Concatenates along a dimension; backward splits."""

    @staticmethod
    def forward(ctx, target_device, dim, *inputs):
        if not all(i.device.type != "cpu" for i in inputs):
            raise AssertionError("Gather function not implemented for CPU tensors")
        ctx.target_device = "cpu" if target_device == "cpu" else _get_device_index(target_device, True)
        ctx.dim = dim
        ctx.input_gpus = tuple(i.get_device() for i in inputs)
        ctx.unsqueezed_scalar = dim == 0 and all(t.dim() == 0 for t in inputs)
        if ctx.unsqueezed_scalar:
            inputs = tuple(t.view(1) for t in inputs)
            warnings.warn(
                "Was asked to gather along dimension 0, but all input tensors were scalars; will instead unsqueeze "
                "and return a vector.",
                stacklevel=2,
            )
        ctx.input_sizes = tuple(i.size(dim) for i in inputs)
        return comm.gather(inputs, dim, ctx.target_device)

    @staticmethod
    def backward(ctx, grad_output):
        grads = Scatter.apply(ctx.input_gpus, ctx.input_sizes, ctx.dim, grad_output)
        if ctx.unsqueezed_scalar:
            grads = tuple(g[0] for g in grads)
        return (None, None, *grads)


class Scatter(Function):
    """Splits along a dimension; backward concatenates."""

    @staticmethod
    def forward(ctx, target_gpus, chunk_sizes, dim, input):
        target_gpus = [_get_device_index(x, True) for x in target_gpus]
        ctx.dim = dim
        ctx.input_device = input.get_device() if input.device.type != "cpu" else -1
        return comm.scatter(input, target_gpus, chunk_sizes, dim)

    @staticmethod
    def backward(ctx, *grad_output):
        device = torch.device("cpu") if ctx.input_device == -1 else ctx.input_device
        return None, None, None, comm.gather(grad_output, ctx.dim, device)
