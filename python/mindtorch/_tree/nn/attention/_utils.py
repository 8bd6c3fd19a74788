"""Checks of attention inputs."""

import math

__all__ = []


def _input_requires_grad(*tensors):
    return any(t.requires_grad for t in tensors)


def _calculate_scale(head_dim_size, scale):
    """Returns the given scale, or one over the square root of the head's width."""
    return scale if scale is not None else 1.0 / math.sqrt(head_dim_size)


def _validate_sdpa_input(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, allow_lowp_kv=False
):
    """Raises if the inputs have several dtypes (unless keys and values may be narrower) or devices, or no rows."""
    inputs = (query, key, value)

    def refuse_inputs(expected, attribute, found, comma=","):
        shown = f"query.{attribute}: {found[0]}, key.{attribute}: {found[1]}{comma} and value.{attribute}: {found[2]}"
        raise ValueError(f"Expected query, key, and value to {expected}, but got {shown} instead.")

    for attribute, what, may_differ in (("dtype", "dtype", allow_lowp_kv), ("device", "device type", False)):
        found = [getattr(x, attribute) for x in inputs]
        if not may_differ and any(other != found[0] for other in found[1:]):
            refuse_inputs(f"have the same {what}", attribute, found)
    dims = [x.dim() for x in inputs]
    if min(dims) < 2:
        refuse_inputs("all be  at least 2 dimensional", "dim", dims, comma="")
