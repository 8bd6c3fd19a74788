"""torch.nn.attention.flex_attention: attention with a score function and a block mask, computed eagerly and densely.

Calls score and mask functions once, with index tensors that broadcast against each other, instead of under vmap. For
functions that are pointwise in the indices, including lookups, the results are equal.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple, Self
from collections.abc import Callable

from ..._root import torch
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
    """Says which extra results flex_attention gives.

    Args:
        lse (bool): whether the logarithm of the sum of exponentials of each row. Default:
            ``False``.
        max_scores (bool): whether the largest score of each row. Default: ``False``.

    Example:
        >>> from torch.nn.attention.flex_attention import AuxRequest
        >>> AuxRequest(lse=True)
        AuxRequest(lse=True, max_scores=False)
    """

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """Holds the requested extra results of flex_attention.

    Args:
        lse (Tensor, optional): ``(B, H, L)``. Default: ``None``.
        max_scores (Tensor, optional): ``(B, H, L)``. Default: ``None``.

    Example:
        >>> from torch.nn.attention.flex_attention import AuxOutput
        >>> AuxOutput()
        AuxOutput(lse=None, max_scores=None)
    """

    lse: _C.TensorBase | None = None
    max_scores: _C.TensorBase | None = None


def noop_mask(batch: torch.Tensor, head: torch.Tensor, token_q: torch.Tensor, token_kv: torch.Tensor) -> torch.Tensor:
    """Is the mask function that lets every query see every key.

    Args:
        batch, head, token_q, token_kv (Tensor): indices.

    Returns:
        Tensor: ``True``.

    Example:
        >>> from torch.nn.attention.flex_attention import noop_mask
        >>> zero = torch.tensor(0)
        >>> noop_mask(zero, zero, zero, zero)
        tensor(True)
    """
    return ones((), dtype=torch_bool, device=batch.device)


def _check_callable(mask_mods):
    if not all(callable(mod) for mod in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")


def or_masks(
    *mask_mods: Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor],
) -> Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]:
    """Returns a mask function that lets through what any of several lets through.

    Args:
        *mask_mods (callable): mask functions of batch, head, query and key indices.

    Returns:
        callable: a mask function.

    Raises:
        RuntimeError: when one is not callable.

    Example:
        >>> from torch.nn.attention.flex_attention import or_masks
        >>> before = lambda b, h, q, kv: kv <= q
        >>> near = lambda b, h, q, kv: q - kv < 2
        >>> mask = or_masks(before, near)
        >>> mask(*torch.tensor([0, 0, 5, 1]).unbind())
        tensor(True)
    """
    _check_callable(mask_mods)

    def or_mask(b, h, q_idx, kv_idx):
        result = b.new_zeros((), dtype=torch_bool)
        for mod in mask_mods:
            result = result | mod(b, h, q_idx, kv_idx)
        return result

    return or_mask


def and_masks(
    *mask_mods: Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor],
) -> Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]:
    """Returns a mask function that lets through what all of several let through.

    Args:
        *mask_mods (callable): mask functions of batch, head, query and key indices.

    Returns:
        callable: a mask function.

    Raises:
        RuntimeError: when one is not callable.

    Example:
        >>> from torch.nn.attention.flex_attention import and_masks
        >>> before = lambda b, h, q, kv: kv <= q
        >>> near = lambda b, h, q, kv: q - kv < 2
        >>> mask = and_masks(before, near)
        >>> mask(*torch.tensor([0, 0, 5, 1]).unbind())
        tensor(False)
    """
    _check_callable(mask_mods)

    def and_mask(b, h, q_idx, kv_idx):
        result = b.new_ones((), dtype=torch_bool)
        for mod in mask_mods:
            result = result & mod(b, h, q_idx, kv_idx)
        return result

    return and_mask


def _list_indices(B, H, Q_LEN, KV_LEN, device):
    sizes = (B, H, Q_LEN, KV_LEN)
    return [
        arange(n, dtype=int32, device=device).reshape([n if i == k else 1 for k in range(4)])
        for i, n in enumerate(sizes)
    ]


def create_mask(
    mod_fn: Callable[..., torch.Tensor],
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: torch.device | str | int | None = None,
) -> torch.Tensor:
    """Computes the dense mask of a mask function, or of the finite scores of a score function.

    Args:
        mod_fn (callable): a mask function of four indices, or a score function of a score and four.
        B (int or None): batch size; ``None`` is 1, for a mask that does not depend on it.
        H (int or None): number of heads, likewise.
        Q_LEN (int): number of queries.
        KV_LEN (int): number of keys.
        device (torch.device or str, optional): where. Default: ``None``, the default device.

    Returns:
        Tensor: bool, ``(B, H, Q_LEN, KV_LEN)``.

    Example:
        >>> from torch.nn.attention.flex_attention import create_mask
        >>> create_mask(lambda b, h, q, kv: q >= kv, None, None, 2, 3)
        tensor([[[[ True, False, False],
                  [ True,  True, False]]]])
    """
    B, H = B or 1, H or 1
    places = _list_indices(B, H, Q_LEN, KV_LEN, device if device is not None else get_default_device())
    if getattr(getattr(mod_fn, "__code__", None), "co_argcount", 4) == 5:
        scores = mod_fn(places[0].new_zeros((B, H, Q_LEN, KV_LEN), dtype=float32), *places)
        return where(scores.isneginf(), tensor(False, device=scores.device), tensor(True, device=scores.device))
    return mod_fn(*places).expand(B, H, Q_LEN, KV_LEN)


def _order_blocks(blocks):
    """Returns the number of set blocks in each row, and their columns, the set ones first."""
    return blocks.sum(-1).to(int32), blocks.to(int32).argsort(dim=-1, descending=True, stable=True).to(int32)


def _rebuild_dense(num_blocks, indices):
    """Rebuilds the 0/1 matrix from the result of _order_blocks."""
    rank = arange(indices.shape[-1], dtype=int32, device=indices.device)
    valid = (rank < num_blocks.unsqueeze(-1)).to(int32)
    return indices.new_zeros(indices.shape).scatter_(-1, indices.long(), valid)


def _draw_picture(rows, tall, wide):
    """Draws two characters for each cell of tall x wide blocks: dark if all blocks are set, light if some are."""
    lines = []
    for top in range(0, len(rows), tall):
        line = ""
        for left in range(0, len(rows[0]), wide):
            cell = [block for row in rows[top : top + tall] for block in row[left : left + wide]]
            line += "██" if all(cell) else "░░" if any(cell) else "  "
        lines.append(line + "\n")
    return "".join(lines)


class BlockMask:
    """Says which blocks of a matrix of scores are computed: partly masked ones, and full ones that need no mask.

    Make one with `create_block_mask`, or from the blocks of each row with `from_kv_blocks`.
    Indexing by batch and head selects.

    Args:
        seq_lengths (tuple of two ints): numbers of queries and keys.
        kv_num_blocks (Tensor): ``(B, H, rows)``, how many partly masked blocks each row of
            blocks has.
        kv_indices (Tensor): ``(B, H, rows, columns)``, their columns, then others.
        full_kv_num_blocks, full_kv_indices (Tensor or None): the same for full blocks.
        q_num_blocks, q_indices, full_q_num_blocks, full_q_indices (Tensor or None): the same by
            columns.
        BLOCK_SIZE (tuple of two ints): queries and keys per block. Default: ``(128, 128)``.
        mask_mod (callable): the mask function. Default: `noop_mask`.

    Raises:
        RuntimeError: when `kv_indices` has fewer than two dimensions.

    Example:
        >>> from torch.nn.attention.flex_attention import create_block_mask
        >>> mask = create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 256, 256)
        >>> mask.shape, mask.sparsity()
        ((1, 1, 256, 256), 25.0)
        >>> mask.to_dense()
        tensor([[[[1, 0],
                  [1, 1]]]], dtype=torch.int32)
    """

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
        seq_lengths: tuple[int, int],
        kv_num_blocks: torch.Tensor,
        kv_indices: torch.Tensor,
        full_kv_num_blocks: torch.Tensor | None,
        full_kv_indices: torch.Tensor | None,
        q_num_blocks: torch.Tensor | None,
        q_indices: torch.Tensor | None,
        full_q_num_blocks: torch.Tensor | None,
        full_q_indices: torch.Tensor | None,
        BLOCK_SIZE: tuple[int, int] = (_DEFAULT_SPARSE_BLOCK_SIZE, _DEFAULT_SPARSE_BLOCK_SIZE),
        mask_mod: Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor] = noop_mask,
    ) -> None:
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
        kv_num_blocks: torch.Tensor,
        kv_indices: torch.Tensor,
        full_kv_num_blocks: torch.Tensor | None = None,
        full_kv_indices: torch.Tensor | None = None,
        BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
        mask_mod: Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor] | None = None,
        seq_lengths: tuple[int, int] | None = None,
        compute_q_blocks: bool = True,
    ) -> Self:
        """Makes a BlockMask from the blocks of each row of blocks.

        Args:
            kv_num_blocks (Tensor): ``(B, H, rows)``, how many partly masked blocks each row has.
            kv_indices (Tensor): ``(B, H, rows, columns)``, their columns, then others.
            full_kv_num_blocks, full_kv_indices (Tensor, optional): the same for full blocks.
                Default: ``None``.
            BLOCK_SIZE (int or tuple of two ints): queries and keys per block. Default: ``128``.
            mask_mod (callable, optional): the mask function. Default: ``None``, `noop_mask`.
            seq_lengths (tuple of two ints, optional): numbers of queries and keys. Default:
                ``None``, all blocks.
            compute_q_blocks (bool): whether the blocks by columns are computed too. Default: ``True``.

        Returns:
            BlockMask: the mask.
        """
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if isinstance(BLOCK_SIZE, int):
            BLOCK_SIZE = (BLOCK_SIZE, BLOCK_SIZE)
        by_query = [None] * 4
        if compute_q_blocks:
            by_query[:2] = _order_blocks(_rebuild_dense(kv_num_blocks, kv_indices).transpose(-2, -1))
            if full_kv_num_blocks is not None:
                by_query[2:] = _order_blocks(_rebuild_dense(full_kv_num_blocks, full_kv_indices).transpose(-2, -1))
        if seq_lengths is None:
            seq_lengths = (kv_indices.shape[-2] * BLOCK_SIZE[0], kv_indices.shape[-1] * BLOCK_SIZE[1])
        by_key = (kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices)
        return cls(seq_lengths, *by_key, *by_query, BLOCK_SIZE=BLOCK_SIZE, mask_mod=mask_mod or noop_mask)

    def as_tuple(self, flatten: bool = True) -> tuple[Any, ...]:
        """Returns all parts, as the arguments of the class.

        Args:
            flatten (bool): whether sizes stand in the tuple themselves, not as pairs. Default:
                ``True``.

        Returns:
            tuple: sequence lengths, tensors, block size and mask function.
        """
        block_size = self.BLOCK_SIZE if flatten else (self.BLOCK_SIZE,)
        seq_lengths = self.seq_lengths if flatten else (self.seq_lengths,)
        return (*seq_lengths, *(getattr(self, name) for name in self._TENSOR_ATTRS), *block_size, self.mask_mod)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the mask: batch, heads, queries and keys."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """Returns the number of elements of the mask."""
        return math.prod(self.shape)

    def sparsity(self) -> float:
        """Returns the percentage of elements that are not computed."""
        blocks = self.kv_num_blocks.sum()
        if self.full_kv_num_blocks is not None:
            blocks = blocks + self.full_kv_num_blocks.sum()
        return 100 * (1 - blocks.item() * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1] / self.numel())

    def to_dense(self) -> torch.Tensor:
        """Returns a matrix of blocks, int32: 1 for each computed block."""
        partial = _rebuild_dense(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is None:
            return partial
        return partial | _rebuild_dense(self.full_kv_num_blocks, self.full_kv_indices)

    def to(self, device: torch.device | str) -> BlockMask:
        """Returns the mask with its tensors on `device`."""
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

    def to_string(self, grid_size: int | tuple[int, int] = (20, 20), limit: int = 4) -> str:
        """Draws the mask, one picture for each batch and head: dark where all blocks are set, light where some are.

        Args:
            grid_size (int or tuple of two ints): at most how many cells; -1 shows every block. Default:
                ``(20, 20)``.
            limit (int): how many pictures. Default: ``4``.

        Returns:
            str: the pictures.
        """
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
            pictures.append(f"{place}\n{_draw_picture(dense[place].tolist(), tall, wide)}")
        return "\n".join(pictures)

    def __str__(self):
        head = f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, "
        return f"{head}\n{self.to_string().strip()}\n)"

    def __repr__(self):
        def format_item(item):
            return item.shape if hasattr(item, "shape") else item

        rows = [f"    {name}={format_item(getattr(self, name))}," for name in self._TENSOR_ATTRS]
        rows += [
            f"    BLOCK_SIZE={self.BLOCK_SIZE},",
            f"    shape={self.shape},",
            f"    sparsity={self.sparsity():.2f}%,",
        ]
        return "\n".join(
            ["BlockMask(", *rows, f"    mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}", ")"]
        )


def create_block_mask(
    mask_mod: Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor],
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: torch.device | str | int | None = None,
    BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
    _compile=False,
    separate_full_blocks: bool = True,
) -> BlockMask:
    """Computes the block mask of a mask function.

    Args:
        mask_mod (callable): called with index tensors for batch, head, query and key, and returns
            where a query sees a key; pointwise in the indices.
        B (int or None): batch size; ``None`` is 1, for a mask that does not depend on it.
        H (int or None): number of heads, likewise.
        Q_LEN (int): number of queries.
        KV_LEN (int): number of keys.
        device (torch.device or str, optional): where. Default: ``None``, the default device.
        BLOCK_SIZE (int or tuple of two ints): queries and keys per block. Default: ``128``.
        _compile (bool): has no effect. Default: ``False``.
        separate_full_blocks (bool): whether full blocks are listed by themselves. Default:
            ``True``.

    Returns:
        BlockMask: the mask.

    Example:
        >>> from torch.nn.attention.flex_attention import create_block_mask
        >>> create_block_mask(lambda b, h, q, kv: q >= kv, 2, 4, 512, 512).shape
        (2, 4, 512, 512)
    """
    rows, columns = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    b, h, q, kv = *mask.shape[:2], Q_LEN + -Q_LEN % rows, KV_LEN + -KV_LEN % columns
    padded = mask.new_zeros((b, h, q, kv), dtype=int32)
    padded[:, :, :Q_LEN, :KV_LEN] = mask
    counts = padded.reshape(b, h, q // rows, rows, kv // columns, columns).sum((3, 5))
    full = counts == rows * columns
    if separate_full_blocks:
        partial, full_blocks = _order_blocks((counts > 0) & ~full), _order_blocks(full)
    else:
        partial, full_blocks = _order_blocks(counts > 0), (None, None)
    return BlockMask.from_kv_blocks(
        *partial, *full_blocks, BLOCK_SIZE=(rows, columns), mask_mod=mask_mod, seq_lengths=(Q_LEN, KV_LEN)
    )


def flex_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor,
    score_mod: Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
    | None = None,
    block_mask: BlockMask | None = None, scale: float | None = None, enable_gqa: bool = False, return_lse: bool = False,
    kernel_options: FlexKernelOptions | None = None, *, return_aux: AuxRequest | None = None,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor] | tuple[torch.Tensor, AuxOutput]:  # fmt: skip
    """Attends with scores that a function changes and a block mask restricts (Dong et al. 2024).

    ``softmax(score_mod(Q K^T * scale) + mask) V``, computed densely. The functions are called
    once, with index tensors that broadcast against each other. A query that sees nothing gives
    zeros.

    Args:
        query (Tensor): ``(B, Hq, L, E)``.
        key (Tensor): ``(B, Hkv, S, E)``.
        value (Tensor): ``(B, Hkv, S, Ev)``.
        score_mod (callable, optional): called with scores and indices of batch, head, query and
            key; returns scores. Default: ``None``.
        block_mask (BlockMask, optional): which scores count. Default: ``None``, all.
        scale (float, optional): factor of the scores. Default: ``None``, ``1 / sqrt(E)``.
        enable_gqa (bool): whether `Hq` may be a multiple of `Hkv`. Default: ``False``.
        return_lse (bool): whether the logarithm of the sum of exponentials is returned too;
            deprecated, use `return_aux`. Default: ``False``.
        kernel_options (dict, optional): has no effect. Default: ``None``.
        return_aux (AuxRequest, optional): which extra results are returned. Default: ``None``.

    Returns:
        Tensor: ``(B, Hq, L, Ev)``; a pair with the logarithms ``(B, Hq, L)`` for `return_lse`,
            or with an AuxOutput for `return_aux`.

    Raises:
        ValueError: when the numbers of heads do not fit.
        NotImplementedError: when a tensor has not four dimensions.

    Example:
        >>> from torch.nn.attention.flex_attention import create_block_mask, flex_attention
        >>> q = torch.randn(1, 2, 8, 4)
        >>> mask = create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 8, 8)
        >>> output = flex_attention(q, q, q, block_mask=mask)
        >>> torch.allclose(output, F.scaled_dot_product_attention(q, q, q, is_causal=True), atol=1e-5)
        True
    """
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
    places = _list_indices(query.size(0), query.size(1), query.size(2), key.size(2), query.device)
    if score_mod is not None:
        scores = score_mod(scores, *places)
    if block_mask is not None:
        allowed = block_mask.mask_mod(*places)
        scores = where(allowed, scores, scores.new_full((), -math.inf))
    lse = scores.logsumexp(-1)
    # A row in which all keys are masked is zero, not NaN.
    weights = softmax(scores, dim=-1).masked_fill((lse == -math.inf).unsqueeze(-1), 0.0)
    out = matmul(weights.to(query.dtype), value)
    if return_aux is not None:
        highest = scores.amax(-1) if return_aux.max_scores else None
        return out, AuxOutput(lse if return_aux.lse else None, highest)
    return (out, lse) if return_lse else out
