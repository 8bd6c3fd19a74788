"""The chunked form of linear_cross_entropy: computes logits for a few rows of the batch at a time."""

from ..._root import torch
from ...autograd.function import Function, once_differentiable
from .linear_cross_entropy_options import LinearCrossEntropyOptions

__all__ = []


class _Chunks:
    """One evaluation over the batch, chunk by chunk: losses per row and, on request, gradients."""

    def __init__(self, input, weight, target, bias, class_weight, ignore_index, options):
        self.input, self.weight, self.bias = input, weight, bias
        self.size = options.batch_chunk_size
        self.acc_dtype = options.acc_dtype
        self.kept = target != ignore_index
        self.target = torch.where(self.kept, target, 0)
        scale = self.kept.to(self.acc_dtype)
        if class_weight is not None:
            scale = scale * class_weight.to(self.acc_dtype).index_select(0, self.target)
        self.scale = scale
        self.wide_weight = weight.to(self.acc_dtype)
        self.wide_bias = None if bias is None else bias.to(self.acc_dtype)

    def _yield_row_slices(self):
        for start in range(0, self.input.shape[0], self.size):
            yield slice(start, min(start + self.size, self.input.shape[0]))

    def _log_probabilities(self, rows):
        wide = self.input[rows].to(self.acc_dtype)
        return wide, torch.log_softmax(torch.nn.functional.linear(wide, self.wide_weight, self.wide_bias), 1)

    def compute_row_losses(self):
        """Returns the loss of each row, times its class's weight."""
        parts = []
        for rows in self._yield_row_slices():
            _, log_p = self._log_probabilities(rows)
            parts.append(-log_p.gather(1, self.target[rows].unsqueeze(1)).squeeze(1) * self.scale[rows])
        return torch.cat(parts)

    def gradients(self, row_grads, wanted):
        """Returns the gradients of sum(row_grads * losses) with respect to input, weight and bias; None if not
        requested."""
        by_input = torch.empty_like(self.input) if wanted[0] else None
        by_weight = torch.zeros_like(self.wide_weight) if wanted[1] else None
        by_bias = torch.zeros_like(self.wide_bias) if wanted[2] else None
        for rows in self._yield_row_slices():
            wide, log_p = self._log_probabilities(rows)
            by_logits = log_p.exp()
            by_logits[torch.arange(by_logits.shape[0]), self.target[rows]] -= 1
            by_logits *= (row_grads[rows].to(self.acc_dtype) * self.scale[rows]).unsqueeze(1)
            if by_input is not None:
                by_input[rows] = (by_logits @ self.wide_weight).to(by_input.dtype)
            if by_weight is not None:
                by_weight += by_logits.t() @ wide
            if by_bias is not None:
                by_bias += by_logits.sum(0)
        dtype = self.weight.dtype
        return (
            by_input,
            None if by_weight is None else by_weight.to(dtype),
            None if by_bias is None else by_bias.to(dtype),
        )


class _Reduced(Function):
    """Computes the mean or sum, and gradients along with it, so that the chunks are processed once."""

    @staticmethod
    def forward(ctx, input, weight, bias, chunks, reduction, keep, wanted):
        losses = chunks.compute_row_losses()
        count = chunks.scale.sum() if reduction == "mean" else None
        total = losses.sum() if count is None else losses.sum() / count
        factor = torch.ones_like(losses) if count is None else (1 / count).expand_as(losses)
        ctx.grads = chunks.gradients(factor, wanted)
        ctx.keep = keep
        return total.to(input.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        if ctx.grads is None:
            raise RuntimeError(
                "linear_cross_entropy chunked backward called twice; "
                "retain_graph=True / double backward are not supported."
            )
        grads = ctx.grads
        if not ctx.keep:
            ctx.grads = None
        return (*(None if g is None else g * grad for g in grads), None, None, None, None)


class _PerRow(Function):
    """Returns the unreduced losses; backward processes the chunks again."""

    @staticmethod
    def forward(ctx, input, weight, bias, chunks):
        ctx.chunks = chunks
        return chunks.compute_row_losses().to(input.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        return (*ctx.chunks.gradients(grad, ctx.needs_input_grad[:3]), None)


def _chunked_loss(input, weight, target, bias, class_weight, reduction, ignore_index, options):
    """linear_cross_entropy for class indices without label smoothing."""
    batched = input.dim() == 2
    if not batched:
        input, target = input.unsqueeze(0), target.unsqueeze(0)
    options = LinearCrossEntropyOptions._adjust(
        options,
        num_batches=input.shape[0],
        in_features=input.shape[1],
        num_classes=weight.shape[0],
        dtype=input.dtype,
        device=input.device,
    )
    half = (torch.float16, torch.bfloat16)
    if options.acc_dtype != input.dtype and not (input.dtype in half and options.acc_dtype == torch.float32):
        raise RuntimeError(
            "linear_cross_entropy supports float32 acc_dtype with float16/bfloat16 inputs, "
            f"but got {options.acc_dtype} acc_dtype and {input.dtype} inputs."
        )
    detached = (
        input.detach(),
        weight.detach(),
        target,
        None if bias is None else bias.detach(),
        None if class_weight is None else class_weight.detach(),
    )
    chunks = _Chunks(*detached, ignore_index, options)
    if reduction == "none":
        losses = _PerRow.apply(input, weight, bias, chunks)
        return losses if batched else losses.squeeze(0)
    recording = torch.is_grad_enabled()
    wanted = tuple(recording and t is not None and t.requires_grad for t in (input, weight, bias))
    return _Reduced.apply(input, weight, bias, chunks, reduction, options.allow_retain_graph, wanted)
