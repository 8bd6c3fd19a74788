"""torch.nn.attention.flex_attention: attention with a score function and a block mask, computed eagerly and densely.

Score and mask functions are called once with index tensors that broadcast against each other, not under vmap: what is
pointwise in the indices, lookups included, gives the same.
"""

import itertools
import math
from typing import NamedTuple

from ... import _C
from ... import arange, bool as torch_bool, float32, float64, int32, matmul, ones, softmax, tensor, where
from ... import device as torch_device, get_default_device

__all__ = [
    "AuxOutput",
    "AuxRequest",
    "BlockMask",
    "FlexKernelOptions",
    "and_masks",
    "create_block_mask",
    "create_mask",
    "flex_attention",
    "noop_mask",
    "or_masks",
]

_DEFAULT_SPARSE_BLOCK_SIZE = 128

FlexKernelOptions = dict


class AuxRequest(NamedTuple):
    """Which extra results flex_attention gives."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """The extra results that were asked for."""

    lse: _C.TensorBase | None = None
    max_scores: _C.TensorBase | None = None


def noop_mask(batch, head, token_q, token_kv):
    """Lets every query see every key."""
    return ones((), dtype=torch_bool, device=batch.device)


def _all_callable(mask_mods):
    if not all(callable(mod) for mod in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")


def or_masks(*mask_mods):
    """A mask that lets through what any of these does."""
    _all_callable(mask_mods)

    def or_mask(b, h, q_idx, kv_idx):
        result = b.new_zeros((), dtype=torch_bool)
        for mod in mask_mods:
            result = result | mod(b, h, q_idx, kv_idx)
        return result

    return or_mask


def and_masks(*mask_mods):
    """A mask that lets through what all of these do."""
    _all_callable(mask_mods)

    def and_mask(b, h, q_idx, kv_idx):
        result = b.new_ones((), dtype=torch_bool)
        for mod in mask_mods:
            result = result & mod(b, h, q_idx, kv_idx)
        return result

    return and_mask


def _indices(B, H, Q_LEN, KV_LEN, device):
    sizes = (B, H, Q_LEN, KV_LEN)
    return [
        arange(n, dtype=int32, device=device).reshape([n if i == k else 1 for k in range(4)])
        for i, n in enumerate(sizes)
    ]


def create_mask(mod_fn, B, H, Q_LEN, KV_LEN, device=None):
    """The dense mask (B, H, Q_LEN, KV_LEN) of a mask function, or of the finite scores of a score function."""
    B, H = B or 1, H or 1
    places = _indices(B, H, Q_LEN, KV_LEN, device if device is not None else get_default_device())
    if getattr(getattr(mod_fn, "__code__", None), "co_argcount", 4) == 5:
        scores = mod_fn(places[0].new_zeros((B, H, Q_LEN, KV_LEN), dtype=float32), *places)
        return where(scores.isneginf(), tensor(False, device=scores.device), tensor(True, device=scores.device))
    return mod_fn(*places).expand(B, H, Q_LEN, KV_LEN)


def _ordered(blocks):
    """How many blocks of each row are set, and their columns, the set ones first."""
    return blocks.sum(-1).to(int32), blocks.to(int32).argsort(dim=-1, descending=True, stable=True).to(int32)


def _dense(num_blocks, indices):
    """The 0/1 matrix that _ordered came from."""
    rank = arange(indices.shape[-1], dtype=int32, device=indices.device)
    valid = (rank < num_blocks.unsqueeze(-1)).to(int32)
    return indices.new_zeros(indices.shape).scatter_(-1, indices.long(), valid)


def _picture(rows, tall, wide):
    """Two characters for each cell of tall x wide blocks: dark where all are set, light where some are."""
    lines = []
    for top in range(0, len(rows), tall):
        line = ""
        for left in range(0, len(rows[0]), wide):
            cell = [block for row in rows[top : top + tall] for block in row[left : left + wide]]
            line += "██" if all(cell) else "░░" if any(cell) else "  "
        lines.append(line + "\n")
    return "".join(lines)


class BlockMask:
    """Which blocks of a score matrix are computed: partly masked ones, and full ones that need no mask."""

    _TENSOR_ATTRS = (
        "kv_num_blocks",
        "kv_indices",
        "full_kv_num_blocks",
        "full_kv_indices",
        "q_num_blocks",
        "q_indices",
        "full_q_num_blocks",
        "full_q_indices",
    )

    def __init__(
        self,
        seq_lengths,
        kv_num_blocks,
        kv_indices,
        full_kv_num_blocks,
        full_kv_indices,
        q_num_blocks,
        q_indices,
        full_q_num_blocks,
        full_q_indices,
        BLOCK_SIZE=(_DEFAULT_SPARSE_BLOCK_SIZE, _DEFAULT_SPARSE_BLOCK_SIZE),
        mask_mod=noop_mask,
    ):
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        self.seq_lengths, self.BLOCK_SIZE, self.mask_mod = seq_lengths, BLOCK_SIZE, mask_mod
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices

    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks,
        kv_indices,
        full_kv_num_blocks=None,
        full_kv_indices=None,
        BLOCK_SIZE=_DEFAULT_SPARSE_BLOCK_SIZE,
        mask_mod=None,
        seq_lengths=None,
        compute_q_blocks=True,
    ):
        """For each block of queries: how many blocks of keys it sees, and which."""
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if isinstance(BLOCK_SIZE, int):
            BLOCK_SIZE = (BLOCK_SIZE, BLOCK_SIZE)
        by_query = [None] * 4
        if compute_q_blocks:
            by_query[:2] = _ordered(_dense(kv_num_blocks, kv_indices).transpose(-2, -1))
            if full_kv_num_blocks is not None:
                by_query[2:] = _ordered(_dense(full_kv_num_blocks, full_kv_indices).transpose(-2, -1))
        if seq_lengths is None:
            seq_lengths = (kv_indices.shape[-2] * BLOCK_SIZE[0], kv_indices.shape[-1] * BLOCK_SIZE[1])
        by_key = (kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices)
        return cls(seq_lengths, *by_key, *by_query, BLOCK_SIZE=BLOCK_SIZE, mask_mod=mask_mod or noop_mask)

    def as_tuple(self, flatten=True):
        block_size = self.BLOCK_SIZE if flatten else (self.BLOCK_SIZE,)
        seq_lengths = self.seq_lengths if flatten else (self.seq_lengths,)
        return (*seq_lengths, *(getattr(self, name) for name in self._TENSOR_ATTRS), *block_size, self.mask_mod)

    @property
    def shape(self):
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self):
        return math.prod(self.shape)

    def sparsity(self):
        """The share of elements that are not computed, in percent."""
        blocks = self.kv_num_blocks.sum()
        if self.full_kv_num_blocks is not None:
            blocks = blocks + self.full_kv_num_blocks.sum()
        return 100 * (1 - blocks.item() * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1] / self.numel())

    def to_dense(self):
        """1 for each block that is computed."""
        partial = _dense(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is None:
            return partial
        return partial | _dense(self.full_kv_num_blocks, self.full_kv_indices)

    def to(self, device):
        moved = (getattr(self, name) for name in self._TENSOR_ATTRS)
        moved = [None if item is None else item.to(torch_device(device)) for item in moved]
        return type(self)(self.seq_lengths, *moved, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod)

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        index = tuple(slice(i, None if i == -1 else i + 1) if isinstance(i, int) else i for i in index)
        kept = [
            None if item is None else item[index] for item in (getattr(self, name) for name in self._TENSOR_ATTRS[:4])
        ]
        return type(self).from_kv_blocks(
            *kept,
            BLOCK_SIZE=self.BLOCK_SIZE,
            mask_mod=None,
            seq_lengths=self.seq_lengths,
            compute_q_blocks=self.q_indices is not None,
        )

    def to_string(self, grid_size=(20, 20), limit=4):
        """A picture of each batch and head, of at most grid_size cells; a side of -1 shows every block."""
        grid = (grid_size, grid_size) if isinstance(grid_size, int) else grid_size
        most_rows, most_columns = grid
        dense = self.to_dense()
        *batch, height, width = dense.shape
        tall, wide = max(1, -(-height // most_rows)), max(1, -(-width // most_columns))
        pictures = []
        for place in itertools.product(*map(range, batch)):
            if len(pictures) >= limit:
                pictures.append(
                    "...\nTo print out more, set BlockMask.to_string(limit=N)\n"
                    "You can also index (BlockMask[batch, head]) to choose a specific batch or head"
                )
                break
            pictures.append(f"{place}\n{_picture(dense[place].tolist(), tall, wide)}")
        return "\n".join(pictures)

    def __str__(self):
        head = f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, "
        return f"{head}\n{self.to_string().strip()}\n)"

    def __repr__(self):
        def shown(item):
            return item.shape if hasattr(item, "shape") else item

        rows = [f"    {name}={shown(getattr(self, name))}," for name in self._TENSOR_ATTRS]
        rows += [
            f"    BLOCK_SIZE={self.BLOCK_SIZE},",
            f"    shape={self.shape},",
            f"    sparsity={self.sparsity():.2f}%,",
        ]
        return "\n".join(
            ["BlockMask(", *rows, f"    mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}", ")"]
        )


def create_block_mask(
    mask_mod,
    B,
    H,
    Q_LEN,
    KV_LEN,
    device=None,
    BLOCK_SIZE=_DEFAULT_SPARSE_BLOCK_SIZE,
    _compile=False,
    separate_full_blocks=True,
):
    """The block mask of a mask function."""
    rows, columns = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    b, h, q, kv = *mask.shape[:2], Q_LEN + -Q_LEN % rows, KV_LEN + -KV_LEN % columns
    padded = mask.new_zeros((b, h, q, kv), dtype=int32)
    padded[:, :, :Q_LEN, :KV_LEN] = mask
    counts = padded.reshape(b, h, q // rows, rows, kv // columns, columns).sum((3, 5))
    full = counts == rows * columns
    if separate_full_blocks:
        partial, full_blocks = _ordered((counts > 0) & ~full), _ordered(full)
    else:
        partial, full_blocks = _ordered(counts > 0), (None, None)
    return BlockMask.from_kv_blocks(
        *partial, *full_blocks, BLOCK_SIZE=(rows, columns), mask_mod=mask_mod, seq_lengths=(Q_LEN, KV_LEN)
    )


def flex_attention(
    query,
    key,
    value,
    score_mod=None,
    block_mask=None,
    scale=None,
    enable_gqa=False,
    return_lse=False,
    kernel_options=None,
    *,
    return_aux=None,
):
    """Softmax attention whose scores go through `score_mod` and are masked by `block_mask`."""
    if query.dim() != 4 or key.dim() != 4 or value.dim() != 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    if not enable_gqa and query.size(-3) != key.size(-3):
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={query.size(-3)} and "
            f"Hkv={key.size(-3)}. Try setting enable_gqa=True for GQA."
        )
    if enable_gqa and query.size(-3) % key.size(-3) != 0:
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={query.size(-3)} and "
            f"Hkv={key.size(-3)}."
        )
    groups = query.size(-3) // key.size(-3)
    if groups != 1:
        key, value = key.repeat_interleave(groups, dim=1), value.repeat_interleave(groups, dim=1)
    precision = float64 if query.dtype == float64 else float32
    scale = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    scores = matmul(query, key.transpose(-2, -1)).to(precision) * scale
    places = _indices(query.size(0), query.size(1), query.size(2), key.size(2), query.device)
    if score_mod is not None:
        scores = score_mod(scores, *places)
    if block_mask is not None:
        allowed = block_mask.mask_mod(*places)
        scores = where(allowed, scores, scores.new_full((), -math.inf))
    lse = scores.logsumexp(-1)
    # A row that sees nothing is zero, not NaN.
    weights = softmax(scores, dim=-1).masked_fill((lse == -math.inf).unsqueeze(-1), 0.0)
    out = matmul(weights.to(query.dtype), value)
    if return_aux is not None:
        highest = scores.amax(-1) if return_aux.max_scores else None
        return out, AuxOutput(lse if return_aux.lse else None, highest)
    return (out, lse) if return_lse else out
