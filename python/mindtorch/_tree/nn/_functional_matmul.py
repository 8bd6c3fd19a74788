"""torch.nn.functional: normalize, linear_cross_entropy, and products of grouped or scaled matrices."""

from __future__ import annotations

import enum
import math
import warnings

from .._root import torch
from .. import _C
from ..overrides import has_torch_function_variadic
from ._functional_loss import cross_entropy
from .._override import override


def normalize(
    input: torch.Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: torch.Tensor | None = None
) -> torch.Tensor:
    """Divides by the p-norm along a dimension: ``y = x / max(||x||_p, eps)``.

    Args:
        input (Tensor): the vectors.
        p (float): exponent of the norm. Default: ``2.0``.
        dim (int or tuple of int): the dimension or dimensions of the norm. Default: ``1``.
        eps (float): smallest norm that is divided by. Default: ``1e-12``.
        out (Tensor, optional): takes the result, which then has no gradient. Default: ``None``.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> F.normalize(torch.tensor([[3.0, 4.0], [0.0, 0.0]]))
        tensor([[0.6000, 0.8000],
                [0.0000, 0.0000]])
    """
    if has_torch_function_variadic(input, out):
        return override(normalize, (input, out), locals())
    if out is None:
        return input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    norm = input.norm(p, dim, keepdim=True).clamp_min_(eps).expand_as(input)
    return torch.div(input, norm, out=out)


def assert_int_or_pair(arg: list[int], arg_name: str, message: str) -> None:
    """Raises AssertionError unless an argument is a number or a pair.

    Args:
        arg (int or sequence): the argument.
        arg_name (str): its name, put into the text.
        message (str): the text, with one field ``{}``.

    Example:
        >>> F.assert_int_or_pair((1, 2), "size", "{} must be an int or a pair")
    """
    if not (isinstance(arg, int) or len(arg) == 2):
        raise AssertionError(message.format(arg_name))


def linear_cross_entropy(
    input: torch.Tensor,
    linear_weight: torch.Tensor,
    target: torch.Tensor,
    *,
    linear_bias: torch.Tensor | None = None,
    weight: torch.Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: torch.nn.LinearCrossEntropyOptions | None = None,
) -> torch.Tensor:
    """Measures the cross entropy of a linear layer's output, optionally in chunks of the batch.

    The same as ``cross_entropy(linear(input, linear_weight, linear_bias), target, ...)``; with
    `options` the logits exist for a few rows at a time. The chunked form has no second
    derivative.

    Args:
        input (Tensor): ``(N, in_features)`` or ``(in_features,)``.
        linear_weight (Tensor): ``(C, *, in_features)`` for `C` classes.
        target (Tensor): class indices ``(N, *)`` or ``()``, or probabilities of the logits' shape.
        linear_bias (Tensor, optional): ``(C, *)``. Default: ``None``.
        weight (Tensor, optional): ``(C,)``, a factor per class. Default: ``None``.
        reduction (str): ``"none"``, ``"sum"`` or ``"mean"``, as in `cross_entropy`. Default:
            ``"mean"``.
        ignore_index (int, optional): target value that does not count. Default: ``None``, -100.
        label_smoothing (float): share of each target spread over all classes, 0 to 1. Default:
            ``0.0``.
        options (LinearCrossEntropyOptions, optional): how to chunk; ignored with a warning
            unless targets are class indices, without smoothing and further dimensions. Default:
            ``None``.

    Returns:
        Tensor: a scalar, or the target's shape with ``reduction="none"``.

    Raises:
        RuntimeError: when shapes do not fit.

    Example:
        >>> x, weight, target = torch.zeros(3, 8), torch.zeros(5, 8), torch.tensor([0, 4, 2])
        >>> F.linear_cross_entropy(x, weight, target)  # log 5
        tensor(1.6094)
    """
    if has_torch_function_variadic(input, linear_weight, target, linear_bias, weight):
        return override(linear_cross_entropy, (input, linear_weight, target, linear_bias, weight), locals())
    if input.dim() < 1 or input.dim() > 2:
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if linear_weight.dim() < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {linear_weight.dim()}")
    *batch, in_features = input.shape
    num_classes, *out_features, weight_features = linear_weight.shape
    if in_features != weight_features:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), "
            f"got {in_features} and {weight_features}, respectively"
        )
    bias_shape = (num_classes, *out_features)
    if linear_bias is not None and tuple(linear_bias.shape) != bias_shape:
        raise RuntimeError(f"expected linear_bias shape {bias_shape}, got {tuple(linear_bias.shape)}")
    if out_features and not batch:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires batched input, "
            f"(N, {in_features}), got unbatched input with shape {tuple(input.shape)}"
        )
    logits_shape = (*batch, *bias_shape)
    if tuple(target.shape) == logits_shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    ignore_index = -100 if ignore_index is None else ignore_index

    if options is not None:
        tracing = torch.jit.is_tracing()
        simple = (
            not out_features
            and reduction in ("mean", "sum", "none")
            and label_smoothing == 0.0
            and target.dtype == torch.int64
            and not tracing
        )
        if simple:
            from .modules.linear_cross_entropy import _chunked_loss

            return _chunked_loss(input, linear_weight, target, linear_bias, weight, reduction, ignore_index, options)
        bias_text = tuple(linear_bias.shape) if linear_bias is not None else None
        warnings.warn(
            "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, "
            "label_smoothing == 0, target.dtype == int64, out_features == (). "
            f"Got reduction={reduction!r}, label_smoothing={label_smoothing}, target.dtype={target.dtype}, "
            f"out_features={tuple(out_features)}, tracing={tracing}, linear_bias.shape={bias_text}.",
            stacklevel=2,
        )

    if out_features:
        rows = math.prod(bias_shape)
        linear_weight = linear_weight.reshape((rows, in_features))
        linear_bias = None if linear_bias is None else linear_bias.reshape(rows)
    logits = _C._nn.linear(input, linear_weight, linear_bias).reshape(logits_shape)
    return cross_entropy(
        logits,
        target,
        weight=weight,
        reduction=reduction,
        ignore_index=ignore_index,
        label_smoothing=label_smoothing,
    )


def grouped_mm(
    mat_a: torch.Tensor,
    mat_b: torch.Tensor,
    *,
    offs: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """Multiplies groups of rows by a matrix each, as the experts of a mixture need it.

    Args:
        mat_a (Tensor): ``(rows, k)`` with `offs`, or ``(groups, m, k)``.
        mat_b (Tensor): ``(groups, k, n)``, or ``(k, columns)`` with `offs`.
        offs (Tensor, optional): int32, where each group ends in the dimension that is shared
            out. Default: ``None``.
        bias (Tensor, optional): added to the result. Default: ``None``.
        out_dtype (torch.dtype, optional): dtype of the result. Default: ``None``, as `mat_a`.

    Returns:
        Tensor: the products, ``(rows, n)`` for a two-dimensional `mat_a` and a
            three-dimensional `mat_b`.

    Example:
        >>> tokens, experts = torch.ones(8, 8), torch.full((2, 8, 4), 0.5)
        >>> ends = torch.tensor([3, 8], dtype=torch.int32)  # tokens 0 to 2 and 3 to 7
        >>> F.grouped_mm(tokens, experts, offs=ends).shape
        torch.Size([8, 4])
    """
    if has_torch_function_variadic(mat_a, mat_b, offs, bias):
        return override(grouped_mm, (mat_a, mat_b, offs, bias), locals())
    return torch._grouped_mm(mat_a, mat_b, offs=offs, bias=bias, out_dtype=out_dtype)


class _ScalingType(enum.Enum):
    """How many elements share a scale: all, those of a row, or those of a block.

    The CPU multiplies with `TensorWise` and `RowWise` scales.

    Example:
        >>> F.ScalingType.RowWise
        <_ScalingType.RowWise: 1>
    """

    TensorWise = 0
    RowWise = 1
    BlockWise1x16 = 2
    BlockWise1x32 = 3
    BlockWise1x128 = 4
    BlockWise128x128 = 5


class _SwizzleType(enum.Enum):
    """The order of a block's scales in memory.

    The CPU multiplies without swizzles.

    Example:
        >>> F.SwizzleType.NO_SWIZZLE
        <_SwizzleType.NO_SWIZZLE: 0>
    """

    NO_SWIZZLE = 0
    SWIZZLE_32_4_4 = 1


def _as_list(value):
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _number_values(values):
    return [value.value for value in _as_list(values)]


def _list_scales(scale, recipe, swizzle):
    return _as_list(scale), _number_values(recipe), _number_values(swizzle)


def scaled_mm(
    mat_a: torch.Tensor,
    mat_b: torch.Tensor,
    scale_a: torch.Tensor | list[torch.Tensor],
    scale_recipe_a: _ScalingType | list[_ScalingType],
    scale_b: torch.Tensor | list[torch.Tensor],
    scale_recipe_b: _ScalingType | list[_ScalingType],
    swizzle_a: _SwizzleType | list[_SwizzleType] | None = None,
    swizzle_b: _SwizzleType | list[_SwizzleType] | None = None,
    bias: torch.Tensor | None = None,
    output_dtype: torch.dtype | None = torch.bfloat16,
    contraction_dim: list[int] | tuple[int, ...] = (),
    use_fast_accum: bool = False,
) -> torch.Tensor:
    """Multiplies two matrices of a narrow dtype, as float8, whose elements stand for multiples of scales.

    Args:
        mat_a (Tensor): ``(m, k)``.
        mat_b (Tensor): ``(k, n)``, transposed in memory.
        scale_a, scale_b (Tensor or list of Tensor): scales of the two matrices.
        scale_recipe_a, scale_recipe_b (ScalingType or list): how each scale is laid out.
        swizzle_a, swizzle_b (SwizzleType or list, optional): how scales are permuted in memory.
            Default: ``None``.
        bias (Tensor, optional): added to the result. Default: ``None``.
        output_dtype (torch.dtype, optional): dtype of the result. Default: ``torch.bfloat16``.
        contraction_dim (sequence of int): the dimensions of `mat_a` and `mat_b` that are summed
            over. Default: ``()``, the last and the one before.
        use_fast_accum (bool): whether sums may be kept in lower precision. Default: ``False``.

    Returns:
        Tensor: ``(m, n)``.

    Example:
        >>> a, b = (torch.ones(n, 16).to(torch.float8_e4m3fn) for n in (2, 3))
        >>> half, kind = torch.tensor(0.5), F.ScalingType.TensorWise
        >>> F.scaled_mm(a, b.t(), half, kind, half, kind)
        tensor([[4., 4., 4.],
                [4., 4., 4.]], dtype=torch.bfloat16)
    """
    return torch._scaled_mm_v2(
        mat_a,
        mat_b,
        *_list_scales(scale_a, scale_recipe_a, swizzle_a),
        *_list_scales(scale_b, scale_recipe_b, swizzle_b),
        bias,
        output_dtype,
        contraction_dim,
        use_fast_accum,
    )


def scaled_grouped_mm(
    mat_a: torch.Tensor,
    mat_b: torch.Tensor,
    scale_a: torch.Tensor | list[torch.Tensor],
    scale_recipe_a: _ScalingType | list[_ScalingType],
    scale_b: torch.Tensor | list[torch.Tensor],
    scale_recipe_b: _ScalingType | list[_ScalingType],
    swizzle_a: _SwizzleType | list[_SwizzleType] | None = None,
    swizzle_b: _SwizzleType | list[_SwizzleType] | None = None,
    bias: torch.Tensor | None = None,
    offs: torch.Tensor | None = None,
    output_dtype: torch.dtype | None = torch.bfloat16,
    contraction_dim: list[int] | tuple[int, ...] = (),
    use_fast_accum: bool = False,
) -> torch.Tensor:
    """Multiplies groups of rows of a narrow dtype by a matrix each: `scaled_mm` per group.

    The CPU has no kernel for it.

    Args:
        mat_a (Tensor): ``(rows, k)`` with `offs`, or ``(groups, m, k)``.
        mat_b (Tensor): ``(groups, k, n)``, or ``(k, columns)`` with `offs`.
        scale_a, scale_b (Tensor or list of Tensor): scales of the two matrices.
        scale_recipe_a, scale_recipe_b (ScalingType or list): how each scale is laid out.
        swizzle_a, swizzle_b (SwizzleType or list, optional): how scales are permuted in memory.
            Default: ``None``.
        bias (Tensor, optional): added to the result. Default: ``None``.
        offs (Tensor, optional): int32, where each group ends. Default: ``None``.
        output_dtype (torch.dtype, optional): dtype of the result. Default: ``torch.bfloat16``.
        contraction_dim (sequence of int): the dimensions of `mat_a` and `mat_b` that are summed
            over. Default: ``()``, the last and the one before.
        use_fast_accum (bool): whether sums may be kept in lower precision. Default: ``False``.

    Returns:
        Tensor: the products, as `grouped_mm` lays them out.

    Example:
        >>> rows, scale = torch.ones(8, 16).to(torch.float8_e4m3fn), torch.ones(8)
        >>> kind = F.ScalingType.RowWise
        >>> F.scaled_grouped_mm(rows, rows.t(), scale, kind, scale, kind)
        Traceback (most recent call last):
            ...
        NotImplementedError: Could not run 'aten::_scaled_grouped_mm_v2' with arguments from the 'CPU' backend...
    """
    return torch._scaled_grouped_mm_v2(
        mat_a,
        mat_b,
        *_list_scales(scale_a, scale_recipe_a, swizzle_a),
        *_list_scales(scale_b, scale_recipe_b, swizzle_b),
        offs,
        bias,
        output_dtype,
        contraction_dim,
        use_fast_accum,
    )
