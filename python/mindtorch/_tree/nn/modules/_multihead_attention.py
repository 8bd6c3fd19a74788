"""The MultiheadAttention module, which `activation` exports."""

from ... import _C
from ..._root import torch
from .. import functional as F
from ..init import constant_, xavier_normal_, xavier_uniform_
from ._optional import set_parameter
from .linear import NonDynamicallyQuantizableLinear
from .module import Module


def _check_arg_device(x):
    """Whether the fused kernel runs where `x` is."""
    if x is None:
        return True
    return x.device.type in ("cpu", "cuda", _C._get_privateuse1_backend_name())


def _arg_requires_grad(x):
    return x is not None and x.requires_grad


class MultiheadAttention(Module):
    """Attention of several heads over projections of query, key and value (Vaswani et al. 2017)."""

    __constants__ = ["batch_first"]

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        kdim=None,
        vdim=None,
        batch_first=False,
        device=None,
        dtype=None,
    ):
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0,"
                f" got embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != self.embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        packed = self._qkv_same_embed_dim
        stacked_shape = (3 * embed_dim, embed_dim)
        if packed:
            set_parameter(self, "in_proj_weight", stacked_shape, **factory)
        for name, width in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
            set_parameter(self, f"{name}_proj_weight", (embed_dim, width), wanted=not packed, **factory)
        if not packed:
            self.register_parameter("in_proj_weight", None)
        set_parameter(self, "in_proj_bias", 3 * embed_dim, wanted=bias, **factory)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **factory)
        if add_bias_kv:
            set_parameter(self, "bias_k", (1, 1, embed_dim), **factory)
            set_parameter(self, "bias_v", (1, 1, embed_dim), **factory)
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self):
        if self._qkv_same_embed_dim:
            xavier_uniform_(self.in_proj_weight)
        else:
            xavier_uniform_(self.q_proj_weight)
            xavier_uniform_(self.k_proj_weight)
            xavier_uniform_(self.v_proj_weight)
        if self.in_proj_bias is not None:
            constant_(self.in_proj_bias, 0.0)
            constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                xavier_normal_(bias)

    def __setstate__(self, state):
        state.setdefault("_qkv_same_embed_dim", True)  # pickles before the separate projections existed
        super().__setstate__(state)

    def _why_not_fused(self, query, key, value, key_padding_mask, attn_mask):
        """The reason why the fused inference kernel cannot serve this call; empty if it can."""
        if not torch.backends.mha.get_fastpath_enabled():
            return "torch.backends.mha.get_fastpath_enabled() was not True"
        if query.dim() != 3:
            return f"input not batched; expected query.dim() of 3 but got {query.dim()}"
        if query is not key or key is not value:
            return "non-self attention was used (query, key, and value are not the same Tensor)"
        bias = self.in_proj_bias
        if bias is not None and query.dtype != bias.dtype:
            return f"dtypes of query ({query.dtype}) and self.in_proj_bias ({bias.dtype}) don't match"
        weight = self.in_proj_weight
        if weight is None:
            return "in_proj_weight was None"
        if query.dtype != weight.dtype:
            return f"dtypes of query ({query.dtype}) and self.in_proj_weight ({weight.dtype}) don't match"
        for is_so, reason in (
            (self.training, "training is enabled"),
            (self.num_heads % 2 != 0, "self.num_heads is not even"),
            (not self.batch_first, "batch_first was not True"),
            (self.bias_k is not None, "self.bias_k was not None"),
            (self.bias_v is not None, "self.bias_v was not None"),
            (self.add_zero_attn, "add_zero_attn was enabled"),
            (not self._qkv_same_embed_dim, "_qkv_same_embed_dim was not True"),
            (
                query.is_nested and (key_padding_mask is not None or attn_mask is not None),
                "supplying both src_key_padding_mask and src_mask at the same time"
                "                                  is not supported with NestedTensor input",
            ),
            (torch.is_autocast_enabled(), "autocast is enabled"),
        ):
            if is_so:
                return reason
        used = (query, key, value, weight, bias, self.out_proj.weight, self.out_proj.bias)
        if torch.overrides.has_torch_function(used):
            return "some Tensor argument has_torch_function"
        if not all(_check_arg_device(x) for x in used):
            backend = _C._get_privateuse1_backend_name()
            return f"some Tensor argument's device is neither one of cpu, cuda or {backend}"
        if torch.is_grad_enabled() and any(_arg_requires_grad(x) for x in used):
            return (
                "grad is enabled and at least one of query or the "
                "input/output projection weights or biases requires_grad"
            )
        return ""

    def forward(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
        is_causal=False,
    ):
        """(L, N, E) query and (S, N, ...) key and value, N first if `batch_first` -> (output, weights).

        Weights: (N, L, S) or None. In bool masks True hides; float masks are added. `is_causal` needs its `attn_mask`.
        """
        reason = ""
        if any(mask is not None and torch.is_floating_point(mask) for mask in (attn_mask, key_padding_mask)):
            reason = "floating-point masks are not supported for fast path."
        batched = query.dim() == 3
        key_padding_mask = F._canonical_mask(
            key_padding_mask, "key_padding_mask", F._none_or_dtype(attn_mask), "attn_mask", query.dtype
        )
        attn_mask = F._canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, check_other=False)
        reason = self._why_not_fused(query, key, value, key_padding_mask, attn_mask) or reason
        if not reason and self.in_proj_bias is not None and hasattr(torch, "_native_multi_head_attention"):
            merged_mask, mask_type = self.merge_masks(attn_mask, key_padding_mask, query)
            return torch._native_multi_head_attention(
                query,
                key,
                value,
                self.embed_dim,
                self.num_heads,
                self.in_proj_weight,
                self.in_proj_bias,
                self.out_proj.weight,
                self.out_proj.bias,
                merged_mask,
                need_weights,
                average_attn_weights,
                mask_type,
            )
        if query.is_nested or key.is_nested or value.is_nested:
            raise AssertionError(
                "MultiheadAttention does not support NestedTensor outside of its fast path. "
                f"The fast path was not hit because {reason}"
            )

        if self.batch_first and batched:
            # Equal inputs stay one object: the packed projection looks at identity.
            turned = {id(x): x.transpose(1, 0) for x in (query, key, value)}
            query, key, value = turned[id(query)], turned[id(key)], turned[id(value)]
        separate = {}
        if not self._qkv_same_embed_dim:
            separate = {
                "use_separate_proj_weight": True,
                "q_proj_weight": self.q_proj_weight,
                "k_proj_weight": self.k_proj_weight,
                "v_proj_weight": self.v_proj_weight,
            }
        output, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
            **separate,
        )
        if self.batch_first and batched:
            output = output.transpose(1, 0)
        return output, weights

    def merge_masks(self, attn_mask, key_padding_mask, query):
        """(one mask for the fused kernel, its kind): kind 1 is per key, 2 per query and key."""
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            per_key = key_padding_mask.view(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1)
            merged = merged + per_key
        return merged, 2
