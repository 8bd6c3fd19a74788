"""The MultiheadAttention module, which `activation` exports."""

from ... import _C
from ..._root import torch
from .. import functional as F
from ..init import constant_, xavier_normal_, xavier_uniform_
from ._optional import register_optional_parameter
from .linear import NonDynamicallyQuantizableLinear
from .module import Module


def _check_arg_device(x):
    """Whether the fused kernel supports the device of `x`."""
    if x is None:
        return True
    return x.device.type in ("cpu", "cuda", _C._get_privateuse1_backend_name())


def _arg_requires_grad(x):
    return x is not None and x.requires_grad


def _has_torch_function_override(tensors):
    """Whether one overrides __torch_function__, apart from nested tensors of the strided layout; some may be None."""
    return torch.overrides.has_torch_function(
        [t for t in tensors if t is not None and not (t.is_nested and t.layout == torch.strided)]
    )


class MultiheadAttention(Module):
    """Attends with several heads: ``concat(head_1 ... head_h) W_O`` (Vaswani et al. 2017, section 3.2.2).

    ``head_i = softmax(Q_i K_i^T / sqrt(head_dim) + mask) V_i``, where ``Q_i``, ``K_i`` and
    ``V_i`` are learned projections of query, key and value to
    ``head_dim = embed_dim / num_heads``.

    Args:
        embed_dim (int): width of query and output, a multiple of `num_heads`.
        num_heads (int): number of heads.
        dropout (float): probability that an attention weight is zeroed in training. Default:
            ``0.0``.
        bias (bool): whether the projections have biases. Default: ``True``.
        add_bias_kv (bool): whether one learned key and value is added to the sequence. Default:
            ``False``.
        add_zero_attn (bool): whether one key and value of zeros is added. Default: ``False``.
        kdim (int, optional): width of the keys. Default: ``None``, as `embed_dim`.
        vdim (int, optional): width of the values. Default: ``None``, as `embed_dim`.
        batch_first (bool): whether the batch is the first dimension, not the second. Default:
            ``False``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - query: ``(L, N, embed_dim)``, ``(N, L, embed_dim)`` if `batch_first`, or
          ``(L, embed_dim)``.
        - key, value: ``(S, N, kdim)`` and ``(S, N, vdim)``, laid out in the same way.
        - output: as the query; weights ``(N, L, S)``, or ``(L, S)`` without a batch.

    Attributes:
        in_proj_weight (Parameter or None): ``(3 * embed_dim, embed_dim)`` for query, key and
            value, Xavier uniform; with other `kdim` or `vdim` there are `q_proj_weight`,
            `k_proj_weight` and `v_proj_weight` in its place.
        in_proj_bias (Parameter or None): ``(3 * embed_dim,)``, zeros.
        out_proj (Module): the linear layer ``W_O``, its bias zero at first.
        bias_k, bias_v (Parameter or None): ``(1, 1, embed_dim)``, Xavier normal.

    Example:
        >>> attention = nn.MultiheadAttention(16, num_heads=4, batch_first=True)
        >>> x = torch.randn(2, 5, 16)
        >>> output, weights = attention(x, x, x)
        >>> output.shape, weights.shape
        (torch.Size([2, 5, 16]), torch.Size([2, 5, 5]))
        >>> causal = nn.Transformer.generate_square_subsequent_mask(5)
        >>> output, weights = attention(x, x, x, attn_mask=causal)
        >>> weights[0, 0].count_nonzero().item()  # the first position sees itself only
        1
    """

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
    ) -> None:
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
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        self.num_heads, self.dropout, self.batch_first = num_heads, dropout, batch_first
        self.head_dim, rest = divmod(embed_dim, num_heads)
        if rest:
            raise AssertionError("embed_dim must be divisible by num_heads")

        packed = self._qkv_same_embed_dim
        stacked_shape = (3 * embed_dim, embed_dim)
        if packed:
            register_optional_parameter(self, "in_proj_weight", stacked_shape, **factory)
        for name, width in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
            register_optional_parameter(
                self, f"{name}_proj_weight", (embed_dim, width), is_wanted=not packed, **factory
            )
        if not packed:
            self.register_parameter("in_proj_weight", None)
        register_optional_parameter(self, "in_proj_bias", 3 * embed_dim, is_wanted=bias, **factory)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **factory)
        if add_bias_kv:
            register_optional_parameter(self, "bias_k", (1, 1, embed_dim), **factory)
            register_optional_parameter(self, "bias_v", (1, 1, embed_dim), **factory)
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self):
        separate = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        for weight in (self.in_proj_weight,) if self._qkv_same_embed_dim else separate:
            xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            for bias in (self.in_proj_bias, self.out_proj.bias):
                constant_(bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                xavier_normal_(bias)

    def __setstate__(self, state):
        state.setdefault("_qkv_same_embed_dim", True)  # pickles from before the separate projections existed
        super().__setstate__(state)

    def _find_reason_against_fused_kernel(self, query, key, value, key_padding_mask, attn_mask):
        """Returns the reason why the fused inference kernel does not support this call; empty if it does."""
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
        if _has_torch_function_override(used):
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
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        key_padding_mask: torch.Tensor | None = None,
        need_weights: bool = True,
        attn_mask: torch.Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Attends from `query` to `key` and `value`.

        Args:
            query, key, value (Tensor): see Shape of the class.
            key_padding_mask (Tensor, optional): ``(N, S)`` or ``(S,)``; True hides a key, a float
                mask is added to the scores. Default: ``None``.
            need_weights (bool): whether the attention weights are returned. Without them a faster
                kernel serves the call. Default: ``True``.
            attn_mask (Tensor, optional): ``(L, S)`` or ``(N * num_heads, L, S)``; True hides,
                floats are added. Default: ``None``.
            average_attn_weights (bool): whether the weights are the mean over heads; else they are
                ``(N, num_heads, L, S)``. Default: ``True``.
            is_causal (bool): says that `attn_mask`, which has to be given, is the causal mask. Default:
                ``False``.

        Returns:
            tuple of Tensor and Tensor or None: output and attention weights.
        """
        reason = ""
        if any(mask is not None and torch.is_floating_point(mask) for mask in (attn_mask, key_padding_mask)):
            reason = "floating-point masks are not supported for fast path."
        batched = query.dim() == 3
        key_padding_mask = F._canonical_mask(
            key_padding_mask, "key_padding_mask", F._none_or_dtype(attn_mask), "attn_mask", query.dtype
        )
        attn_mask = F._canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, check_other=False)
        reason = self._find_reason_against_fused_kernel(query, key, value, key_padding_mask, attn_mask) or reason
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
            # Equal inputs stay one object: the packed projection checks identity.
            turned = {id(x): x.transpose(1, 0) for x in (query, key, value)}
            query, key, value = turned[id(query)], turned[id(key)], turned[id(value)]
        options = {
            "training": self.training, "is_causal": is_causal, "attn_mask": attn_mask,
            "key_padding_mask": key_padding_mask, "need_weights": need_weights,
            "average_attn_weights": average_attn_weights,
        }  # fmt: skip
        if not self._qkv_same_embed_dim:
            options["use_separate_proj_weight"] = True
            options |= {name: getattr(self, name) for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight")}
        before = (self.in_proj_weight, self.in_proj_bias, self.bias_k, self.bias_v, self.add_zero_attn)
        after = (self.dropout, self.out_proj.weight, self.out_proj.bias)
        output, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, *before, *after, **options
        )
        if self.batch_first and batched:
            output = output.transpose(1, 0)
        return output, weights

    def merge_masks(
        self, attn_mask: torch.Tensor | None, key_padding_mask: torch.Tensor | None, query: torch.Tensor
    ) -> tuple[torch.Tensor | None, int | None]:
        """Returns one mask out of two, as the fused inference kernel takes it, and its kind.

        Args:
            attn_mask (Tensor or None): ``(L, L)`` or ``(N * num_heads, L, L)``.
            key_padding_mask (Tensor or None): ``(N, L)``.
            query (Tensor): ``(N, L, embed_dim)``, for its sizes.

        Returns:
            tuple of Tensor or None and int or None: the mask; its kind is 1 per key, 2 per query
            and key.
        """
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
