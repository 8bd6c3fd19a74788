"""Loss modules."""

import math
from collections.abc import Callable

from ..._root import torch
from .. import _reduction as _Reduction
from .. import functional as F
from ._deprecated import deprecated_class
from .distance import PairwiseDistance
from .linear import Linear
from .linear_cross_entropy_options import LinearCrossEntropyOptions
from .module import Module

__all__ = [
    "L1Loss", "NLLLoss", "NLLLoss2d", "PoissonNLLLoss", "GaussianNLLLoss", "KLDivLoss", "MSELoss", "BCELoss",
    "BCEWithLogitsLoss", "HingeEmbeddingLoss", "MultiLabelMarginLoss", "SmoothL1Loss", "HuberLoss", "SoftMarginLoss",
    "CrossEntropyLoss", "LinearCrossEntropyLoss", "MultiLabelSoftMarginLoss", "CosineEmbeddingLoss",
    "MarginRankingLoss", "MultiMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss", "CTCLoss",
]  # fmt: skip


class _Loss(Module):
    """Reduces the losses of elements; `size_average` and `reduce` are older forms of `reduction`."""

    reduction: str

    def __init__(self, size_average=None, reduce=None, reduction: str = "mean") -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = _Reduction.legacy_get_string(size_average, reduce)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    def __init__(
        self, weight: torch.Tensor | None = None, size_average=None, reduce=None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class L1Loss(_Loss):
    """Measures the absolute error: ``loss = |input - target|``.

    The gradient at zero error is zero. Complex inputs are allowed and give a real loss.

    Args:
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Shape:
        - input, target: ``(*)``, of one shape.
        - output: a scalar; ``(*)`` with ``reduction="none"``.

    Example:
        >>> nn.L1Loss()(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 6.0]))
        tensor(3.)
    """

    __constants__ = ["reduction"]

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input` and `target`; the class documents shapes and formula."""
        return F.l1_loss(input, target, reduction=self.reduction)


class NLLLoss(_WeightedLoss):
    """Measures the negative log likelihood of the target classes, given log probabilities.

    ``loss_n = -weight[target_n] * input[n, target_n]``. The input usually comes from `LogSoftmax`;
    `CrossEntropyLoss` does both at once. Where no target counts, a mean is NaN.

    Args:
        weight (Tensor, optional): ``(C,)``, a factor per class. Default: ``None``, all one.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        ignore_index (int): a target value whose elements count neither in the loss nor in the
            gradient. Default: ``-100``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"``, ``"sum"``, or ``"mean"``, which divides by the sum of the
            weights of the targets that count. Default: ``"mean"``.

    Shape:
        - input: ``(N, C)``, ``(C,)`` or ``(N, C, d1, ..., dK)``.
        - target: class indices, ``(N)``, ``()`` or ``(N, d1, ..., dK)``, int64, from 0 to
          ``C - 1``.
        - output: a scalar; the target's shape with ``reduction="none"``.

    Example:
        >>> log_p = torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]]).log()
        >>> nn.NLLLoss(reduction="none")(log_p, torch.tensor([0, 1]))  # -log 0.5, -log 0.8
        tensor([0.6931, 0.2231])
    """

    __constants__ = ["ignore_index", "reduction"]
    ignore_index: int

    def __init__(
        self, weight: torch.Tensor | None = None, size_average=None, ignore_index: int = -100, reduce=None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input` and `target`; the class documents shapes and formula."""
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


@deprecated_class(
    "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
    "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details."
)
class NLLLoss2d(NLLLoss):
    """Is the old name of NLLLoss, for images.

    Deprecated: making one warns.

    Args:
        weight (Tensor, optional): ``(C,)``, a factor per class. Default: ``None``, all one.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        ignore_index (int): a target value whose elements count neither in the loss nor in the
            gradient. Default: ``-100``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"``, ``"sum"``, or ``"mean"``, which divides by the sum of the
            weights of the targets that count. Default: ``"mean"``.

    Shape:
        - input: ``(N, C, H, W)``; target: ``(N, H, W)``.
        - output: a scalar; the target's shape with ``reduction="none"``.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     loss = nn.NLLLoss2d()
        >>> loss(torch.zeros(1, 2, 3, 3), torch.zeros(1, 3, 3, dtype=torch.long)).item() == 0
        True
    """

    def __init__(
        self, weight: torch.Tensor | None = None, size_average=None, ignore_index: int = -100, reduce=None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class PoissonNLLLoss(_Loss):
    """Measures the negative log likelihood of counts under Poisson distributions.

    With `log_input` the input is the logarithm of the rate:
    ``loss = exp(input) - target * input``; without it, the rate:
    ``loss = input - target * log(input + eps)``. `full` adds Stirling's approximation of
    ``log(target!)``, ``target * log(target) - target + 0.5 * log(2 * pi * target)``, where the
    target exceeds one.

    Args:
        log_input (bool): whether the input is a logarithm. Default: ``True``.
        full (bool): whether the term of the target alone is added. Default: ``False``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        eps (float): keeps the logarithm of a rate of zero finite. Default: ``1e-8``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Shape:
        - input, target: ``(*)``, of shapes that broadcast.
        - output: a scalar; ``(*)`` with ``reduction="none"``.

    Example:
        >>> nn.PoissonNLLLoss()(torch.tensor([0.0, 0.0]), torch.tensor([1.0, 5.0]))  # exp(0) - t * 0
        tensor(1.)
    """

    __constants__ = ["log_input", "full", "eps", "reduction"]
    log_input: bool
    full: bool
    eps: float

    def __init__(
        self, log_input: bool = True, full: bool = False, size_average=None, eps: float = 1e-8, reduce=None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `log_input` and `target`; the class documents shapes and formula."""
        return F.poisson_nll_loss(
            log_input,
            target,
            log_input=self.log_input,
            full=self.full,
            eps=self.eps,
            reduction=self.reduction,
        )


class GaussianNLLLoss(_Loss):
    """Measures the negative log likelihood of values under normal distributions with given variances.

    ``loss = 0.5 * (log(max(var, eps)) + (input - target)^2 / max(var, eps))``; `full` adds
    ``0.5 * log(2 * pi)``. The bound by `eps` has no gradient (Nix and Weigend 1994).

    Args:
        full (bool): whether the constant term is added. Default: ``False``.
        eps (float): smallest variance that is used. Default: ``1e-6``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Shape:
        - input, target: ``(N, *)``, of shapes that broadcast.
        - var: the input's shape, or with its last dimension 1 or left out; or a float. Not
          negative.
        - output: a scalar; ``(N, *)`` with ``reduction="none"``.

    Raises:
        ValueError: for a negative variance or a `var` of another shape.

    Example:
        >>> nn.GaussianNLLLoss()(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0]))
        tensor(2.)
    """

    __constants__ = ["full", "eps", "reduction"]
    full: bool
    eps: float

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: torch.Tensor, target: torch.Tensor, var: torch.Tensor | float) -> torch.Tensor:
        """Returns the loss of `input`, `target` and `var`; the class documents shapes and formula."""
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class KLDivLoss(_Loss):
    """Measures the Kullback-Leibler divergence of a target distribution from log probabilities.

    ``loss = target * (log(target) - input)`` per element, zero where the target is zero. The
    input is a logarithm; the sum over classes of one sample is ``KL(target || exp(input))``
    (Kullback and Leibler 1951).

    Args:
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"``, ``"sum"``, ``"batchmean"``, which divides by the size of
            dimension 0 and gives the mathematical value, or ``"mean"``, which divides by the
            number of elements and warns. Default: ``"mean"``.
        log_target (bool): whether the target holds logarithms too. Default: ``False``.

    Shape:
        - input, target: ``(*)``, of one shape.
        - output: a scalar; ``(*)`` with ``reduction="none"``.

    Example:
        >>> log_p = torch.tensor([[0.5, 0.5]]).log()
        >>> nn.KLDivLoss(reduction="batchmean")(log_p, torch.tensor([[1.0, 0.0]]))  # log 2
        tensor(0.6931)
    """

    __constants__ = ["reduction"]

    def __init__(self, size_average=None, reduce=None, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input` and `target`; the class documents shapes and formula."""
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class MSELoss(_Loss):
    """Measures the squared error: ``loss = (input - target)^2``.

    With ``reduction="mean"`` this is the mean squared error.

    Args:
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Shape:
        - input, target: ``(*)``, of one shape.
        - output: a scalar; ``(*)`` with ``reduction="none"``.

    Example:
        >>> nn.MSELoss()(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 6.0]))  # (4 + 16) / 2
        tensor(10.)
    """

    __constants__ = ["reduction"]

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input` and `target`; the class documents shapes and formula."""
        return F.mse_loss(input, target, reduction=self.reduction)


class BCELoss(_WeightedLoss):
    """Measures the cross entropy between probabilities and targets from 0 to 1.

    ``loss = -weight * (target * log(input) + (1 - target) * log(1 - input))``. Logarithms count
    as at least -100, so that the loss stays finite. `BCEWithLogitsLoss` takes scores and is
    more precise.

    Args:
        weight (Tensor, optional): factors that broadcast to the target. Default: ``None``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Shape:
        - input, target: ``(*)``, of one shape.
        - output: a scalar; ``(*)`` with ``reduction="none"``.

    Raises:
        ValueError: when the sizes of input and target differ.
        RuntimeError: when an input is outside 0 to 1.

    Example:
        >>> nn.BCELoss()(torch.tensor([0.5, 0.5]), torch.tensor([1.0, 0.0]))  # log 2
        tensor(0.6931)
    """

    __constants__ = ["reduction"]

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input` and `target`; the class documents shapes and formula."""
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """Measures the cross entropy between ``sigmoid(input)`` and targets from 0 to 1.

    ``loss = -weight * (pos_weight * target * log(s) + (1 - target) * log(1 - s))`` with
    ``s = sigmoid(input)``, computed such that large scores do not overflow.

    Args:
        weight (Tensor, optional): factors that broadcast to the target. Default: ``None``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"``, ``"sum"``, or ``"mean"`` over all elements. Default:
            ``"mean"``.
        pos_weight (Tensor, optional): factors of the positive part that broadcast to the target;
            above one they favour recall. Default: ``None``.

    Shape:
        - input, target: ``(*)``, of one shape.
        - output: a scalar; ``(*)`` with ``reduction="none"``.

    Raises:
        ValueError: when the sizes of input and target differ.

    Example:
        >>> nn.BCEWithLogitsLoss()(torch.tensor([0.0, 0.0]), torch.tensor([1.0, 0.0]))  # log 2
        tensor(0.6931)
        >>> weighted = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([3.0]))
        >>> weighted(torch.tensor([0.0]), torch.tensor([1.0]))  # 3 log 2
        tensor(2.0794)
    """

    def __init__(
        self, weight: torch.Tensor | None = None, size_average=None, reduce=None, reduction: str = "mean",
        pos_weight: torch.Tensor | None = None,
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input` and `target`; the class documents shapes and formula."""
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class HingeEmbeddingLoss(_Loss):
    """Measures whether distances are small for similar pairs and large for others.

    ``loss = input`` where the target is 1, ``max(0, margin - input)`` where it is -1.

    Args:
        margin (float): distance from which unlike pairs cost nothing. Default: ``1.0``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Shape:
        - input, target: ``(*)``, of one shape.
        - output: a scalar; ``(*)`` with ``reduction="none"``.

    Example:
        >>> nn.HingeEmbeddingLoss()(torch.tensor([0.5, 0.2]), torch.tensor([1, -1]))  # (0.5 + 0.8) / 2
        tensor(0.6500)
    """

    __constants__ = ["margin", "reduction"]
    margin: float

    def __init__(self, margin: float = 1.0, size_average=None, reduce=None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input` and `target`; the class documents shapes and formula."""
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """Measures by a hinge how far target classes score above all others, several targets per sample.

    ``loss = sum_{j in targets, i not in targets} max(0, 1 - (input[j] - input[i])) / C``.

    Args:
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Shape:
        - input: ``(N, C)`` or ``(C,)``.
        - target: the input's shape, int64: the target classes first, then -1, which ends them.
        - output: a scalar; ``(N)`` with ``reduction="none"``.

    Example:
        >>> x = torch.tensor([[0.5, 0.0, 1.0]])
        >>> nn.MultiLabelMarginLoss()(x, torch.tensor([[2, -1, 0]]))  # class 2 only: (0.5 + 0) / 3
        tensor(0.1667)
    """

    __constants__ = ["reduction"]

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input` and `target`; the class documents shapes and formula."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """Measures the squared error near zero and the absolute error beyond.

    ``loss = 0.5 * e^2 / beta`` where ``|e| < beta``, else ``|e| - 0.5 * beta``, with
    ``e = input - target`` (Girshick 2015, "Fast R-CNN", eq. 3). It is `HuberLoss` over `beta`, and
    `L1Loss` for ``beta = 0``.

    Args:
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.
        beta (float): where the two parts meet, not negative. Default: ``1.0``.

    Shape:
        - input, target: ``(*)``, of one shape.
        - output: a scalar; ``(*)`` with ``reduction="none"``.

    Example:
        >>> nn.SmoothL1Loss()(torch.tensor([1.0, 2.0]), torch.tensor([1.5, 6.0]))  # (0.125 + 3.5) / 2
        tensor(1.8125)
    """

    __constants__ = ["reduction"]

    def __init__(self, size_average=None, reduce=None, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input` and `target`; the class documents shapes and formula."""
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Measures the squared error near zero and a multiple of the absolute error beyond.

    ``loss = 0.5 * e^2`` where ``|e| < delta``, else ``delta * (|e| - 0.5 * delta)``, with
    ``e = input - target`` (Huber 1964).

    Args:
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.
        delta (float): where the two parts meet, above zero. Default: ``1.0``.

    Shape:
        - input, target: ``(*)``, of one shape.
        - output: a scalar; ``(*)`` with ``reduction="none"``.

    Example:
        >>> nn.HuberLoss(delta=2.0)(torch.tensor([0.0, 0.0]), torch.tensor([1.0, 5.0]))  # (0.5 + 8) / 2
        tensor(4.2500)
    """

    __constants__ = ["reduction", "delta"]

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        self.delta = delta

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input` and `target`; the class documents shapes and formula."""
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class SoftMarginLoss(_Loss):
    """Measures the logistic loss of scores against targets of 1 and -1.

    ``loss = log(1 + exp(-target * input))``.

    Args:
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Shape:
        - input, target: ``(*)``, of one shape.
        - output: a scalar; ``(*)`` with ``reduction="none"``.

    Example:
        >>> nn.SoftMarginLoss()(torch.tensor([0.0, 0.0]), torch.tensor([1.0, -1.0]))  # log 2
        tensor(0.6931)
    """

    __constants__ = ["reduction"]

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input` and `target`; the class documents shapes and formula."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class CrossEntropyLoss(_WeightedLoss):
    """Measures the cross entropy between raw scores (logits) and the target classes.

    ``loss_n = -weight[t] * log(softmax(input_n)[t])`` for a class index `t`. Targets may also
    be probabilities: ``loss_n = -sum_c weight[c] * target[n, c] * log(softmax(input_n)[c])``;
    they are not checked to sum to one. Do not apply a softmax before it.

    Args:
        weight (Tensor, optional): ``(C,)``, a factor per class. Default: ``None``, all one.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        ignore_index (int): a target value whose elements count neither in the loss nor in the
            gradient. Default: ``-100``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"``, ``"sum"``, or ``"mean"``, which divides by the sum of the
            weights of the targets that count. Default: ``"mean"``.
            With probabilities it divides by the number of samples.
        label_smoothing (float): share, from 0 to 1, of each target that is spread evenly over all
            classes (Szegedy et al. 2015, section 7). Default: ``0.0``.

    Shape:
        - input: ``(N, C)``, ``(C,)`` or ``(N, C, d1, ..., dK)``.
        - target: class indices, the input's shape without `C`, int64; or probabilities, the input's
          shape and dtype.
        - output: a scalar; the input's shape without `C` with ``reduction="none"``.

    Example:
        >>> logits = torch.tensor([[2.0, 0.0], [0.0, 0.0]])
        >>> nn.CrossEntropyLoss(reduction="none")(logits, torch.tensor([0, 1]))
        tensor([0.1269, 0.6931])
        >>> nn.CrossEntropyLoss()(logits, torch.tensor([[1.0, 0.0], [0.5, 0.5]]))
        tensor(0.4100)
    """

    __constants__ = ["ignore_index", "reduction", "label_smoothing"]
    ignore_index: int
    label_smoothing: float

    def __init__(
        self, weight: torch.Tensor | None = None, size_average=None, ignore_index: int = -100, reduce=None,
        reduction: str = "mean", label_smoothing: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input` and `target`; the class documents shapes and formula."""
        return F.cross_entropy(
            input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )  # fmt: skip


class LinearCrossEntropyLoss(_WeightedLoss):
    """Applies a linear layer and measures the cross entropy of its output, optionally in chunks of the batch.

    With `options` the logits exist for a few rows at a time, which saves memory for many classes;
    the loss is that of `Linear` followed by `CrossEntropyLoss`.

    Args:
        in_features (int): size of the last dimension of the input.
        num_classes (int): number of classes `C`.
        out_features (tuple of int): further output dimensions ``(d1, ..., dK)``. Default: ``()``.
        bias (bool): whether the linear layer has a bias. Default: ``False``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.
        reduction (str): ``"none"``, ``"sum"`` or ``"mean"``, as in `CrossEntropyLoss`. Default:
            ``"mean"``.
        weight (Tensor, optional): ``(C,)``, a factor per class. Default: ``None``.
        ignore_index (int, optional): target value that does not count. Default: ``None``, -100.
        label_smoothing (float): share of each target spread over all classes, 0 to 1. Default:
            ``0.0``.
        options (LinearCrossEntropyOptions, optional): how to chunk; needs class indices, no label
            smoothing and no `out_features`. Default: ``None``, no chunks.

    Shape:
        - input: ``(N, in_features)`` or ``(in_features,)``.
        - target: class indices ``(N, d1, ..., dK)`` or ``()``, or probabilities
          ``(N, C, d1, ..., dK)``.
        - output: a scalar; ``(N, d1, ..., dK)`` with ``reduction="none"``.

    Attributes:
        linear (Linear): the layer, with ``num_classes * prod(out_features)`` rows.

    Raises:
        RuntimeError: when `weight` has another size or `label_smoothing` is out of range.

    Example:
        >>> loss = nn.LinearCrossEntropyLoss(8, 5)
        >>> loss(torch.zeros(3, 8), torch.tensor([0, 4, 2]))  # log 5
        tensor(1.6094, grad_fn=<NllLossBackward0>)
    """

    __constants__ = ["num_classes", "out_features", "reduction", "ignore_index", "label_smoothing"]

    def __init__(
        self, in_features: int, num_classes: int, *, out_features: tuple[int, ...] = (), bias: bool = False,
        device=None, dtype=None, reduction: str = "mean", weight: torch.Tensor | None = None,
        ignore_index: int | None = None, label_smoothing: float = 0.0, options: LinearCrossEntropyOptions | None = None,
    ) -> None:  # fmt: skip
        if weight is not None and weight.shape != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if label_smoothing < 0 or label_smoothing > 1.0:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight=weight, reduction=reduction)
        self.num_classes, self.out_features, self.options = num_classes, out_features, options
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing
        rows = math.prod(out_features, start=num_classes)
        self.linear = Linear(in_features, rows, bias=bias, device=device, dtype=dtype)

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input` and `target`; the class documents shapes and formula."""
        shape = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape((*shape, self.linear.in_features)),
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self):
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={self.linear.bias is not None}, "
            f"reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """Measures the mean over classes of the binary cross entropy of each.

    ``loss = -mean_c weight[c] * (y_c * log(s_c) + (1 - y_c) * log(1 - s_c))`` with
    ``s = sigmoid(input)`` and `y` the target.

    Args:
        weight (Tensor, optional): ``(C,)``, a factor per class. Default: ``None``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Shape:
        - input, target: ``(N, C)`` or ``(C,)``; targets are 0 or 1.
        - output: a scalar; ``(N)`` with ``reduction="none"``.

    Example:
        >>> nn.MultiLabelSoftMarginLoss()(torch.zeros(1, 3), torch.tensor([[1.0, 0.0, 1.0]]))  # log 2
        tensor(0.6931)
    """

    __constants__ = ["reduction"]

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input` and `target`; the class documents shapes and formula."""
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """Measures whether vectors point in the same direction for similar pairs and not for others.

    ``loss = 1 - cos(x1, x2)`` where the target is 1, ``max(0, cos(x1, x2) - margin)`` where it
    is -1.

    Args:
        margin (float): cosine up to which unlike pairs cost nothing, -1 to 1; 0 to 0.5 is usual.
            Default: ``0.0``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Shape:
        - input1, input2: ``(N, D)`` or ``(D,)``.
        - target: ``(N)`` or ``()``, of 1 and -1.
        - output: a scalar; ``(N)`` with ``reduction="none"``.

    Example:
        >>> a, b = torch.tensor([[1.0, 0.0], [1.0, 0.0]]), torch.tensor([[0.0, 1.0], [1.0, 0.0]])
        >>> nn.CosineEmbeddingLoss(reduction="none")(a, b, torch.tensor([1, -1]))
        tensor([1., 1.])
    """

    __constants__ = ["margin", "reduction"]
    margin: float

    def __init__(self, margin: float = 0.0, size_average=None, reduce=None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: torch.Tensor, input2: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input1`, `input2` and `target`; the class documents shapes and formula."""
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """Measures whether one input ranks above the other by a margin.

    ``loss = max(0, -target * (x1 - x2) + margin)``; a target of 1 wants `x1` above `x2`, -1 below.

    Args:
        margin (float): the required distance. Default: ``0.0``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Shape:
        - input1, input2, target: ``(N)`` or ``()``.
        - output: a scalar; ``(N)`` with ``reduction="none"``.

    Example:
        >>> loss = nn.MarginRankingLoss(margin=0.5)
        >>> loss(torch.tensor([1.0, 2.0]), torch.tensor([2.0, 1.0]), torch.tensor([1.0, 1.0]))
        tensor(0.7500)
    """

    __constants__ = ["margin", "reduction"]
    margin: float

    def __init__(self, margin: float = 0.0, size_average=None, reduce=None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: torch.Tensor, input2: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input1`, `input2` and `target`; the class documents shapes and formula."""
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """Measures by a hinge how far the target class scores above all others.

    ``loss = sum_{i != t} weight[t] * max(0, margin - input[t] + input[i])^p / C`` for the target
    class `t` (Crammer and Singer 2001); `weight` is outside the power.

    Args:
        p (int): exponent, 1 or 2. Default: ``1``.
        margin (float): the required distance. Default: ``1.0``.
        weight (Tensor, optional): ``(C,)``, a factor per class. Default: ``None``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Shape:
        - input: ``(N, C)`` or ``(C,)``; target: ``(N)`` or ``()``, int64.
        - output: a scalar; ``(N)`` with ``reduction="none"``.

    Raises:
        ValueError: when `p` is not 1 or 2, or `weight` has not one dimension.

    Example:
        >>> nn.MultiMarginLoss()(torch.tensor([[0.5, 0.0, 1.0]]), torch.tensor([2]))  # (0.5 + 0) / 3
        tensor(0.1667)
    """

    __constants__ = ["p", "margin", "reduction"]
    margin: float
    p: int

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: torch.Tensor | None = None, size_average=None, reduce=None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p = p
        self.margin = margin

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `input` and `target`; the class documents shapes and formula."""
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


def _check_margin(name, margin):
    if margin <= 0:
        raise ValueError(f"{name}: expected margin to be greater than 0, got {margin} instead")


class TripletMarginLoss(_Loss):
    """Measures whether an anchor is nearer to a positive than to a negative example by a margin.

    ``loss = max(0, d(anchor, positive) - d(anchor, negative) + margin)`` with
    ``d(x, y) = ||x - y + eps||_p`` (Balntas et al. 2016).

    Args:
        margin (float): the required difference, above zero. Default: ``1.0``.
        p (float): exponent of the norm. Default: ``2.0``.
        eps (float): keeps the distance differentiable at zero. Default: ``1e-6``.
        swap (bool): whether the distance from positive to negative counts where it is smaller than
            that from the anchor. Default: ``False``.
        size_average (bool, optional): deprecated, use `reduction`. Default: ``None``.
        reduce (bool, optional): deprecated, use `reduction`. Where one of the two is given, they
            decide: ``reduce=False`` is ``"none"``, else ``size_average=False`` is ``"sum"`` and all
            others are ``"mean"``. Default: ``None``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Shape:
        - anchor, positive, negative: ``(N, D)`` or ``(D,)``.
        - output: a scalar; ``(N)`` with ``reduction="none"``.

    Raises:
        ValueError: when `margin` is not positive.

    Example:
        >>> a, p, n = torch.tensor([[0.0]]), torch.tensor([[2.0]]), torch.tensor([[-2.5]])
        >>> nn.TripletMarginLoss()(a, p, n)  # 2 - 2.5 + 1
        tensor(0.5000)
    """

    __constants__ = ["margin", "p", "eps", "swap", "reduction"]
    margin: float
    p: float
    eps: float
    swap: bool

    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, size_average=None,
        reduce=None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        _check_margin("TripletMarginLoss", margin)
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: torch.Tensor, positive: torch.Tensor, negative: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `anchor`, `positive` and `negative`; the class documents shapes and formula."""
        distance = {"p": self.p, "eps": self.eps}
        return F.triplet_margin_loss(
            anchor, positive, negative, margin=self.margin, swap=self.swap, reduction=self.reduction, **distance
        )


class TripletMarginWithDistanceLoss(_Loss):
    """Is the triplet margin loss with a distance function of one's own.

    ``loss = max(0, d(anchor, positive) - d(anchor, negative) + margin)``.

    Args:
        distance_function (callable, optional): takes two tensors and returns their distances.
            Default: ``None``, `PairwiseDistance`.
        margin (float): the required difference, above zero. Default: ``1.0``.
        swap (bool): whether the distance from positive to negative counts where it is smaller than
            that from the anchor. Default: ``False``.
        reduction (str): ``"none"`` keeps the loss of each element, ``"sum"`` adds them all up,
            ``"mean"`` divides the sum by their number. Default: ``"mean"``.

    Shape:
        - anchor, positive, negative: any shapes that the distance accepts, of equal rank.
        - output: a scalar; ``(N)`` with ``reduction="none"``.

    Raises:
        ValueError: when `margin` is not positive.

    Example:
        >>> loss = nn.TripletMarginWithDistanceLoss(
        ...     distance_function=lambda x, y: 1 - F.cosine_similarity(x, y), margin=0.5)
        >>> loss(torch.tensor([[1.0, 0.0]]), torch.tensor([[2.0, 0.0]]), torch.tensor([[3.0, 0.0]]))
        tensor(0.5000)
    """

    __constants__ = ["margin", "swap", "reduction"]
    margin: float
    swap: bool

    def __init__(
        self, *, distance_function: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] | None = None,
        margin: float = 1.0, swap: bool = False, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(reduction=reduction)
        _check_margin("TripletMarginWithDistanceLoss", margin)
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: torch.Tensor, positive: torch.Tensor, negative: torch.Tensor) -> torch.Tensor:
        """Returns the loss of `anchor`, `positive` and `negative`; the class documents shapes and formula."""
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin, swap=self.swap,
            reduction=self.reduction,
        )  # fmt: skip


class CTCLoss(_Loss):
    """Measures the likelihood of label sequences under unaligned log probabilities per step.

    Connectionist temporal classification: minus the logarithm of the sum, over all alignments with
    blanks between labels, of their probabilities (Graves et al. 2006). A target longer than its
    input has no alignment and an infinite loss.

    Args:
        blank (int): the class that is the blank. Default: ``0``.
        reduction (str): ``"none"``, ``"sum"``, or ``"mean"``, which divides each loss by its target
            length and takes the mean over the batch. Default: ``"mean"``.
        zero_infinity (bool): whether infinite losses and their gradients become zero. Default:
            ``False``.

    Shape:
        - log_probs: ``(T, N, C)`` or ``(T, C)``, as `log_softmax` gives them.
        - targets: ``(N, S)``, padded, or all labels end to end, ``(sum(target_lengths))``; none is
          `blank`.
        - input_lengths, target_lengths: ``(N)`` or ``()``, integers.
        - output: a scalar; ``(N)`` with ``reduction="none"``.

    Example:
        >>> log_p = torch.zeros(2, 1, 2).log_softmax(2)  # each class has probability 1/2
        >>> loss = nn.CTCLoss(reduction="none")
        >>> loss(log_p, torch.tensor([[1]]), torch.tensor([2]), torch.tensor([1]))  # -log(3/4)
        tensor([0.2877])
    """

    __constants__ = ["blank", "reduction"]
    blank: int
    zero_infinity: bool

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(
        self, log_probs: torch.Tensor, targets: torch.Tensor, input_lengths: torch.Tensor, target_lengths: torch.Tensor
    ) -> torch.Tensor:
        """Returns the loss; the class documents shapes.

        Args:
            log_probs (Tensor): log probabilities of each step.
            targets (Tensor): the labels.
            input_lengths, target_lengths (Tensor): how many steps and labels count.

        Returns:
            Tensor: the loss.
        """
        return F.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )
