"""torch.nn.functional: losses."""

import math
import warnings
from collections.abc import Callable

from .. import _C
from .._root import torch
from ..overrides import has_torch_function_variadic
from . import _reduction as _Reduction
from .._override import override

_nn = _C._nn


def _reduction_name(reduction, size_average, reduce):
    """Returns the name of the reduction, computed from the two deprecated arguments if they are given."""
    if size_average is None and reduce is None:
        return reduction
    return _Reduction.legacy_get_string(size_average, reduce)


def _reduction_number(reduction, size_average, reduce):
    """Returns the reduction's number for the operator library."""
    return _Reduction.get_enum(_reduction_name(reduction, size_average, reduce))


def _reduce_loss(loss, reduction):
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    return loss


def ctc_loss(
    log_probs: torch.Tensor,
    targets: torch.Tensor,
    input_lengths: torch.Tensor,
    target_lengths: torch.Tensor,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> torch.Tensor:
    """Measures the likelihood of label sequences under unaligned log probabilities per step.

    Connectionist temporal classification (Graves et al. 2006): see `CTCLoss`.

    Args:
        log_probs (Tensor): ``(T, N, C)`` or ``(T, C)``, as `log_softmax` gives them.
        targets (Tensor): ``(N, S)``, padded, or all labels end to end; none is `blank`.
        input_lengths, target_lengths (Tensor or tuple of int): ``(N)``.
        blank (int): the class that is the blank. Default: ``0``.
        reduction (str): ``"none"``, ``"sum"``, or ``"mean"``, which divides each loss by its target
            length and takes the mean over the batch. Default: ``"mean"``.
        zero_infinity (bool): whether infinite losses and their gradients become zero. Default:
            ``False``.

    Returns:
        Tensor: a scalar, or ``(N)`` with ``reduction="none"``.

    Example:
        >>> log_p = torch.zeros(2, 1, 2).log_softmax(2)  # each class has probability 1/2
        >>> F.ctc_loss(log_p, torch.tensor([[1]]), torch.tensor([2]), torch.tensor([1]))  # -log(3/4)
        tensor(0.2877)
    """
    if has_torch_function_variadic(log_probs, targets, input_lengths, target_lengths):
        return override(ctc_loss, (log_probs, targets, input_lengths, target_lengths), locals())
    code = _Reduction.get_enum(reduction)
    return torch.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, code, zero_infinity)


def nll_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """Measures the negative log likelihood of the target classes, given log probabilities.

    ``loss_n = -weight[target_n] * input[n, target_n]``. Where no target counts, a mean is NaN.

    Args:
        input (Tensor): ``(N, C)``, ``(C,)`` or ``(N, C, d1, ..., dK)``, log probabilities.
        target (Tensor): class indices, the input's shape without `C`, int64.
        weight (Tensor, optional): ``(C,)``, a factor per class. Default: ``None``, all one.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        ignore_index (int): a target value whose elements count neither in the loss nor in the
            gradient. Default: ``-100``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"``, ``"sum"``, or ``"mean"``, which divides by the sum of the
            weights of the targets that count. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or with ``reduction="none"`` the shape of `input` without `C`.

    Example:
        >>> log_p = torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]]).log()
        >>> F.nll_loss(log_p, torch.tensor([0, 1]), reduction="none")  # -log 0.5, -log 0.8
        tensor([0.6931, 0.2231])
    """
    if has_torch_function_variadic(input, target, weight):
        return override(nll_loss, (input, target, weight), locals())
    return _nn.nll_loss_nd(input, target, weight, _reduction_number(reduction, size_average, reduce), ignore_index)


def poisson_nll_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """Measures the negative log likelihood of counts under Poisson distributions.

    ``loss = exp(input) - target * input`` with `log_input`, else
    ``input - target * log(input + eps)``.

    Args:
        input (Tensor): the rates or their logarithms.
        target (Tensor): the counts.
        log_input (bool): whether the input is a logarithm. Default: ``True``.
        full (bool): whether Stirling's approximation of ``log(target!)`` is added, for targets
            above one. Default: ``False``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        eps (float): keeps the logarithm of a rate of zero finite. Default: ``1e-8``.
        reduce (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or the shape of `input` with ``reduction="none"``.

    Example:
        >>> F.poisson_nll_loss(torch.tensor([0.0, 0.0]), torch.tensor([1.0, 5.0]))
        tensor(1.)
    """
    if has_torch_function_variadic(input, target):
        return override(poisson_nll_loss, (input, target), locals())
    reduction = _reduction_name(reduction, size_average, reduce)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not a valid value for reduction")
    return torch.poisson_nll_loss(input, target, log_input, full, eps, _Reduction.get_enum(reduction))


def gaussian_nll_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    var: torch.Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> torch.Tensor:
    """Measures the negative log likelihood of values under normal distributions with given variances.

    ``loss = 0.5 * (log(max(var, eps)) + (input - target)^2 / max(var, eps))``. The bound by
    `eps` has no gradient (Nix and Weigend 1994).

    Args:
        input (Tensor): the means.
        target (Tensor): the values.
        var (Tensor or float): variances, not negative: the input's shape, or its last dimension
            1 or left out.
        full (bool): whether ``0.5 * log(2 * pi)`` is added. Default: ``False``.
        eps (float): smallest variance that is used. Default: ``1e-6``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or the shape of `input` with ``reduction="none"``.

    Raises:
        ValueError: for a negative variance or a `var` of another shape.

    Example:
        >>> F.gaussian_nll_loss(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0]))
        tensor(2.)
    """
    if has_torch_function_variadic(input, target, var):
        return override(gaussian_nll_loss, (input, target, var), locals())
    is_number = isinstance(var, float)
    if (var < 0) if is_number else torch.any(var < 0):
        raise ValueError("var has negative entry/entries")
    if is_number:
        var = var * torch.ones_like(input)
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = torch.unsqueeze(var, -1)
        elif not _differs_in_one_unit_dim(input, var):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    squares, safe = (input - target) ** 2, var.clone()
    with torch.no_grad():  # the bound is for stability and has no gradient
        safe.clamp_(min=eps)
    loss = 0.5 * (safe.log() + squares / safe)
    if full:
        loss += math.log(2 * math.pi) / 2
    return _reduce_loss(loss, reduction)


def _differs_in_one_unit_dim(input, var):
    """Whether `var` has the shape of `input` except for one dimension of size 1."""
    if input.ndim != var.ndim:
        return False
    return sum(y for x, y in zip(input.size(), var.size(), strict=True) if x != y) == 1


def kl_div(
    input: torch.Tensor,
    target: torch.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> torch.Tensor:
    """Measures the Kullback-Leibler divergence of a target distribution from log probabilities.

    ``loss = target * (log(target) - input)`` per element, zero where the target is zero.

    Args:
        input (Tensor): log probabilities.
        target (Tensor): probabilities, or logarithms with `log_target`.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"``, ``"sum"``, ``"batchmean"``, which divides by the size of
            dimension 0 and gives the mathematical value, or ``"mean"``, which divides by the
            number of elements and warns. Default: ``"mean"``.
        log_target (bool): whether the target holds logarithms too. Default: ``False``.

    Returns:
        Tensor: a scalar, or the shape of `input` with ``reduction="none"``.

    Example:
        >>> log_p = torch.tensor([[0.5, 0.5]]).log()
        >>> F.kl_div(log_p, torch.tensor([[1.0, 0.0]]), reduction="batchmean")  # log 2
        tensor(0.6931)
    """
    if has_torch_function_variadic(input, target):
        return override(kl_div, (input, target), locals())
    if size_average is not None or reduce is not None:
        code = _Reduction.legacy_get_enum(size_average, reduce)
    else:
        if reduction == "mean":
            warnings.warn(
                "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' "
                "divides only by the batch size, and aligns with the KL div math definition.'mean' will be changed to "
                "behave the same as 'batchmean' in the next major release.",
                stacklevel=2,
            )
        code = _Reduction.get_enum("sum" if reduction == "batchmean" else reduction)
    loss = torch.kl_div(input, target, code, log_target=log_target)
    if reduction == "batchmean" and input.dim() != 0:
        loss = loss / input.size()[0]
    return loss


def cross_entropy(
    input: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> torch.Tensor:
    """Measures the cross entropy between raw scores (logits) and the target classes.

    ``loss_n = -weight[t] * log(softmax(input_n)[t])`` for a class index `t`, or
    ``-sum_c weight[c] * target[n, c] * log(softmax(input_n)[c])`` for probabilities.

    Args:
        input (Tensor): ``(N, C)``, ``(C,)`` or ``(N, C, d1, ..., dK)``, scores.
        target (Tensor): class indices, the input's shape without `C`, int64; or probabilities
            of the input's shape and dtype.
        weight (Tensor, optional): ``(C,)``, a factor per class. Default: ``None``, all one.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        ignore_index (int): a target value whose elements count neither in the loss nor in the
            gradient. Default: ``-100``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"``, ``"sum"``, or ``"mean"``, which divides by the sum of the
            weights of the targets that count. Default: ``"mean"``. With probabilities it
            divides by the number of samples.
        label_smoothing (float): share, from 0 to 1, of each target that is spread evenly over all
            classes (Szegedy et al. 2015, section 7). Default: ``0.0``.

    Returns:
        Tensor: a scalar, or with ``reduction="none"`` the shape of `input` without `C`.

    Example:
        >>> logits = torch.tensor([[2.0, 0.0], [0.0, 0.0]])
        >>> F.cross_entropy(logits, torch.tensor([0, 1]), reduction="none")
        tensor([0.1269, 0.6931])
        >>> F.cross_entropy(logits, torch.tensor([[1.0, 0.0], [0.5, 0.5]]))
        tensor(0.4100)
    """
    if has_torch_function_variadic(input, target, weight):
        return override(cross_entropy, (input, target, weight), locals())
    code = _reduction_number(reduction, size_average, reduce)
    return _nn.cross_entropy_loss(input, target, weight, code, ignore_index, label_smoothing)


def binary_cross_entropy(
    input: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """Measures the cross entropy between probabilities and targets from 0 to 1.

    ``loss = -weight * (target * log(input) + (1 - target) * log(1 - input))``. Logarithms count
    as at least -100.

    Args:
        input (Tensor): probabilities.
        target (Tensor): of the same shape.
        weight (Tensor, optional): factors that broadcast to the target. Default: ``None``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or the shape of `input` with ``reduction="none"``.

    Raises:
        ValueError: when the sizes of input and target differ.
        RuntimeError: when an input is outside 0 to 1.

    Example:
        >>> F.binary_cross_entropy(torch.tensor([0.5, 0.5]), torch.tensor([1.0, 0.0]))  # log 2
        tensor(0.6931)
    """
    if has_torch_function_variadic(input, target, weight):
        return override(binary_cross_entropy, (input, target, weight), locals())
    code = _reduction_number(reduction, size_average, reduce)
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
    input: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: torch.Tensor | None = None,
) -> torch.Tensor:
    """Measures the cross entropy between ``sigmoid(input)`` and targets from 0 to 1.

    ``loss = -weight * (pos_weight * target * log(s) + (1 - target) * log(1 - s))`` with
    ``s = sigmoid(input)``, computed such that large scores do not overflow.

    Args:
        input (Tensor): scores.
        target (Tensor): of the same shape.
        weight (Tensor, optional): factors that broadcast to the target. Default: ``None``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.
        pos_weight (Tensor, optional): factors of the positive part that broadcast to the
            target. Default: ``None``.

    Returns:
        Tensor: a scalar, or the shape of `input` with ``reduction="none"``.

    Raises:
        ValueError: when the sizes of input and target differ.

    Example:
        >>> F.binary_cross_entropy_with_logits(torch.tensor([0.0, 0.0]), torch.tensor([1.0, 0.0]))
        tensor(0.6931)
    """
    if has_torch_function_variadic(input, target, weight, pos_weight):
        return override(binary_cross_entropy_with_logits, (input, target, weight, pos_weight), locals())
    code = _reduction_number(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return torch.binary_cross_entropy_with_logits(input, target, weight, pos_weight, code)


def _warn_if_sizes_differ(input, target):
    """Broadcasting is allowed here, but rarely intended."""
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
            "This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            stacklevel=3,
        )


def _weight_errors(errors, weight, reduction, mean):
    """Multiplies `errors` by `weight` and reduces them; `mean(weighted)` defines the mean."""
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


def smooth_l1_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> torch.Tensor:
    """Measures the squared error near zero and the absolute error beyond.

    ``loss = 0.5 * e^2 / beta`` where ``|e| < beta``, else ``|e| - 0.5 * beta``, with
    ``e = input - target`` (Girshick 2015, eq. 3); the absolute error for ``beta = 0``.

    Args:
        input (Tensor): the prediction.
        target (Tensor): what it should be, of the same shape; another one broadcasts, with a
            warning.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.
        beta (float): where the two parts meet, not negative. Default: ``1.0``.

    Returns:
        Tensor: a scalar, or the shape of `input` with ``reduction="none"``.

    Example:
        >>> F.smooth_l1_loss(torch.tensor([1.0, 2.0]), torch.tensor([1.5, 6.0]))  # (0.125 + 3.5) / 2
        tensor(1.8125)
    """
    if has_torch_function_variadic(input, target):
        return override(smooth_l1_loss, (input, target), locals())
    _warn_if_sizes_differ(input, target)
    reduction = _reduction_name(reduction, size_average, reduce)
    input, target = torch.broadcast_tensors(input, target)
    if beta == 0.0:
        return _nn.l1_loss(input, target, _Reduction.get_enum(reduction))
    return _nn.smooth_l1_loss(input, target, _Reduction.get_enum(reduction), beta)


def huber_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: torch.Tensor | None = None,
) -> torch.Tensor:
    """Measures the squared error near zero and a multiple of the absolute error beyond.

    ``loss = 0.5 * e^2`` where ``|e| < delta``, else ``delta * (|e| - 0.5 * delta)``, with
    ``e = input - target`` (Huber 1964).

    Args:
        input (Tensor): the prediction.
        target (Tensor): what it should be, of the same shape; another one broadcasts, with a
            warning.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.
        delta (float): where the two parts meet, above zero. Default: ``1.0``.
        weight (Tensor, optional): factors, of the shape of `input`. Default: ``None``.

    Returns:
        Tensor: a scalar, or the shape of `input` with ``reduction="none"``.

    Example:
        >>> F.huber_loss(torch.tensor([0.0, 0.0]), torch.tensor([1.0, 5.0]), delta=2.0)
        tensor(4.2500)
    """
    if has_torch_function_variadic(input, target, weight):
        return override(huber_loss, (input, target, weight), locals())
    _warn_if_sizes_differ(input, target)
    wide, wide_target = torch.broadcast_tensors(input, target)
    if weight is None:
        return _nn.huber_loss(wide, wide_target, _Reduction.get_enum(reduction), delta)
    _check_weight_size(weight, input)
    errors = _nn.huber_loss(wide, wide_target, _Reduction.get_enum("none"), delta)
    return _weight_errors(errors, weight, reduction, torch.mean)


def l1_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: torch.Tensor | None = None,
) -> torch.Tensor:
    """Measures the absolute error: ``loss = |input - target|``.

    The gradient at zero error is zero.

    Args:
        input (Tensor): the prediction.
        target (Tensor): what it should be, of the same shape; another one broadcasts, with a
            warning.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.
        weight (Tensor, optional): factors, of the shape of `input`; a mean divides by
            their sum. Default: ``None``.

    Returns:
        Tensor: a scalar, or the shape of `input` with ``reduction="none"``.

    Example:
        >>> F.l1_loss(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 6.0]))
        tensor(3.)
    """
    if has_torch_function_variadic(input, target, weight):
        return override(l1_loss, (input, target, weight), locals())
    _warn_if_sizes_differ(input, target)
    reduction = _reduction_name(reduction, size_average, reduce)
    wide, wide_target = torch.broadcast_tensors(input, target)
    if weight is None:
        return _nn.l1_loss(wide, wide_target, _Reduction.get_enum(reduction))
    _check_weight_size(weight, input)
    errors = torch.abs(wide - wide_target)
    return _weight_errors(errors, weight, reduction, lambda w: torch.sum(w) / torch.sum(weight))


def mse_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: torch.Tensor | None = None,
) -> torch.Tensor:
    """Measures the squared error: ``loss = (input - target)^2``.

    Args:
        input (Tensor): the prediction.
        target (Tensor): what it should be, of the same shape; another one broadcasts, with a
            warning.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.
        weight (Tensor, optional): factors, of the shape of `input`; a mean divides by
            their sum. Default: ``None``.

    Returns:
        Tensor: a scalar, or the shape of `input` with ``reduction="none"``.

    Example:
        >>> F.mse_loss(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 6.0]))  # (4 + 16) / 2
        tensor(10.)
    """
    if has_torch_function_variadic(input, target, weight):
        return override(mse_loss, (input, target, weight), locals())
    _warn_if_sizes_differ(input, target)
    reduction = _reduction_name(reduction, size_average, reduce)
    wide, wide_target = torch.broadcast_tensors(input, target)
    if weight is None:
        return _nn.mse_loss(wide, wide_target, _Reduction.get_enum(reduction))
    _check_weight_size(weight, input)
    errors = torch.pow(wide - wide_target, 2)
    return _weight_errors(errors, weight, reduction, lambda w: torch.sum(w) / torch.sum(weight))


def margin_ranking_loss(
    input1: torch.Tensor,
    input2: torch.Tensor,
    target: torch.Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """Measures whether one input ranks above the other by a margin.

    ``loss = max(0, -target * (input1 - input2) + margin)``.

    Args:
        input1, input2 (Tensor): scores.
        target (Tensor): 1 wants `input1` above `input2`, -1 below.
        margin (float): the required distance. Default: ``0``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or ``(N)`` with ``reduction="none"``.

    Example:
        >>> F.margin_ranking_loss(torch.tensor([1.0]), torch.tensor([2.0]), torch.tensor([1.0]), 0.5)
        tensor(1.5000)
    """
    if has_torch_function_variadic(input1, input2, target):
        return override(margin_ranking_loss, (input1, input2, target), locals())
    code = _reduction_number(reduction, size_average, reduce)
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return torch.margin_ranking_loss(input1, input2, target, margin, code)


def hinge_embedding_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """Measures whether distances are small for similar pairs and large for others.

    ``loss = input`` where the target is 1, ``max(0, margin - input)`` where it is -1.

    Args:
        input (Tensor): distances.
        target (Tensor): of the same shape, 1 or -1.
        margin (float): distance from which unlike pairs cost nothing. Default: ``1.0``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or the shape of `input` with ``reduction="none"``.

    Example:
        >>> F.hinge_embedding_loss(torch.tensor([0.5, 0.2]), torch.tensor([1, -1]))  # (0.5 + 0.8) / 2
        tensor(0.6500)
    """
    if has_torch_function_variadic(input, target):
        return override(hinge_embedding_loss, (input, target), locals())
    return torch.hinge_embedding_loss(input, target, margin, _reduction_number(reduction, size_average, reduce))


def multilabel_margin_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """Measures by a hinge how far target classes score above all others, several targets per sample.

    ``loss = sum_{j in targets, i not in targets} max(0, 1 - (input[j] - input[i])) / C``.

    Args:
        input (Tensor): ``(N, C)`` or ``(C,)``, scores.
        target (Tensor): of that shape, int64: the target classes first, then -1, which ends them.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or ``(N)`` with ``reduction="none"``.

    Example:
        >>> x = torch.tensor([[0.5, 0.0, 1.0]])
        >>> F.multilabel_margin_loss(x, torch.tensor([[2, -1, 0]]))  # class 2 only: (0.5 + 0) / 3
        tensor(0.1667)
    """
    if has_torch_function_variadic(input, target):
        return override(multilabel_margin_loss, (input, target), locals())
    return _nn.multilabel_margin_loss(input, target, _reduction_number(reduction, size_average, reduce))


def soft_margin_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """Measures the logistic loss of scores: ``loss = log(1 + exp(-target * input))``.

    Args:
        input (Tensor): scores.
        target (Tensor): of the same shape, 1 or -1.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or the shape of `input` with ``reduction="none"``.

    Example:
        >>> F.soft_margin_loss(torch.tensor([0.0, 0.0]), torch.tensor([1.0, -1.0]))  # log 2
        tensor(0.6931)
    """
    if has_torch_function_variadic(input, target):
        return override(soft_margin_loss, (input, target), locals())
    return _nn.soft_margin_loss(input, target, _reduction_number(reduction, size_average, reduce))


def multilabel_soft_margin_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """Measures the mean over classes of the binary cross entropy of each.

    ``loss = -mean_c weight[c] * (y_c * log(s_c) + (1 - y_c) * log(1 - s_c))`` with ``s =
    sigmoid(input)`` and `y` the target.

    Args:
        input (Tensor): ``(N, C)`` or ``(C,)``, scores.
        target (Tensor): of that shape, 0 or 1.
        weight (Tensor, optional): ``(C,)``, a factor per class. Default: ``None``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or ``(N)`` with ``reduction="none"``.

    Example:
        >>> F.multilabel_soft_margin_loss(torch.zeros(1, 3), torch.tensor([[1.0, 0.0, 1.0]]))  # log 2
        tensor(0.6931)
    """
    if has_torch_function_variadic(input, target, weight):
        return override(multilabel_soft_margin_loss, (input, target, weight), locals())
    reduction = _reduction_name(reduction, size_average, reduce)
    loss = -(target * _nn.log_sigmoid(input) + (1 - target) * _nn.log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    classes = input.dim() - 1
    loss = loss.sum(dim=classes) / input.size(classes)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    return _reduce_loss(loss, reduction)


def cosine_embedding_loss(
    input1: torch.Tensor,
    input2: torch.Tensor,
    target: torch.Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """Measures whether vectors point in the same direction for similar pairs and not for others.

    ``loss = 1 - cos(input1, input2)`` where the target is 1,
    ``max(0, cos(input1, input2) - margin)`` where it is -1.

    Args:
        input1, input2 (Tensor): ``(N, D)`` or ``(D,)``.
        target (Tensor): ``(N)`` or ``()``, 1 or -1.
        margin (float): cosine up to which unlike pairs cost nothing. Default: ``0``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or ``(N)`` with ``reduction="none"``.

    Example:
        >>> a, b = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])
        >>> F.cosine_embedding_loss(a, b, torch.tensor([1]))
        tensor(1.)
    """
    if has_torch_function_variadic(input1, input2, target):
        return override(cosine_embedding_loss, (input1, input2, target), locals())
    code = _reduction_number(reduction, size_average, reduce)
    return torch.cosine_embedding_loss(input1, input2, target, margin, code)


def multi_margin_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: torch.Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """Measures by a hinge how far the target class scores above all others.

    ``loss = sum_{i != t} weight[t] * max(0, margin - input[t] + input[i])^p / C`` for the
    target class `t` (Crammer and Singer 2001).

    Args:
        input (Tensor): ``(N, C)`` or ``(C,)``, scores.
        target (Tensor): ``(N)`` or ``()``, int64.
        p (int): exponent, 1 or 2. Default: ``1``.
        margin (float): the required distance. Default: ``1.0``.
        weight (Tensor, optional): ``(C,)``, a factor per class. Default: ``None``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or ``(N)`` with ``reduction="none"``.

    Raises:
        ValueError: when `p` is not 1 or 2, or `weight` has not one dimension.

    Example:
        >>> F.multi_margin_loss(torch.tensor([[0.5, 0.0, 1.0]]), torch.tensor([2]))  # (0.5 + 0) / 3
        tensor(0.1667)
    """
    if has_torch_function_variadic(input, target, weight):
        return override(multi_margin_loss, (input, target, weight), locals())
    code = _reduction_number(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return _nn.multi_margin_loss(input, target, p, margin, weight, code)


def _check_margin(margin):
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")


def triplet_margin_loss(
    anchor: torch.Tensor,
    positive: torch.Tensor,
    negative: torch.Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """Measures whether an anchor is nearer to a positive than to a negative example by a margin.

    ``loss = max(0, d(anchor, positive) - d(anchor, negative) + margin)`` with ``d(x, y) = ||x -
    y + eps||_p`` (Balntas et al. 2016).

    Args:
        anchor, positive, negative (Tensor): ``(N, D)`` or ``(D,)``.
        margin (float): the required difference, above zero. Default: ``1.0``.
        p (float): exponent of the norm. Default: ``2``.
        eps (float): keeps the distance differentiable at zero. Default: ``1e-6``.
        swap (bool): whether the distance from positive to negative counts where it is smaller
            than that from the anchor. Default: ``False``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or ``(N)`` with ``reduction="none"``.

    Raises:
        ValueError: when `margin` is not positive.

    Example:
        >>> a, p, n = torch.tensor([[0.0]]), torch.tensor([[2.0]]), torch.tensor([[-2.5]])
        >>> F.triplet_margin_loss(a, p, n)  # 2 - 2.5 + 1
        tensor(0.5000)
    """
    if has_torch_function_variadic(anchor, positive, negative):
        return override(triplet_margin_loss, (anchor, positive, negative), locals())
    code = _reduction_number(reduction, size_average, reduce)
    _check_margin(margin)
    return torch.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, code)


def triplet_margin_with_distance_loss(
    anchor: torch.Tensor,
    positive: torch.Tensor,
    negative: torch.Tensor,
    *,
    distance_function: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> torch.Tensor:
    """Is `triplet_margin_loss` with a distance function of one's own.

    Args:
        anchor, positive, negative (Tensor): what the distance takes, of one rank.
        distance_function (callable, optional): takes two tensors and returns their distances.
            Default: ``None``, `F.pairwise_distance`.
        margin (float): the required difference, above zero. Default: ``1.0``.
        swap (bool): whether the distance from positive to negative counts where it is smaller.
            Default: ``False``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or ``(N)`` with ``reduction="none"``.

    Raises:
        ValueError: when `margin` is not positive.

    Example:
        >>> x, y, z = torch.tensor([[1.0, 0.0]]), torch.tensor([[2.0, 0.0]]), torch.tensor([[3.0, 0.0]])
        >>> F.triplet_margin_with_distance_loss(
        ...     x, y, z, distance_function=lambda a, b: 1 - F.cosine_similarity(a, b), margin=0.5)
        tensor(0.5000)
    """
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
    return _reduce_loss(torch.clamp_min(margin + near - far, 0), reduction)
