"""Checks of attention inputs."""

import math

__all__ = []


def _input_requires_grad(*tensors):
    return any(t.requires_grad for t in tensors)


def _calculate_scale(head_dim_size, scale):
    """The given scale, or one over the root of the head's width."""
    return scale if scale is not None else 1.0 / math.sqrt(head_dim_size)


def _validate_sdpa_input(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, allow_lowp_kv=False
):
    if not allow_lowp_kv and (query.dtype != key.dtype or query.dtype != value.dtype):
        raise ValueError(
            "Expected query, key, and value to have the same dtype, "
            f"but got query.dtype: {query.dtype}, key.dtype: {key.dtype}, "
            f"and value.dtype: {value.dtype} instead."
        )
    if query.device != key.device or query.device != value.device:
        raise ValueError(
            "Expected query, key, and value to have the same device type, "
            f"but got query.device: {query.device}, key.device: {key.device}, "
            f"and value.device: {value.device} instead."
        )
    if query.dim() < 2 or key.dim() < 2 or value.dim() < 2:
        raise ValueError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.dim()}, key.dim: {key.dim()} and value.dim: {value.dim()} instead."
        )
