"""torch.nn.functional: normalize, linear_cross_entropy, and products of grouped or scaled matrices."""

import math
import warnings

from .._root import torch
from .. import _C
from ..overrides import has_torch_function_variadic
from ._functional_loss import cross_entropy
from ._override import override


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """Divides by the p-norm along `dim`, which counts as at least `eps`."""
    if has_torch_function_variadic(input, out):
        return override(normalize, (input, out), locals())
    if out is None:
        return input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    norm = input.norm(p, dim, keepdim=True).clamp_min_(eps).expand_as(input)
    return torch.div(input, norm, out=out)


def assert_int_or_pair(arg, arg_name, message):
    """Refuses what is neither a number nor a pair."""
    if not (isinstance(arg, int) or len(arg) == 2):
        raise AssertionError(message.format(arg_name))


def linear_cross_entropy(
    input,
    linear_weight,
    target,
    *,
    linear_bias=None,
    weight=None,
    reduction="mean",
    ignore_index=None,
    label_smoothing=0.0,
    options=None,
):
    """cross_entropy(linear(input, linear_weight, linear_bias), target); `options` ask for chunks of the batch."""
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


def grouped_mm(mat_a, mat_b, *, offs=None, bias=None, out_dtype=None):
    """One product per group of rows; `offs` says where each group ends."""
    if has_torch_function_variadic(mat_a, mat_b, offs, bias):
        return override(grouped_mm, (mat_a, mat_b, offs, bias), locals())
    return torch._grouped_mm(mat_a, mat_b, offs=offs, bias=bias, out_dtype=out_dtype)


def _listed(value):
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _numbers(values):
    return [value.value for value in _listed(values)]


def _scales(scale, recipe, swizzle):
    return _listed(scale), _numbers(recipe), _numbers(swizzle)


def scaled_mm(
    mat_a,
    mat_b,
    scale_a,
    scale_recipe_a,
    scale_b,
    scale_recipe_b,
    swizzle_a=None,
    swizzle_b=None,
    bias=None,
    output_dtype=torch.bfloat16,
    contraction_dim=(),
    use_fast_accum=False,
):
    """A product of narrow matrices with scales."""
    return torch._scaled_mm_v2(
        mat_a,
        mat_b,
        *_scales(scale_a, scale_recipe_a, swizzle_a),
        *_scales(scale_b, scale_recipe_b, swizzle_b),
        bias,
        output_dtype,
        contraction_dim,
        use_fast_accum,
    )


def scaled_grouped_mm(
    mat_a,
    mat_b,
    scale_a,
    scale_recipe_a,
    scale_b,
    scale_recipe_b,
    swizzle_a=None,
    swizzle_b=None,
    bias=None,
    offs=None,
    output_dtype=torch.bfloat16,
    contraction_dim=(),
    use_fast_accum=False,
):
    """`scaled_mm` per group of rows."""
    return torch._scaled_grouped_mm_v2(
        mat_a,
        mat_b,
        *_scales(scale_a, scale_recipe_a, swizzle_a),
        *_scales(scale_b, scale_recipe_b, swizzle_b),
        offs,
        bias,
        output_dtype,
        contraction_dim,
        use_fast_accum,
    )
