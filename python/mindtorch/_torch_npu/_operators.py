"""Operators that torch_npu adds and programs call by name, implemented with torch's; they run on every device."""

import torch
import torch.nn.functional as F

_ND = 2  # ACL_FORMAT_ND, the only supported format


def get_npu_format(self) -> int:
    """The number of a tensor's storage format: 2, plain."""
    return _ND


def npu_format_cast(self, acl_format: int):
    """The tensor itself, for the plain format 2 (ND); NotImplementedError for the others."""
    if acl_format != _ND:
        raise NotImplementedError(f"torch_npu.npu_format_cast: format {acl_format} is not supported, only {_ND} (ND)")
    return self


npu_format_cast_ = npu_format_cast


def npu_rms_norm(self, gamma, epsilon: float = 1e-06):
    """(self / rms * gamma, 1 / rms), with rms = sqrt(mean(self**2) + epsilon) over gamma's dimensions, the last ones.

    The result has self's shape; 1 / rms is float32, and of size 1 in those dimensions.
    """
    dims = tuple(range(self.dim() - gamma.dim(), self.dim()))
    wide = self.float()
    inverse = (wide * wide).mean(dims, keepdim=True).add(epsilon).sqrt().reciprocal()
    return (wide * inverse).to(self.dtype) * gamma, inverse


def npu_swiglu(self, dim: int = -1):
    """silu of the first half along `dim` times the second half: half of self's size there, its dtype."""
    gate, value = self.chunk(2, dim)
    return F.silu(gate) * value


def npu_rotary_mul(self, r1, r2, rotary_mode: str = "half"):
    """self * r1 + rotated(self) * r2: rotary position embedding along the last dimension, of even size.

    r1 and r2, cosines and sines, broadcast to self. "half" rotates the two halves, "interleave" pairs of neighbours;
    ValueError for other modes.
    """
    if rotary_mode == "half":
        first, second = self.chunk(2, -1)
        rotated = torch.cat((-second, first), -1)
    elif rotary_mode == "interleave":
        rotated = torch.stack((-self[..., 1::2], self[..., ::2]), -1).flatten(-2)
    else:
        raise ValueError(f"The rotary_mode of rotary_mul should be half or interleave, but got {rotary_mode}.")
    return self * r1 + rotated * r2


def _from_layout_to_bnsd(tensor, heads: int, layout: str):
    """(batch, heads, length, width). In layouts B is batch, S length, N heads, D width, H heads times width."""
    if layout == "BNSD":
        return tensor
    if layout == "BSND":
        return tensor.transpose(1, 2)
    batched = tensor if layout == "BSH" else tensor.transpose(0, 1)
    return batched.unflatten(-1, (heads, -1)).transpose(1, 2)


def _from_bnsd_to_layout(tensor, layout: str):
    if layout == "BNSD":
        return tensor
    spread = tensor.transpose(1, 2)
    if layout == "BSND":
        return spread
    flat = spread.flatten(-2)
    return flat if layout == "BSH" else flat.transpose(0, 1)


def _find_hidden_keys(sparse_mode: int, mask, queries: int, keys: int, device):
    """Returns True where a query may not see a key, or None if it may see all."""
    if sparse_mode in (0, 1):
        return mask
    if sparse_mode not in (2, 3):
        raise NotImplementedError(f"torch_npu.npu_fusion_attention: sparse_mode {sparse_mode} is not supported")
    shift = keys - queries if sparse_mode == 3 else 0  # 2 aligns the first query and key, 3 the last
    return torch.ones(queries, keys, dtype=torch.bool, device=device).triu(1 + shift)


def npu_fusion_attention(
    query,
    key,
    value,
    head_num: int,
    input_layout: str,
    pse=None,
    padding_mask=None,
    atten_mask=None,
    scale: float = 1.0,
    keep_prob: float = 1.0,
    pre_tockens: int = 2147483647,
    next_tockens: int = 2147483647,
    inner_precise: int = 0,
    prefix=None,
    actual_seq_qlen=None,
    actual_seq_kvlen=None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
):
    """Attention: (result, softmax maxima, softmax sums, the softmax (empty), seed, offset, number of mask bits).

    Layouts name the dimensions of query, key, value and result: "BSH", "SBH", "BSND" or "BNSD", of batch B, length S,
    heads N of width D, and H = N * D. Keys and values may have fewer heads, whose number divides head_num. atten_mask,
    True where a query may not see a key, broadcasts to (B, N, query length, key length); sparse_mode 2 and 3 are causal
    from the first or to the last position instead. Scores are float32, the result has query's dtype; maxima and sums
    are float32 of (B, N, query length, 8). NotImplementedError for other layouts and modes, prefix and padding_mask.
    """
    if input_layout not in ("BSH", "SBH", "BSND", "BNSD"):
        raise NotImplementedError(f"torch_npu.npu_fusion_attention: input_layout {input_layout!r} is not supported")
    if prefix is not None or padding_mask is not None:
        raise NotImplementedError("torch_npu.npu_fusion_attention: prefix and padding_mask are not supported")
    q = _from_layout_to_bnsd(query, head_num, input_layout)
    groups = q.shape[-1]
    heads_of_keys = head_num if input_layout in ("BNSD", "BSND") else key.shape[-1] // groups
    k, v = (_from_layout_to_bnsd(tensor, heads_of_keys, input_layout) for tensor in (key, value))
    repeats = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(repeats, 1), v.repeat_interleave(repeats, 1)
    scores = (q @ k.transpose(-1, -2)).float()
    if pse is not None:
        scores = scores + pse.float()
    scores = scores * scale
    hidden = _find_hidden_keys(sparse_mode, atten_mask, q.shape[2], k.shape[2], q.device)
    if hidden is not None:
        scores = scores.masked_fill(hidden.bool(), torch.finfo(torch.float32).min)
    maxima = scores.amax(-1, keepdim=True)
    exponentials = (scores - maxima).exp()
    sums = exponentials.sum(-1, keepdim=True)
    weights = (exponentials / sums).to(query.dtype)
    if keep_prob < 1.0:
        weights = F.dropout(weights, 1.0 - keep_prob, training=True)
    result = _from_bnsd_to_layout(weights @ v, input_layout)
    eightfold = (*maxima.shape[:-1], 8)  # in the format of the vendor's kernel
    return result, maxima.expand(eightfold), sums.expand(eightfold), query.new_empty(0), 0, 0, 0
