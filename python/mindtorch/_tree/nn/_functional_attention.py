"""torch.nn.functional: multi-head attention in its general form."""

import math
import warnings

from .. import _C
from .._root import torch
from ..overrides import has_torch_function
from .._override import override

_nn = _C._nn


def _in_projection_packed(q, k, v, w, b=None):
    """Computes query, key and value projections from one stacked weight, in as few products as the inputs allow."""
    width = q.size(-1)

    def project_together(x, weight, bias, parts):
        out = _nn.linear(x, weight, bias)
        # A single copy gives each part its own memory.
        return out.unflatten(-1, (parts, width)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()

    if q is k and k is v:
        packed = project_together(q, w, b, 3)
        return packed[0], packed[1], packed[2]
    if k is v:
        w_q, w_kv = w.split([width, width * 2])
        b_q, b_kv = (None, None) if b is None else b.split([width, width * 2])
        query = _nn.linear(q, w_q, b_q)
        packed = project_together(k, w_kv, b_kv, 2)
        return query, packed[0], packed[1]
    w_q, w_k, w_v = w.chunk(3)
    b_q, b_k, b_v = (None, None, None) if b is None else b.chunk(3)
    return _nn.linear(q, w_q, b_q), _nn.linear(k, w_k, b_k), _nn.linear(v, w_v, b_v)


def _in_projection(q, k, v, w_q, w_k, w_v, b_q=None, b_k=None, b_v=None):
    """Computes query, key and value projections with a weight each; all have the query's width."""
    width = q.size(-1)
    for name, x, weight in (("query", q, w_q), ("key", k, w_k), ("value", v, w_v)):
        expected = (width, x.size(-1))
        if weight.shape != expected:
            raise AssertionError(f"expecting {name} weights shape of {expected}, but got {weight.shape}")
    for name, bias in (("query", b_q), ("key", b_k), ("value", b_v)):
        if bias is not None and bias.shape != (width,):
            raise AssertionError(f"expecting {name} bias shape of {(width,)}, but got {bias.shape}")
    return _nn.linear(q, w_q, b_q), _nn.linear(k, w_k, b_k), _nn.linear(v, w_v, b_v)


def _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads):
    """Whether the inputs are batched; raises if their ranks do not match."""
    rank = query.dim()
    if rank not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor")
    batched = rank == 3
    of = f"For {'batched' if batched else 'unbatched'} ({rank}-D) `query`"
    if key.dim() != rank or value.dim() != rank:
        raise AssertionError(
            f"{of}, expected `key` and `value` to be {rank}-D"
            f" but found {key.dim()}-D and {value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != rank - 1:
        raise AssertionError(
            f"{of}, expected `key_padding_mask` to be `None` or {rank - 1}-D"
            f" but found {key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is not None:
        if attn_mask.dim() not in (2, 3):
            raise AssertionError(
                f"{of}, expected `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor instead"
            )
        expected = (num_heads, query.shape[0], key.shape[0])
        if not batched and attn_mask.dim() == 3 and attn_mask.shape != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}")
    return batched


def _canonical_mask(mask, mask_name, other_type, other_name, target_type, check_other=True):
    """Returns a mask to add to scores: a bool mask becomes -inf where it is True."""
    if mask is None:
        return None
    is_float = torch.is_floating_point(mask)
    if mask.dtype != torch.bool and not is_float:
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        warnings.warn(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead.",
            stacklevel=3,
        )
    if is_float:
        return mask
    return torch.zeros_like(mask, dtype=target_type).masked_fill_(mask, float("-inf"))


def _none_or_dtype(input):
    if input is None:
        return None
    if isinstance(input, torch.Tensor):
        return input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def _check_key_padding_mask(key_padding_mask, src_len, bsz):
    for dim, expected in enumerate((bsz, src_len)):
        got = key_padding_mask.shape[dim]
        if got != expected:
            raise AssertionError(f"Expected key_padded_mask.shape[{dim}] to be {expected}, but got {got}")


def _check_attn_mask_shape(mask, tgt_len, src_len, rows):
    """Returns a 3-D view of the mask."""
    if mask.dim() not in (2, 3):
        raise RuntimeError(f"attn_mask's dimension {mask.dim()} is not supported")
    expected = (tgt_len, src_len) if mask.dim() == 2 else (rows, tgt_len, src_len)
    if mask.shape != expected:
        raise RuntimeError(f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {expected}.")
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


def _project_inputs(
    query, key, value, in_proj_weight, in_proj_bias, use_separate, q_proj_weight, k_proj_weight, v_proj_weight
):
    if not use_separate:
        if key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        if in_proj_weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        return _in_projection_packed(query, key, value, in_proj_weight, in_proj_bias)
    # Key and value may have different embedding sizes, but not different sequence lengths.
    if key.shape[:2] != value.shape[:2]:
        raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
    weights = {"q_proj_weight": q_proj_weight, "k_proj_weight": k_proj_weight, "v_proj_weight": v_proj_weight}
    for name, weight in weights.items():
        if weight is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name} is None")
    biases = (None, None, None) if in_proj_bias is None else in_proj_bias.chunk(3)
    return _in_projection(query, key, value, *weights.values(), *biases)


def _split_heads(x, static, name, rows, head_dim):
    """Returns (rows, length, head_dim) of a projection, or the caller's static tensor in that form."""
    if static is None:
        return x.view(x.shape[0], rows, head_dim).transpose(0, 1)
    if static.size(0) != rows:
        raise AssertionError(f"expecting {name}.size(0) of {rows}, but got {static.size(0)}")
    if static.size(2) != head_dim:
        raise AssertionError(f"expecting {name}.size(2) of {head_dim}, but got {static.size(2)}")
    return static


def _widen_mask(mask):
    """Adds a key position that no mask excludes."""
    return None if mask is None else _nn.pad(mask, (0, 1))


def _has_bias_position(bias_k, bias_v, static_k, static_v):
    """Whether biases add a key and a value; raises if only one is given, or if key or value are the caller's."""
    if bias_k is None and bias_v is None:
        return False
    if bias_v is None:
        raise AssertionError("bias_k is set but bias_v is None")
    if bias_k is None:
        raise AssertionError("bias_v is set but bias_k is None")
    for what, static in (("key", static_k), ("value", static_v)):
        if static is not None:
            raise AssertionError(f"bias cannot be added to static {what}.")
    return True


def _append_zero_position(x):
    """Appends one key or value of zeros to each row's sequence."""
    rows, _, head_dim = x.shape
    return torch.cat([x, torch.zeros((rows, 1, head_dim), dtype=x.dtype, device=x.device)], dim=1)


def _merge_masks(attn_mask, key_padding_mask, num_heads, src_len):
    """Adds the padding of each batch to the mask of all its heads."""
    bsz = key_padding_mask.shape[0]
    per_head = key_padding_mask.view(bsz, 1, 1, src_len).expand(-1, num_heads, -1, -1)
    per_head = per_head.reshape(bsz * num_heads, 1, src_len)
    return per_head if attn_mask is None else attn_mask + per_head


def _attend_fused(q, k, v, attn_mask, num_heads, dropout_p, is_causal):
    """Returns the attended values as (L * N, E), from the kernel that keeps no weights."""
    rows, tgt_len, head_dim = q.shape
    src_len = k.size(1)
    by_head = (rows // num_heads, num_heads)  # the fused kernel requires both dimensions
    if attn_mask is not None:
        is_shared = attn_mask.dim() == 3 and attn_mask.size(0) == 1
        attn_mask = attn_mask[None] if is_shared else attn_mask.view(*by_head, -1, src_len)
    k, v = k.view(*by_head, src_len, head_dim), v.view(*by_head, src_len, head_dim)
    q = q.view(*by_head, tgt_len, head_dim)
    attended = _nn.scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal)
    return attended.permute(2, 0, 1, 3).reshape(tgt_len * by_head[0], num_heads * head_dim)


def _attend_with_weights(q, k, v, attn_mask, num_heads, dropout_p):
    """Returns the attended values as (L * N, E), and the weights of each row."""
    scaled = q * math.sqrt(1.0 / float(q.size(-1)))
    if attn_mask is None:
        weights = torch.bmm(scaled, k.transpose(-2, -1))
    else:
        weights = torch.baddbmm(attn_mask, scaled, k.transpose(-2, -1))
    weights = weights.softmax(-1)
    if dropout_p > 0.0:
        weights = torch.dropout(weights, dropout_p, True)
    rows, tgt_len, head_dim = q.shape
    attended = torch.bmm(weights, v).transpose(0, 1)
    return attended.reshape(tgt_len * (rows // num_heads), num_heads * head_dim), weights


def multi_head_attention_forward(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: torch.Tensor | None,
    in_proj_bias: torch.Tensor | None,
    bias_k: torch.Tensor | None,
    bias_v: torch.Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: torch.Tensor,
    out_proj_bias: torch.Tensor | None,
    training: bool = True,
    key_padding_mask: torch.Tensor | None = None,
    need_weights: bool = True,
    attn_mask: torch.Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: torch.Tensor | None = None,
    k_proj_weight: torch.Tensor | None = None,
    v_proj_weight: torch.Tensor | None = None,
    static_k: torch.Tensor | None = None,
    static_v: torch.Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Attends with several heads: what `MultiheadAttention` computes, with its parameters as arguments.

    Args:
        query (Tensor): ``(L, N, E)`` or ``(L, E)``.
        key (Tensor): ``(S, N, E_k)`` or ``(S, E_k)``.
        value (Tensor): ``(S, N, E_v)`` or ``(S, E_v)``.
        embed_dim_to_check (int): `E`, to be checked.
        num_heads (int): number of heads, a divisor of `E`.
        in_proj_weight (Tensor or None): ``(3 * E, E)``; ``None`` with `use_separate_proj_weight`.
        in_proj_bias (Tensor or None): ``(3 * E,)``.
        bias_k, bias_v (Tensor or None): ``(1, 1, E)``, one more key and value.
        add_zero_attn (bool): whether one more key and value of zeros is added.
        dropout_p (float): probability that an attention weight is zeroed in training.
        out_proj_weight (Tensor): ``(E, E)``.
        out_proj_bias (Tensor or None): ``(E,)``.
        training (bool): whether dropout is applied. Default: ``True``.
        key_padding_mask (Tensor, optional): ``(N, S)`` or ``(S,)``; True hides a key, floats
            are added to the scores. Default: ``None``.
        need_weights (bool): whether weights are returned. Default: ``True``.
        attn_mask (Tensor, optional): ``(L, S)`` or ``(N * num_heads, L, S)``, likewise.
            Default: ``None``.
        use_separate_proj_weight (bool): whether the next three are used. Default: ``False``.
        q_proj_weight, k_proj_weight, v_proj_weight (Tensor, optional): ``(E, E)``, ``(E, E_k)`` and
            ``(E, E_v)``. Default: ``None``.
        static_k, static_v (Tensor, optional): ``(N * num_heads, S, E / num_heads)``, in place
            of the projections of key and value. Default: ``None``.
        average_attn_weights (bool): whether the weights are the mean over heads. Default: ``True``.
        is_causal (bool): says that `attn_mask`, which has to be given, is the causal mask. Default:
            ``False``.

    Returns:
        tuple of Tensor and Tensor or None: the output ``(L, N, E)`` and the weights
        ``(N, L, S)``, or ``(N, num_heads, L, S)``; without `N` for unbatched inputs.

    Raises:
        AssertionError: when shapes do not fit.
        RuntimeError: when `is_causal` is set without `attn_mask`.

    Example:
        >>> x, eye = torch.randn(5, 2, 4), torch.eye(4)
        >>> output, weights = F.multi_head_attention_forward(
        ...     x, x, x, 4, 2, torch.cat([eye, eye, eye]), None, None, None, False, 0.0, eye, None)
        >>> output.shape, weights.shape
        (torch.Size([5, 2, 4]), torch.Size([2, 5, 5]))
    """
    relevant = (
        query,
        key,
        value,
        in_proj_weight,
        in_proj_bias,
        bias_k,
        bias_v,
        out_proj_weight,
        out_proj_bias,
    )
    if has_torch_function(relevant):
        given = locals()
        given.pop("relevant")
        return override(multi_head_attention_forward, relevant, given)

    batched = _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)

    tgt_len, bsz, embed_dim = query.shape
    src_len = key.shape[0]
    key_padding_mask = _canonical_mask(
        key_padding_mask, "key_padding_mask", _none_or_dtype(attn_mask), "attn_mask", query.dtype
    )
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None  # the kernel applies the causal mask itself
    else:
        attn_mask = _canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, check_other=False)
        if key_padding_mask is not None:
            is_causal = False  # the merged mask below contains it

    if embed_dim != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {embed_dim}")
    head_dim = embed_dim // num_heads
    if head_dim * num_heads != embed_dim:
        raise AssertionError(f"embed_dim {embed_dim} not divisible by num_heads {num_heads}")
    q, k, v = _project_inputs(
        query,
        key,
        value,
        in_proj_weight,
        in_proj_bias,
        use_separate_proj_weight,
        q_proj_weight,
        k_proj_weight,
        v_proj_weight,
    )

    rows = bsz * num_heads
    if attn_mask is not None:
        attn_mask = _check_attn_mask_shape(attn_mask, tgt_len, src_len, rows)

    if _has_bias_position(bias_k, bias_v, static_k, static_v):
        k, v = (torch.cat([x, bias.repeat(1, bsz, 1)]) for x, bias in ((k, bias_k), (v, bias_v)))
        attn_mask, key_padding_mask = _widen_mask(attn_mask), _widen_mask(key_padding_mask)

    q = _split_heads(q, None, "", rows, head_dim)
    k = _split_heads(k, static_k, "static_k", rows, head_dim)
    v = _split_heads(v, static_v, "static_v", rows, head_dim)
    if add_zero_attn:
        k, v = _append_zero_position(k), _append_zero_position(v)
        attn_mask, key_padding_mask = _widen_mask(attn_mask), _widen_mask(key_padding_mask)

    src_len = k.size(1)
    if key_padding_mask is not None:
        _check_key_padding_mask(key_padding_mask, src_len, bsz)
        attn_mask = _merge_masks(attn_mask, key_padding_mask, num_heads, src_len)
    if not training:
        dropout_p = 0.0

    if not need_weights:
        attended = _attend_fused(q, k, v, attn_mask, num_heads, dropout_p, is_causal)
        output = _nn.linear(attended, out_proj_weight, out_proj_bias)
        output = output.view(tgt_len, bsz, output.size(1))
        return (output if batched else output.squeeze(1)), None

    if is_causal and attn_mask is None:
        raise AssertionError("FIXME: is_causal not implemented for need_weights")
    attended, weights = _attend_with_weights(q, k, v, attn_mask, num_heads, dropout_p)
    output = _nn.linear(attended, out_proj_weight, out_proj_bias)
    output = output.view(tgt_len, bsz, output.size(1))
    weights = weights.view(bsz, num_heads, tgt_len, src_len)
    if average_attn_weights:
        weights = weights.mean(dim=1)
    if not batched:
        output, weights = output.squeeze(1), weights.squeeze(0)
    return output, weights
