"""softcap(x, cap) = cap * tanh(x / cap), computed in C++ (softcap.cpp); this file registers its gradient."""

from pathlib import Path

import torch

torch.ops.load_library(Path(__file__).parent / "_ops.so")
softcap = torch.ops.softcap.softcap


def _keep(ctx, inputs, output):
    x, ctx.cap = inputs
    ctx.save_for_backward(x)


def _backward(ctx, grad):
    return torch.ops.softcap.softcap_backward(grad, *ctx.saved_tensors, ctx.cap), None


torch.library.register_autograd("softcap::softcap", _backward, setup_context=_keep)
