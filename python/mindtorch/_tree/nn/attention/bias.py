"""Attention masks that are described instead of stored: causal ones, aligned at either corner."""

from enum import IntEnum, auto
from warnings import warn

from ..._root import torch
from .. import functional as F
from ._utils import _validate_sdpa_input

__all__ = ["causal_upper_left", "causal_lower_right", "CausalVariant", "CausalBias"]


class CausalVariant(IntEnum):
    """The corner at which a causal mask of a non-square score matrix begins."""

    UPPER_LEFT = auto()
    LOWER_RIGHT = auto()


class CausalBias(torch.Tensor):
    """A causal mask of which only the sizes and the corner are kept; attention knows it."""

    def __init__(self, variant, seq_len_q, seq_len_kv):
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        super().__init__()
        self.variant = variant
        self.seq_len_q = seq_len_q
        self.seq_len_kv = seq_len_kv
        if seq_len_q > seq_len_kv and variant == CausalVariant.LOWER_RIGHT:
            warn(
                "Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!",
                stacklevel=2,
            )

    def _upper_left(self, device):
        return torch.tril(torch.ones(self.seq_len_q, self.seq_len_kv, device=device, dtype=torch.bool))

    def _lower_right(self, device):
        shift = self.seq_len_kv - self.seq_len_q
        ones = torch.ones(self.seq_len_q, self.seq_len_kv, device=device, dtype=torch.bool)
        return torch.tril(ones, diagonal=shift)

    def _materialize(self, device=None):
        """The mask as a tensor."""
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


def _of(variant, name, size):
    if len(size) != 2:
        raise AssertionError(f"{name} only supports 2D tensors")
    return CausalBias(variant, *size)


def causal_upper_left(*size):
    """Query i sees keys up to i."""
    return _of(CausalVariant.UPPER_LEFT, "causal_upper_left", size)


def causal_lower_right(*size):
    """The last query sees all keys."""
    return _of(CausalVariant.LOWER_RIGHT, "causal_lower_right", size)
