"""A masked language model of long convolutions and block-diagonal projections, after Monarch Mixer (Fu et al., 2023).

No attention and no dense projection: tokens are mixed by convolutions as long as the sequence, computed by FFT, and
channels by products of two block-diagonal matrices.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.amp import custom_bwd, custom_fwd


class Unpad(torch.autograd.Function):
    """Takes the rows that are no padding: (batch, length, dim) and flat indices to (tokens, dim)."""

    @staticmethod
    @custom_fwd(device_type="cpu")
    def forward(ctx, padded, indices):
        ctx.save_for_backward(indices)
        ctx.shape = padded.shape
        return padded.flatten(0, 1).index_select(0, indices)

    @staticmethod
    @custom_bwd(device_type="cpu")
    def backward(ctx, gradient):
        (indices,) = ctx.saved_tensors
        batch, length, dim = ctx.shape
        padded = gradient.new_zeros(batch * length, dim).index_copy(0, indices, gradient)
        return padded.view(batch, length, dim), None


def split_by_svd(matrix, blocks):
    """Returns the factors whose Monarch product is nearest to a square matrix.

    With rows (p, q) and columns (r, s) of the matrix, the product is outer[q, p, r] * inner[r, q, s]: a matrix of rank
    one in (p, s) for each (q, r). The nearest one takes the largest singular value.
    """
    size = matrix.shape[0] // blocks
    parts = torch.einsum("pqrs->qrps", matrix.view(size, blocks, blocks, size))
    u, s, vh = torch.linalg.svd(parts, full_matrices=False)
    scale = s[..., 0].sqrt()
    outer = torch.einsum("qrp,qr->qpr", u[..., 0], scale)
    inner = torch.einsum("qrs,qr->rqs", vh[..., 0, :], scale)
    return outer.contiguous(), inner.contiguous()


class Monarch(nn.Module):
    """A linear map with 2 * n * sqrt(n) weights instead of n * n, as often as `copies` says."""

    def __init__(self, dim, copies=1):
        super().__init__()
        blocks = math.isqrt(dim)
        if blocks * blocks != dim:
            raise ValueError(f"dim has to be a square number, got {dim}")
        self.blocks = blocks
        # A Monarch product keeps the largest of the b singular values of each block: 4 / b of a random matrix's squared
        # norm. The factor makes up for it, so that the product keeps a vector's length.
        dense = [torch.randn(dim, dim) * math.sqrt(blocks / (4 * dim)) for _ in range(copies)]
        factors = [split_by_svd(matrix, blocks) for matrix in dense]
        self.outer = nn.Parameter(torch.stack([outer for outer, _ in factors]))
        self.inner = nn.Parameter(torch.stack([inner for _, inner in factors]))
        self.bias = nn.Parameter(torch.zeros(copies, dim))

    def forward(self, x):
        """(..., dim) to (copies, ..., dim)."""
        x = x.unflatten(-1, (self.blocks, -1))
        x = torch.einsum("crqs,...rs->c...rq", self.inner, x)
        x = torch.einsum("cqpr,c...rq->c...pq", self.outer, x).flatten(-2)
        return x + self.bias.view(-1, *[1] * (x.dim() - 2), x.shape[-1])


class LongConvolution(nn.Module):
    """Convolves each channel with a filter as long as the sequence, which a small network makes from positions."""

    def __init__(self, dim, bands=8, hidden=32):
        super().__init__()
        self.bands = bands
        self.network = nn.Sequential(nn.Linear(2 * bands + 1, hidden), nn.GELU(), nn.Linear(hidden, dim, bias=False))
        self.register_buffer("decay", torch.logspace(-1, 1, dim).neg())
        self.skip = nn.Parameter(torch.ones(dim))

    def filter(self, length):
        """Returns the weight of each distance 0, 1, ..., length - 1 and then -length, ..., -2, -1."""
        at = torch.arange(-length, length, device=self.skip.device).roll(length) / length
        turns = math.pi * torch.arange(1, self.bands + 1, device=at.device)
        waves = torch.polar(torch.ones(2 * length, self.bands, device=at.device), torch.outer(at, turns))
        features = torch.cat([at[:, None], torch.view_as_real(waves).flatten(1)], dim=1)
        return self.network(features) * torch.exp(torch.outer(at.abs(), self.decay)) / length**0.5

    def forward(self, x):
        """(batch, length, dim) to the same; positions see both sides."""
        with torch.autocast("cpu", enabled=False):
            x = x.float()
            length = x.shape[1]
            points = 2 * length  # zeros behind the sequence keep its ends apart
            spectrum = torch.fft.rfft(x, n=points, dim=1) * torch.fft.rfft(self.filter(length), dim=0)
            return torch.fft.irfft(spectrum, n=points, dim=1)[:, :length] + x * self.skip


class Block(nn.Module):
    def __init__(self, dim, dropout):
        super().__init__()
        self.before_mixing, self.before_channels = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.inputs, self.output = Monarch(dim, copies=3), Monarch(dim)
        self.convolution = LongConvolution(dim)
        self.wide, self.narrow = Monarch(dim, copies=4), nn.ModuleList(Monarch(dim) for _ in range(4))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        gate, key, value = self.inputs(self.before_mixing(x))
        mixed = gate * self.convolution(key * value * mask)
        x = x + self.dropout(self.output(mixed).squeeze(0))
        parts = F.gelu(self.wide(self.before_channels(x)))
        return x + self.dropout(sum(layer(part).squeeze(0) for layer, part in zip(self.narrow, parts, strict=True)))


class MonarchMixer(nn.Module):
    def __init__(self, vocabulary, dim=64, layers=2, length=64, dropout=0.1):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, dim), nn.Embedding(length, dim)
        self.blocks = nn.ModuleList(Block(dim, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(dim)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        for embedding in (self.tokens, self.positions):
            nn.init.normal_(embedding.weight, std=0.1)

    def forward(self, ids, mask):
        """Returns the scores of all tokens that `mask` keeps, (tokens, vocabulary)."""
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x, mask[..., None].to(x.dtype))
        x = Unpad.apply(self.norm(x), mask.flatten().nonzero().flatten())
        return F.linear(x, self.tokens.weight, self.bias)
