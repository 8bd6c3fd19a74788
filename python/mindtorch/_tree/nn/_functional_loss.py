"""torch.nn.functional: losses."""

import math
import warnings

from .. import _C
from .._root import torch
from ..overrides import has_torch_function_variadic
from . import _reduction as _Reduction
from ._override import override

_nn = _C._nn


def _named(reduction, size_average, reduce):
    """The reduction's name, the two older arguments taken into account."""
    if size_average is None and reduce is None:
        return reduction
    return _Reduction.legacy_get_string(size_average, reduce)


def _numbered(reduction, size_average, reduce):
    """The reduction's number for the operator library."""
    return _Reduction.get_enum(_named(reduction, size_average, reduce))


def _reduced(loss, reduction):
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    return loss


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """Connectionist temporal classification (Graves et al. 2006)."""
    if has_torch_function_variadic(log_probs, targets, input_lengths, target_lengths):
        return override(ctc_loss, (log_probs, targets, input_lengths, target_lengths), locals())
    code = _Reduction.get_enum(reduction)
    return torch.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, code, zero_infinity)


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """Negative log likelihood of the target classes."""
    if has_torch_function_variadic(input, target, weight):
        return override(nll_loss, (input, target, weight), locals())
    return _nn.nll_loss_nd(input, target, weight, _numbered(reduction, size_average, reduce), ignore_index)


def poisson_nll_loss(
    input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"
):
    """Negative log likelihood of Poisson counts."""
    if has_torch_function_variadic(input, target):
        return override(poisson_nll_loss, (input, target), locals())
    reduction = _named(reduction, size_average, reduce)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not a valid value for reduction")
    return torch.poisson_nll_loss(input, target, log_input, full, eps, _Reduction.get_enum(reduction))


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """Negative log likelihood of normal values with variances `var`."""
    if has_torch_function_variadic(input, target, var):
        return override(gaussian_nll_loss, (input, target, var), locals())
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * torch.ones_like(input)
    elif torch.any(var < 0):
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = torch.unsqueeze(var, -1)
        elif not _differs_in_one_unit_dim(input, var):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with torch.no_grad():  # the bound is for stability and has no gradient
        var.clamp_(min=eps)
    loss = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    if full:
        loss += 0.5 * math.log(2 * math.pi)
    return _reduced(loss, reduction)


def _differs_in_one_unit_dim(input, var):
    """Whether `var` fits `input` but for one dimension, which is 1 there."""
    if input.ndim != var.ndim:
        return False
    return sum(y for x, y in zip(input.size(), var.size(), strict=True) if x != y) == 1


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """Kullback-Leibler divergence; `input` holds log probabilities."""
    if has_torch_function_variadic(input, target):
        return override(kl_div, (input, target), locals())
    if size_average is not None or reduce is not None:
        code = _Reduction.legacy_get_enum(size_average, reduce)
    else:
        if reduction == "mean":
            warnings.warn(
                "reduction: 'mean' divides the total loss by both the batch size and the support size."
                "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
                "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
                stacklevel=2,
            )
        code = _Reduction.get_enum("sum" if reduction == "batchmean" else reduction)
    loss = torch.kl_div(input, target, code, log_target=log_target)
    if reduction == "batchmean" and input.dim() != 0:
        loss = loss / input.size()[0]
    return loss


def cross_entropy(
    input,
    target,
    weight=None,
    size_average=None,
    ignore_index=-100,
    reduce=None,
    reduction="mean",
    label_smoothing=0.0,
):
    """Cross entropy between logits and class indices or probabilities."""
    if has_torch_function_variadic(input, target, weight):
        return override(cross_entropy, (input, target, weight), locals())
    code = _numbered(reduction, size_average, reduce)
    return _nn.cross_entropy_loss(input, target, weight, code, ignore_index, label_smoothing)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Cross entropy between probabilities and targets in [0, 1]."""
    if has_torch_function_variadic(input, target, weight):
        return override(binary_cross_entropy, (input, target, weight), locals())
    code = _numbered(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is deprecated."
            " Please ensure they have the same size."
        )
    if weight is not None:
        shape = torch.broadcast_shapes(target.size(), weight.size())
        weight = weight.expand(shape)
    return _nn.binary_cross_entropy(input, target, weight, code)


def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):
    """Cross entropy between sigmoid(input) and targets, computed stably."""
    if has_torch_function_variadic(input, target, weight, pos_weight):
        return override(binary_cross_entropy_with_logits, (input, target, weight, pos_weight), locals())
    code = _numbered(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return torch.binary_cross_entropy_with_logits(input, target, weight, pos_weight, code)


def _warn_if_sizes_differ(input, target):
    """Broadcasting an error is legal but rarely meant."""
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
            "This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            stacklevel=3,
        )


def _weighted(errors, weight, reduction, mean):
    """`errors` by `weight`, reduced; `mean(weighted)` says what a mean is."""
    weighted = errors * weight
    if reduction == "none":
        return weighted
    if reduction == "sum":
        return torch.sum(weighted)
    if reduction == "mean":
        return mean(weighted)
    raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")


def _check_weight_size(weight, input):
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """Squared error below `beta`, absolute error above."""
    if has_torch_function_variadic(input, target):
        return override(smooth_l1_loss, (input, target), locals())
    _warn_if_sizes_differ(input, target)
    reduction = _named(reduction, size_average, reduce)
    input, target = torch.broadcast_tensors(input, target)
    if beta == 0.0:
        return _nn.l1_loss(input, target, _Reduction.get_enum(reduction))
    return _nn.smooth_l1_loss(input, target, _Reduction.get_enum(reduction), beta)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """Squared error below `delta`, `delta` times the absolute error above."""
    if has_torch_function_variadic(input, target, weight):
        return override(huber_loss, (input, target, weight), locals())
    _warn_if_sizes_differ(input, target)
    wide, wide_target = torch.broadcast_tensors(input, target)
    if weight is None:
        return _nn.huber_loss(wide, wide_target, _Reduction.get_enum(reduction), delta)
    _check_weight_size(weight, input)
    errors = _nn.huber_loss(wide, wide_target, _Reduction.get_enum("none"), delta)
    return _weighted(errors, weight, reduction, torch.mean)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """Absolute error."""
    if has_torch_function_variadic(input, target, weight):
        return override(l1_loss, (input, target, weight), locals())
    _warn_if_sizes_differ(input, target)
    reduction = _named(reduction, size_average, reduce)
    wide, wide_target = torch.broadcast_tensors(input, target)
    if weight is None:
        return _nn.l1_loss(wide, wide_target, _Reduction.get_enum(reduction))
    _check_weight_size(weight, input)
    errors = torch.abs(wide - wide_target)
    return _weighted(errors, weight, reduction, lambda w: torch.sum(w) / torch.sum(weight))


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """Squared error."""
    if has_torch_function_variadic(input, target, weight):
        return override(mse_loss, (input, target, weight), locals())
    _warn_if_sizes_differ(input, target)
    reduction = _named(reduction, size_average, reduce)
    wide, wide_target = torch.broadcast_tensors(input, target)
    if weight is None:
        return _nn.mse_loss(wide, wide_target, _Reduction.get_enum(reduction))
    _check_weight_size(weight, input)
    errors = torch.pow(wide - wide_target, 2)
    return _weighted(errors, weight, reduction, lambda w: torch.sum(w) / torch.sum(weight))


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """max(0, -target * (input1 - input2) + margin)."""
    if has_torch_function_variadic(input1, input2, target):
        return override(margin_ranking_loss, (input1, input2, target), locals())
    code = _numbered(reduction, size_average, reduce)
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return torch.margin_ranking_loss(input1, input2, target, margin, code)


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """The input where the target is 1, max(0, margin - input) where it is -1."""
    if has_torch_function_variadic(input, target):
        return override(hinge_embedding_loss, (input, target), locals())
    return torch.hinge_embedding_loss(input, target, margin, _numbered(reduction, size_average, reduce))


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """Hinge loss between the scores of target classes and of all others."""
    if has_torch_function_variadic(input, target):
        return override(multilabel_margin_loss, (input, target), locals())
    return _nn.multilabel_margin_loss(input, target, _numbered(reduction, size_average, reduce))


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(-target * input))."""
    if has_torch_function_variadic(input, target):
        return override(soft_margin_loss, (input, target), locals())
    return _nn.soft_margin_loss(input, target, _numbered(reduction, size_average, reduce))


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Mean over classes of the binary cross entropy of each."""
    if has_torch_function_variadic(input, target, weight):
        return override(multilabel_soft_margin_loss, (input, target, weight), locals())
    reduction = _named(reduction, size_average, reduce)
    loss = -(target * _nn.log_sigmoid(input) + (1 - target) * _nn.log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    classes = input.dim() - 1
    loss = loss.sum(dim=classes) / input.size(classes)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    return _reduced(loss, reduction)


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1."""
    if has_torch_function_variadic(input1, input2, target):
        return override(cosine_embedding_loss, (input1, input2, target), locals())
    code = _numbered(reduction, size_average, reduce)
    return torch.cosine_embedding_loss(input1, input2, target, margin, code)


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Hinge loss (to the power `p`) of all other classes against the target class."""
    if has_torch_function_variadic(input, target, weight):
        return override(multi_margin_loss, (input, target, weight), locals())
    code = _numbered(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return _nn.multi_margin_loss(input, target, p, margin, weight, code)


def _check_margin(margin):
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")


def triplet_margin_loss(
    anchor,
    positive,
    negative,
    margin=1.0,
    p=2,
    eps=1e-6,
    swap=False,
    size_average=None,
    reduce=None,
    reduction="mean",
):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin) in the p-norm."""
    if has_torch_function_variadic(anchor, positive, negative):
        return override(triplet_margin_loss, (anchor, positive, negative), locals())
    code = _numbered(reduction, size_average, reduce)
    _check_margin(margin)
    return torch.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, code)


def triplet_margin_with_distance_loss(
    anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"
):
    """The triplet loss with a distance of the caller's."""
    if has_torch_function_variadic(anchor, positive, negative):
        return override(triplet_margin_with_distance_loss, (anchor, positive, negative), locals())
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    _check_margin(margin)
    ranks = (anchor.ndim, positive.ndim, negative.ndim)
    if len(set(ranks)) != 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have "
            f"the same number of dimensions, but got: anchor {ranks[0]}D, positive {ranks[1]}D, "
            f"and negative {ranks[2]}D inputs"
        )
    distance = torch.pairwise_distance if distance_function is None else distance_function
    near = distance(anchor, positive)
    far = distance(anchor, negative)
    if swap:
        far = torch.minimum(far, distance(positive, negative))
    return _reduced(torch.clamp_min(margin + near - far, 0), reduction)
