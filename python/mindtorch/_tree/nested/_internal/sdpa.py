"""Scaled dot product attention of the jagged layout: sequence by sequence."""

from ..._root import torch
from .._base import is_nested


def _check_attention_arguments(query, key, value, attn_mask):
    three = (query, key, value)
    if not all(map(is_nested, three)):
        raise ValueError(
            "Expected query, key, and value to be nested tensors, but got "
            f"query.is_nested: {query.is_nested}, key.is_nested: {key.is_nested}, "
            f"and value.is_nested: {value.is_nested} instead."
        )
    if not query.dtype == key.dtype == value.dtype:
        raise ValueError(
            "Expected query, key, and value to have the same dtype, but got "
            f"query.dtype: {query.dtype}, key.dtype: {key.dtype}, and value.dtype: {value.dtype} instead."
        )
    if not query.device == key.device == value.device:
        raise ValueError(
            "Expected query, key, and value to have the same device type, but got "
            f"query.device: {query.device}, key.device: {key.device}, and value.device: {value.device} instead."
        )
    if min(t.dim() for t in three) < 3:
        raise ValueError(
            "Expected query, key, and value to all be  at least 3 dimensional, but got "
            f"query.dim: {query.dim()}, key.dim: {key.dim()} and value.dim: {value.dim()} instead."
        )
    if not query._ragged_idx == key._ragged_idx == value._ragged_idx:
        raise ValueError(
            "Expected query, key, and value to all be ragged on the same dimension, but got ragged dims "
            f"{query._ragged_idx}, {key._ragged_idx}, and {value._ragged_idx}, respectively."
        )
    if attn_mask is not None:
        raise ValueError("Masks are not yet supported!")


def jagged_scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """Returns the attention of each sequence to itself; the values are stored as ``(sequence, heads, width)``."""
    from .ops import _join_sequences, _split_into_sequences

    _check_attention_arguments(query, key, value, attn_mask)
    attend = torch.nn.functional.scaled_dot_product_attention
    options = {"dropout_p": dropout_p, "is_causal": is_causal, "scale": scale, "enable_gqa": enable_gqa}
    pieces = [
        attend(q, k, v, **options)
        for q, k, v in zip(
            _split_into_sequences(query), _split_into_sequences(key), _split_into_sequences(value), strict=True
        )
    ]
    if query._lengths is None and query._ragged_idx == 2:  # heads become the inner dimension again without a copy
        return query._make_like_function()(torch.cat([p.transpose(0, 1) for p in pieces]).transpose(0, 1))
    return _join_sequences(query, pieces)
