"""Attention masks that are described, not stored: causal ones, aligned at either corner."""

from __future__ import annotations

from enum import IntEnum, auto
from warnings import warn

from ..._root import torch
from .. import functional as F
from ._utils import _validate_sdpa_input

__all__ = ["causal_upper_left", "causal_lower_right", "CausalVariant", "CausalBias"]


class CausalVariant(IntEnum):
    """Names the corner at which the causal mask of a matrix of scores that is not square begins.

    `UPPER_LEFT`: query `i` sees keys up to `i`. `LOWER_RIGHT`: the last query sees all keys.

    Args:
        value (int): 1 or 2.

    Example:
        >>> from torch.nn.attention.bias import CausalVariant
        >>> CausalVariant.UPPER_LEFT.name, int(CausalVariant.LOWER_RIGHT)
        ('UPPER_LEFT', 2)
    """

    UPPER_LEFT = auto()
    LOWER_RIGHT = auto()


class CausalBias(torch.Tensor):
    """Is a causal mask of which only sizes and corner are kept; scaled_dot_product_attention knows it.

    Make one with `causal_upper_left` or `causal_lower_right` and pass it as `attn_mask`.

    Args:
        variant (CausalVariant): the corner.
        seq_len_q (int): number of queries.
        seq_len_kv (int): number of keys.

    Raises:
        AssertionError: when `variant` is none.

    Example:
        >>> from torch.nn.attention.bias import CausalBias, CausalVariant
        >>> CausalBias(CausalVariant.LOWER_RIGHT, 2, 3)
        tensor([[ True,  True, False],
                [ True,  True,  True]])
    """

    def __init__(self, variant: torch.nn.attention.bias.CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        super().__init__()
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if variant == CausalVariant.LOWER_RIGHT and seq_len_q > seq_len_kv:
            warn("Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!", stacklevel=2)

    def _upper_left(self, device):
        return torch.tril(torch.ones(self.seq_len_q, self.seq_len_kv, device=device, dtype=torch.bool))

    def _lower_right(self, device):
        shift = self.seq_len_kv - self.seq_len_q
        ones = torch.ones(self.seq_len_q, self.seq_len_kv, device=device, dtype=torch.bool)
        return torch.tril(ones, diagonal=shift)

    def _materialize(self, device=None):
        """Returns the mask as a tensor."""
        device = torch.device("cpu") if device is None else device
        return self._upper_left(device) if self.variant == CausalVariant.UPPER_LEFT else self._lower_right(device)

    @staticmethod
    def _dispatch(query, key, value, attn_mask, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        options = {"dropout_p": dropout_p, "scale": scale, "enable_gqa": enable_gqa}
        if attn_mask.seq_len_q == attn_mask.seq_len_kv or attn_mask.variant == CausalVariant.UPPER_LEFT:
            return F.scaled_dot_product_attention(query, key, value, attn_mask=None, is_causal=True, **options)
        if attn_mask.variant != CausalVariant.LOWER_RIGHT:
            raise ValueError(f"CausalBias.variant must be a CausalVariant type, but found: {attn_mask.variant}")
        _validate_sdpa_input(query, key, value, None, dropout_p, is_causal, scale)
        mask = attn_mask._materialize(query.device)
        return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=False, **options)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kwargs = {} if kwargs is None else kwargs
        if func is F.scaled_dot_product_attention:
            return cls._dispatch(*args, **kwargs)
        return super().__torch_function__(func, types, args, kwargs)

    def __repr__(self):
        return repr(self._materialize())


def _make_bias(variant, name, size):
    if len(size) != 2:
        raise AssertionError(f"{name} only supports 2D tensors")
    return CausalBias(variant, *size)


def causal_upper_left(*size) -> torch.nn.attention.bias.CausalBias:
    """Returns a causal mask: query `i` sees keys up to `i`.

    Args:
        *size (int): numbers of queries and of keys.

    Returns:
        CausalBias: for `attn_mask` of scaled_dot_product_attention.

    Raises:
        AssertionError: for another number of sizes.

    Example:
        >>> from torch.nn.attention.bias import causal_upper_left
        >>> causal_upper_left(2, 3)
        tensor([[ True, False, False],
                [ True,  True, False]])
    """
    return _make_bias(CausalVariant.UPPER_LEFT, "causal_upper_left", size)


def causal_lower_right(*size) -> torch.nn.attention.bias.CausalBias:
    """Returns a causal mask: the last query sees all keys, the one before all but the last.

    Args:
        *size (int): numbers of queries and of keys.

    Returns:
        CausalBias: for `attn_mask` of scaled_dot_product_attention.

    Raises:
        AssertionError: for another number of sizes.

    Example:
        >>> from torch.nn.attention.bias import causal_lower_right
        >>> causal_lower_right(2, 3)
        tensor([[ True,  True, False],
                [ True,  True,  True]])
    """
    return _make_bias(CausalVariant.LOWER_RIGHT, "causal_lower_right", size)
