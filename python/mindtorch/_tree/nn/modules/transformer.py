"""Transformer encoders and decoders."""

import copy
import warnings
from collections.abc import Callable
from typing import Any

from ... import _C
from ..._root import torch
from .. import functional as F
from ..init import xavier_uniform_
from ._multihead_attention import _arg_requires_grad, _has_torch_function_override
from .activation import GELU, MultiheadAttention, ReLU
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

__all__ = [
    "Transformer",
    "TransformerEncoder",
    "TransformerDecoder",
    "TransformerEncoderLayer",
    "TransformerDecoderLayer",
]


def _generate_square_subsequent_mask(sz, device=None, dtype=None):
    """Returns a mask with -inf above the diagonal: position i sees positions up to i."""
    return torch.triu(torch.full((sz, sz), float("-inf"), dtype=dtype, device=device), diagonal=1)


def _get_seq_len(src, batch_first):
    if src.is_nested:
        return None
    size = src.size()
    return size[1] if len(size) == 3 and batch_first else size[0]


def _detect_is_causal_mask(mask, is_causal=None, size=None):
    """Whether `mask` is the causal mask, if the caller did not state it."""
    if is_causal is not None or mask is None:
        return is_causal is True
    length = mask.size(-2) if size is None else size
    causal = _generate_square_subsequent_mask(length, device=mask.device, dtype=mask.dtype)
    return mask.size() == causal.size() and bool((mask == causal).all())


def _get_clones(module, N):
    return ModuleList([copy.deepcopy(module) for _ in range(N)])


def _get_activation_fn(activation):
    if activation == "relu":
        return F.relu
    if activation == "gelu":
        return F.gelu
    raise RuntimeError(f"activation should be relu/gelu, not {activation}")


def _supported_devices():
    return ["cpu", "cuda", "xpu", _C._get_privateuse1_backend_name()]


def _list_weights_for_fused_kernel(layer):
    """Returns the parameters of an encoder layer in the order of the fused kernel."""
    attention = layer.self_attn
    return (
        attention.in_proj_weight,
        attention.in_proj_bias,
        attention.out_proj.weight,
        attention.out_proj.bias,
        layer.norm1.weight,
        layer.norm1.bias,
        layer.norm2.weight,
        layer.norm2.bias,
        layer.linear1.weight,
        layer.linear1.bias,
        layer.linear2.weight,
        layer.linear2.bias,
    )


class Transformer(Module):
    """Encodes a source and decodes a target with attention: the model of Vaswani et al. 2017, without embeddings.

    Args:
        d_model (int): width of source and target, a multiple of `nhead`. Default: ``512``.
        nhead (int): number of attention heads. Default: ``8``.
        num_encoder_layers (int): number of encoder layers. Default: ``6``.
        num_decoder_layers (int): number of decoder layers. Default: ``6``.
        dim_feedforward (int): width of the feed-forward networks. Default: ``2048``.
        dropout (float): probability of each dropout. Default: ``0.1``.
        activation (str or callable): ``"relu"``, ``"gelu"`` or a function of one tensor. Default:
            `F.relu`.
        custom_encoder (Module, optional): in place of the encoder. Default: ``None``.
        custom_decoder (Module, optional): in place of the decoder. Default: ``None``.
        layer_norm_eps (float): added to variances. Default: ``1e-5``.
        batch_first (bool): whether the batch is the first dimension, not the second. Default:
            ``False``.
        norm_first (bool): whether normalisation comes before each block, not after the sum.
            Default: ``False``.
        bias (bool): whether linear layers and normalisations have biases. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - src: ``(S, N, d_model)``, ``(N, S, d_model)`` with `batch_first`, or ``(S, d_model)``.
        - tgt and output: the same with `T` for `S`.

    Attributes:
        encoder, decoder (Module): matrices in them are Xavier uniform at first.

    Example:
        >>> model = nn.Transformer(16, nhead=4, num_encoder_layers=1, num_decoder_layers=1,
        ...                        dim_feedforward=32, batch_first=True)
        >>> src, tgt = torch.randn(2, 7, 16), torch.randn(2, 5, 16)
        >>> causal = nn.Transformer.generate_square_subsequent_mask(5)
        >>> model(src, tgt, tgt_mask=causal).shape
        torch.Size([2, 5, 16])
    """

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
        dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: str | Callable[[torch.Tensor], torch.Tensor] = F.relu, custom_encoder: Any | None = None,
        custom_decoder: Any | None = None, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device=None, dtype=None,
    ) -> None:  # fmt: skip
        super().__init__()

        def build_stack(stack, layer, depth):
            first = layer(
                d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias,
                device=device, dtype=dtype,
            )  # fmt: skip
            return stack(first, depth, LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype))

        kinds = {
            "encoder": (custom_encoder, TransformerEncoder, TransformerEncoderLayer, num_encoder_layers),
            "decoder": (custom_decoder, TransformerDecoder, TransformerDecoderLayer, num_decoder_layers),
        }
        for name, (custom, *kind) in kinds.items():
            setattr(self, name, build_stack(*kind) if custom is None else custom)
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self,
        src: torch.Tensor,
        tgt: torch.Tensor,
        src_mask: torch.Tensor | None = None,
        tgt_mask: torch.Tensor | None = None,
        memory_mask: torch.Tensor | None = None,
        src_key_padding_mask: torch.Tensor | None = None,
        tgt_key_padding_mask: torch.Tensor | None = None,
        memory_key_padding_mask: torch.Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> torch.Tensor:
        """Encodes `src` and decodes `tgt` against it.

        In bool masks True hides a position; float masks are added to the scores.

        Args:
            src (Tensor): ``(S, N, d_model)``, see the class.
            tgt (Tensor): ``(T, N, d_model)``.
            src_mask, tgt_mask, memory_mask (Tensor, optional): ``(S, S)``, ``(T, T)`` and
                ``(T, S)``, or with a leading ``N * nhead``. Default: ``None``.
            src_key_padding_mask, tgt_key_padding_mask, memory_key_padding_mask (Tensor, optional):
                ``(N, S)``, ``(N, T)`` and ``(N, S)``. Default: ``None``.
            src_is_causal, tgt_is_causal (bool, optional): whether the mask of that name is the
                causal one; ``None`` looks. Default: ``None``.
            memory_is_causal (bool): the same for `memory_mask`. Default: ``False``.

        Returns:
            Tensor: as `tgt`.

        Raises:
            RuntimeError: when batch sizes or widths do not fit.
        """
        if src.dim() == 3:
            batch, other = (x.size(0 if self.batch_first else 1) for x in (src, tgt))
            if batch != other:
                raise RuntimeError("the batch number of src and tgt must be equal")
        if any(x.size(-1) != self.d_model for x in (src, tgt)):
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(
        sz: int, device: torch.device | None = None, dtype: torch.dtype | None = None
    ) -> torch.Tensor:
        """Returns the causal mask: minus infinity above the diagonal, zero elsewhere.

        Args:
            sz (int): length of the sequence.
            device (torch.device, optional): Default: ``None``, the default device.
            dtype (torch.dtype, optional): Default: ``None``, the default dtype.

        Returns:
            Tensor: ``(sz, sz)``.

        Example:
            >>> nn.Transformer.generate_square_subsequent_mask(3)
            tensor([[0., -inf, -inf],
                    [0., 0., -inf],
                    [0., 0., 0.]])
        """
        return _generate_square_subsequent_mask(sz, dtype=dtype, device=device)

    def _reset_parameters(self):
        for param in self.parameters():
            if param.dim() > 1:
                xavier_uniform_(param)


class TransformerEncoder(Module):
    """Stacks copies of an encoder layer.

    In evaluation mode without gradients, positions at the end of a sequence that
    `src_key_padding_mask` hides give zeros, where the layers allow the fast path.

    Args:
        encoder_layer (Module): copied `num_layers` times; the copies begin with equal values.
        num_layers (int): number of layers.
        norm (Module, optional): applied to the result. Default: ``None``.
        enable_nested_tensor (bool): whether the fast path leaves out padding. Default: ``True``.
        mask_check (bool): whether it looks first if the padding is at the end of each sequence.
            Default: ``True``.

    Shape:
        - input, output: ``(S, N, E)``, ``(N, S, E)`` or ``(S, E)``, as the layer takes them.

    Example:
        >>> layer = nn.TransformerEncoderLayer(16, nhead=4, dim_feedforward=32, batch_first=True)
        >>> encoder = nn.TransformerEncoder(layer, num_layers=2)
        >>> encoder(torch.randn(2, 5, 16)).shape
        torch.Size([2, 5, 16])
    """

    __constants__ = ["norm"]

    def __init__(
        self, encoder_layer: "TransformerEncoderLayer", num_layers: int, norm: Module | None = None,
        enable_nested_tensor: bool = True, mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = self._find_reason_against_nested_tensors(encoder_layer)
        if enable_nested_tensor and reason:
            warnings.warn(
                f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}",
                stacklevel=2,
            )
            self.use_nested_tensor = False

    @staticmethod
    def _find_reason_against_nested_tensors(layer):
        if not isinstance(layer, TransformerEncoderLayer):
            return "encoder_layer was not TransformerEncoderLayer"
        attention = layer.self_attn
        for is_so, reason in (
            (layer.norm_first, "norm_first was True"),
            (
                not attention.batch_first,
                "self_attn.batch_first was not True(use batch_first for better inference performance)",
            ),
            (not attention._qkv_same_embed_dim, "self_attn._qkv_same_embed_dim was not True"),
            (attention.in_proj_bias is None, "self_attn was passed bias=False"),
            (not layer.activation_relu_or_gelu, "activation_relu_or_gelu was not True"),
            (layer.norm1.eps != layer.norm2.eps, "norm1.eps was not equal to encoder_layer.norm2.eps"),
            (attention.num_heads % 2 == 1, "self_attn.num_heads is odd"),
        ):
            if is_so:
                return f"encoder_layer.{reason}"
        return ""

    def _count_lengths(self, src, mask, padding):
        """Returns how many tokens of each sequence count, if this inference call ignores the others."""
        first = self.layers[0]
        if (
            not torch.backends.mha.get_fastpath_enabled()
            or not getattr(self, "use_nested_tensor", False)
            or first.training
            or src.dim() != 3
            or padding is None
        ):
            return None
        kept = padding.logical_not()
        mask_check = getattr(self, "mask_check", True)
        if mask_check and not _is_padding_at_end(src, kept):
            return None
        used = (src, *_list_weights_for_fused_kernel(first))
        if (
            mask is not None
            or torch.is_autocast_enabled()
            or torch.overrides.has_torch_function(used)
            or src.device.type not in _supported_devices()
            or (torch.is_grad_enabled() and any(_arg_requires_grad(x) for x in used))
        ):
            return None
        if not mask_check:
            _is_padding_at_end(src, kept)  # raises for other sizes
        return kept.sum(-1, keepdim=True)

    def forward(
        self,
        src: torch.Tensor,
        mask: torch.Tensor | None = None,
        src_key_padding_mask: torch.Tensor | None = None,
        is_causal: bool | None = None,
    ) -> torch.Tensor:
        """Encodes a batch of sequences.

        Args:
            src (Tensor): ``(S, N, E)``, as the layer takes it.
            mask (Tensor, optional): ``(S, S)``; True hides, floats are added. Default: ``None``.
            src_key_padding_mask (Tensor, optional): ``(N, S)``, likewise. Default: ``None``.
            is_causal (bool, optional): whether `mask` is the causal one; ``None`` looks. Default:
                ``None``.

        Returns:
            Tensor: as `src`.
        """
        padding = F._canonical_mask(
            src_key_padding_mask, "src_key_padding_mask", F._none_or_dtype(mask), "mask", src.dtype
        )
        mask = F._canonical_mask(mask, "mask", None, "", src.dtype, check_other=False)
        lengths = self._count_lengths(src, mask, padding)
        left_out = None
        if lengths is not None:  # torch makes a nested tensor of the first tokens of each sequence
            left_out = torch.arange(src.shape[1], device=src.device) >= lengths
            padding = F._canonical_mask(left_out, "src_key_padding_mask", None, "", src.dtype, check_other=False)
        output = src
        length = _get_seq_len(src, self.layers[0].self_attn.batch_first)
        is_causal = _detect_is_causal_mask(mask, is_causal, length)
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=is_causal, src_key_padding_mask=padding)
        if left_out is not None:
            if not bool(lengths.any()):
                raise RuntimeError("to_padded_tensor: at least one constituent tensor should have non-zero numel")
            output = output.masked_fill(left_out.unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)


def _is_padding_at_end(src, kept):
    """Whether the tokens that count precede the others in each sequence; RuntimeError for a mask of another size."""
    if kept.dim() != 2:
        raise RuntimeError("Padding mask should be 2D")
    if kept.shape != src.shape[:2]:
        raise RuntimeError("Mask size should match input size")
    return not bool((kept[:, 1:] & ~kept[:, :-1]).any())


class TransformerDecoder(Module):
    """Stacks copies of a decoder layer.

    Args:
        decoder_layer (Module): copied `num_layers` times; the copies begin with equal values.
        num_layers (int): number of layers.
        norm (Module, optional): applied to the result. Default: ``None``.

    Shape:
        - tgt, output: ``(T, N, E)``, ``(N, T, E)`` or ``(T, E)``, as the layer takes them.
        - memory: the same with `S` for `T`.

    Example:
        >>> layer = nn.TransformerDecoderLayer(16, nhead=4, dim_feedforward=32, batch_first=True)
        >>> decoder = nn.TransformerDecoder(layer, num_layers=2)
        >>> decoder(torch.randn(2, 5, 16), torch.randn(2, 7, 16)).shape
        torch.Size([2, 5, 16])
    """

    __constants__ = ["norm"]

    def __init__(self, decoder_layer: "TransformerDecoderLayer", num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: torch.Tensor,
        memory: torch.Tensor,
        tgt_mask: torch.Tensor | None = None,
        memory_mask: torch.Tensor | None = None,
        tgt_key_padding_mask: torch.Tensor | None = None,
        memory_key_padding_mask: torch.Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> torch.Tensor:
        """Decodes a batch of sequences against the output of an encoder.

        Args:
            tgt (Tensor): ``(T, N, E)``, as the class documents.
            memory (Tensor): ``(S, N, E)``, the encoder's output.
            tgt_mask, memory_mask (Tensor, optional): ``(T, T)`` and ``(T, S)``; True hides, floats
                are added. Default: ``None``.
            tgt_key_padding_mask, memory_key_padding_mask (Tensor, optional): ``(N, T)`` and ``(N, S)``,
                likewise. Default: ``None``.
            tgt_is_causal (bool, optional): whether `tgt_mask` is the causal one; ``None`` looks.
                Default: ``None``.
            memory_is_causal (bool): whether `memory_mask` is. Default: ``False``.

        Returns:
            Tensor: as `tgt`.
        """
        length = _get_seq_len(tgt, self.layers[0].self_attn.batch_first)
        masks = {
            "tgt_mask": tgt_mask, "memory_mask": memory_mask, "tgt_key_padding_mask": tgt_key_padding_mask,
            "memory_key_padding_mask": memory_key_padding_mask, "memory_is_causal": memory_is_causal,
            "tgt_is_causal": _detect_is_causal_mask(tgt_mask, tgt_is_causal, length),
        }  # fmt: skip
        for layer in self.layers:
            tgt = layer(tgt, memory, **masks)
        return tgt if self.norm is None else self.norm(tgt)


def _build_layer(
    layer, attentions, d_model, nhead, dim_feedforward, dropout, eps, batch_first, norm_first, bias, **factory
):
    """The parts of a layer: attentions, a feed-forward network, and a norm and a dropout for each of these blocks."""
    options = {"bias": bias, **factory}
    for name in attentions:
        setattr(layer, name, MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **options))
    layer.linear1 = Linear(d_model, dim_feedforward, **options)
    layer.dropout = Dropout(dropout)
    layer.linear2 = Linear(dim_feedforward, d_model, **options)
    layer.norm_first = norm_first
    blocks = range(1, len(attentions) + 2)
    for i in blocks:
        setattr(layer, f"norm{i}", LayerNorm(d_model, eps=eps, **options))
    for i in blocks:
        setattr(layer, f"dropout{i}", Dropout(dropout))


def _fused_kind(activation):
    """Returns the fused kernel's number of an activation: 1 for ReLU, 2 for GELU, 0 for others, which it does not
    support."""
    for kind, (function, layer) in enumerate(((F.relu, ReLU), (F.gelu, GELU)), start=1):
        if activation is function or isinstance(activation, layer):
            return kind
    return 0


class TransformerEncoderLayer(Module):
    """Applies self-attention and a feed-forward network, each with dropout, a residual sum and a LayerNorm.

    ``x = norm1(x + attention(x))``, ``x = norm2(x + linear2(activation(linear1(x))))`` (Vaswani
    et al. 2017, section 3.1); with `norm_first`, ``x + attention(norm1(x))`` and so on (Xiong
    et al. 2020). In evaluation mode without gradients one fused kernel serves it, where
    arguments allow.

    Args:
        d_model (int): width of the input, a multiple of `nhead`.
        nhead (int): number of attention heads.
        dim_feedforward (int): width of the feed-forward network. Default: ``2048``.
        dropout (float): probability of each dropout. Default: ``0.1``.
        activation (str or callable): ``"relu"``, ``"gelu"`` or a function of one tensor. Default:
            `F.relu`.
        layer_norm_eps (float): added to variances. Default: ``1e-5``.
        batch_first (bool): whether the batch is the first dimension, not the second. Default:
            ``False``.
        norm_first (bool): whether normalisation comes before each block, not after the sum.
            Default: ``False``.
        bias (bool): whether linear layers and normalisations have biases. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input, output: ``(S, N, d_model)``, ``(N, S, d_model)`` with `batch_first`, or
          ``(S, d_model)``.

    Attributes:
        self_attn, linear1, linear2, norm1, norm2 (Module): the parts, initialised as their
            classes say.

    Example:
        >>> layer = nn.TransformerEncoderLayer(16, nhead=4, dim_feedforward=32, batch_first=True)
        >>> layer(torch.randn(2, 5, 16)).shape
        torch.Size([2, 5, 16])
    """

    __constants__ = ["norm_first"]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[torch.Tensor], torch.Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device=None,
        dtype=None,
    ) -> None:
        super().__init__()
        if isinstance(activation, str):
            activation = _get_activation_fn(activation)
        _build_layer(
            self, ("self_attn",), d_model, nhead, dim_feedforward, dropout, layer_norm_eps, batch_first, norm_first,
            bias, device=device, dtype=dtype,
        )  # fmt: skip
        self.activation_relu_or_gelu = _fused_kind(activation)
        self.activation = activation

    def __setstate__(self, state):
        super().__setstate__(state)
        if not hasattr(self, "activation"):
            self.activation = F.relu

    def _can_use_fused_form(self, src, src_mask, src_key_padding_mask):
        """Whether the fused form supports this call: inference with a plain layer."""
        attention = self.self_attn
        if (
            not torch.backends.mha.get_fastpath_enabled()
            or src.dim() != 3
            or self.training
            or not attention.batch_first
            or attention.in_proj_bias is None
            or not attention._qkv_same_embed_dim
            or not self.activation_relu_or_gelu
            or self.norm1.eps != self.norm2.eps
            or (src.is_nested and (src_key_padding_mask is not None or src_mask is not None))
            or attention.num_heads % 2 == 1
            or torch.is_autocast_enabled()
            or not hasattr(torch, "_transformer_encoder_layer_fwd")
        ):
            return False
        if any(getattr(m, "_forward_hooks", None) or getattr(m, "_forward_pre_hooks", None) for m in self.modules()):
            return False
        used = (src, *_list_weights_for_fused_kernel(self))
        if _has_torch_function_override(used):
            return False
        devices = _supported_devices()
        if not all(x.device.type in devices for x in used):
            return False
        return not (torch.is_grad_enabled() and any(x.requires_grad for x in used))

    def forward(
        self,
        src: torch.Tensor,
        src_mask: torch.Tensor | None = None,
        src_key_padding_mask: torch.Tensor | None = None,
        is_causal: bool = False,
    ) -> torch.Tensor:
        """Applies the layer.

        Args:
            src (Tensor): ``(S, N, d_model)``, see the class.
            src_mask (Tensor, optional): ``(S, S)``; True hides, floats are added. Default: ``None``.
            src_key_padding_mask (Tensor, optional): ``(N, S)``, likewise. Default: ``None``.
            is_causal (bool): whether `src_mask` is the causal one. Default: ``False``.

        Returns:
            Tensor: as `src`.
        """
        padding = F._canonical_mask(
            src_key_padding_mask, "src_key_padding_mask", F._none_or_dtype(src_mask), "src_mask", src.dtype
        )
        src_mask = F._canonical_mask(src_mask, "src_mask", None, "", src.dtype, check_other=False)
        if self._can_use_fused_form(src, src_mask, padding):
            merged_mask, mask_type = self.self_attn.merge_masks(src_mask, padding, src)
            attention, (*in_and_out, n1w, n1b, n2w, n2b, l1w, l1b, l2w, l2b) = (
                self.self_attn,
                _list_weights_for_fused_kernel(self),
            )
            return torch._transformer_encoder_layer_fwd(
                src,
                attention.embed_dim,
                attention.num_heads,
                *in_and_out,
                self.activation_relu_or_gelu == 2,
                self.norm_first,
                self.norm1.eps,
                n1w,
                n1b,
                n2w,
                n2b,
                l1w,
                l1b,
                l2w,
                l2b,
                merged_mask,
                mask_type,
            )
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), src_mask, padding, is_causal=is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, src_mask, padding, is_causal=is_causal))
        return self.norm2(x + self._ff_block(x))

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        attended, _ = self.self_attn(
            x,
            x,
            x,
            attn_mask=attn_mask,
            key_padding_mask=key_padding_mask,
            need_weights=False,
            is_causal=is_causal,
        )
        return self.dropout1(attended)

    def _ff_block(self, x):
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    """Applies self-attention, attention to an encoder's output, and a feed-forward network.

    Each is followed by dropout, a residual sum and a LayerNorm (Vaswani et al. 2017, section
    3.1); with `norm_first` the LayerNorm comes before each.

    Args:
        d_model (int): width of the input, a multiple of `nhead`.
        nhead (int): number of attention heads.
        dim_feedforward (int): width of the feed-forward network. Default: ``2048``.
        dropout (float): probability of each dropout. Default: ``0.1``.
        activation (str or callable): ``"relu"``, ``"gelu"`` or a function of one tensor. Default:
            `F.relu`.
        layer_norm_eps (float): added to variances. Default: ``1e-5``.
        batch_first (bool): whether the batch is the first dimension, not the second. Default:
            ``False``.
        norm_first (bool): whether normalisation comes before each block, not after the sum.
            Default: ``False``.
        bias (bool): whether linear layers and normalisations have biases. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - tgt, output: ``(T, N, d_model)``, ``(N, T, d_model)`` with `batch_first`, or
          ``(T, d_model)``.
        - memory: the same with `S` for `T`.

    Attributes:
        self_attn, multihead_attn, linear1, linear2, norm1, norm2, norm3 (Module): the parts.

    Example:
        >>> layer = nn.TransformerDecoderLayer(16, nhead=4, dim_feedforward=32, batch_first=True)
        >>> layer(torch.randn(2, 5, 16), torch.randn(2, 7, 16)).shape
        torch.Size([2, 5, 16])
    """

    __constants__ = ["norm_first"]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[torch.Tensor], torch.Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device=None,
        dtype=None,
    ) -> None:
        super().__init__()
        _build_layer(
            self, ("self_attn", "multihead_attn"), d_model, nhead, dim_feedforward, dropout, layer_norm_eps,
            batch_first, norm_first, bias, device=device, dtype=dtype,
        )  # fmt: skip
        self.activation = _get_activation_fn(activation) if isinstance(activation, str) else activation

    def __setstate__(self, state):
        state.setdefault("activation", F.relu)
        super().__setstate__(state)

    def forward(
        self,
        tgt: torch.Tensor,
        memory: torch.Tensor,
        tgt_mask: torch.Tensor | None = None,
        memory_mask: torch.Tensor | None = None,
        tgt_key_padding_mask: torch.Tensor | None = None,
        memory_key_padding_mask: torch.Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> torch.Tensor:
        """Applies the layer.

        Args:
            tgt (Tensor): ``(T, N, E)``, as the class documents.
            memory (Tensor): ``(S, N, E)``, the encoder's output.
            tgt_mask, memory_mask (Tensor, optional): ``(T, T)`` and ``(T, S)``; True hides, floats
                are added. Default: ``None``.
            tgt_key_padding_mask, memory_key_padding_mask (Tensor, optional): ``(N, T)`` and ``(N, S)``,
                likewise. Default: ``None``.
            tgt_is_causal (bool): whether `tgt_mask` is the causal one. Default: ``False``.
            memory_is_causal (bool): whether `memory_mask` is. Default: ``False``.

        Returns:
            Tensor: as `tgt`.
        """
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory_mask, memory_key_padding_mask, memory_is_causal)
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), memory, *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, memory, *other))
        return self.norm3(x + self._ff_block(x))

    @staticmethod
    def _call_attention(attention, x, mem, attn_mask, key_padding_mask, is_causal):
        return attention(
            x,
            mem,
            mem,
            attn_mask=attn_mask,
            key_padding_mask=key_padding_mask,
            is_causal=is_causal,
            need_weights=False,
        )[0]

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        return self.dropout1(self._call_attention(self.self_attn, x, x, attn_mask, key_padding_mask, is_causal))

    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
        return self.dropout2(self._call_attention(self.multihead_attn, x, mem, attn_mask, key_padding_mask, is_causal))

    def _ff_block(self, x):
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))
