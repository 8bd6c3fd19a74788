"""Autograd functions for layers without an operator."""

from ..._root import torch
from ...autograd.function import Function


class CrossMapLRN2d(Function):
    """Computes x * (k + alpha / size * s) ** -beta, with s the sum of squares over a window of channels."""

    @staticmethod
    def _window_sums(x, before, after):
        """Returns, for each channel c, the sum over channels c - before .. c + after."""
        channels = x.size(1)
        sums = torch.zeros_like(x)
        for offset in range(-before, after + 1):
            low, high = max(0, -offset), min(channels, channels - offset)
            if low < high:
                sums[:, low:high] += x[:, low + offset : high + offset]
        return sums

    @staticmethod
    def forward(ctx, input, size, alpha=1e-4, beta=0.75, k=1):
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        ctx.size, ctx.beta, ctx.factor = size, beta, alpha / size
        reach = int((size - 1) / 2)
        squares = input * input
        scale = CrossMapLRN2d._window_sums(squares, reach, reach)
        scale[:, reach + 1 :] += squares[:, :1]  # torch's running sum never removes channel 0
        scale.mul_(ctx.factor).add_(k)
        output = scale.pow(-beta).mul_(input)
        ctx.save_for_backward(input, output, scale)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, output, scale = ctx.saved_tensors
        before = int(ctx.size - (ctx.size - 1) / 2)  # torch's window here does not mirror that of forward
        spread = CrossMapLRN2d._window_sums(grad_output * output / scale, before, ctx.size - 1 - before)
        grad_input = scale.pow(-ctx.beta) * grad_output - 2 * ctx.factor * ctx.beta * input * spread
        return grad_input, None, None, None, None


class BackwardHookFunction(Function):
    """Is the identity, as an autograd node that the backward hooks of modules hang on.

    Example:
        >>> from torch.nn.modules._functions import BackwardHookFunction
        >>> BackwardHookFunction.apply(torch.ones(1, requires_grad=True))[0].requires_grad
        True
    """

    @staticmethod
    def forward(ctx, *args):
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx, *args):
        return args
