"""Softmax over many classes of uneven frequency."""

from collections import namedtuple
from itertools import pairwise
from collections.abc import Sequence

from ..._root import torch
from .. import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


def _are_valid_cutoffs(cutoffs, n_classes):
    rising = all(low < high for low, high in pairwise(cutoffs))
    return rising and cutoffs[0] > 0 and cutoffs[-1] <= n_classes - 1 and all(int(c) == c for c in cutoffs)


class AdaptiveLogSoftmaxWithLoss(Module):
    """Approximates the softmax over very many classes: frequent ones in a head, rare ones in clusters.

    The head scores the classes below ``cutoffs[0]`` and one entry per cluster; cluster `i`
    projects the input to ``in_features // div_value^(i + 1)`` features and scores its own
    classes. Classes are to be sorted by falling frequency (Grave et al. 2016, "Efficient
    softmax approximation for GPUs").

    Args:
        in_features (int): size of the input.
        n_classes (int): number of classes.
        cutoffs (sequence of int): where clusters begin, rising, from 1 to ``n_classes - 1``.
        div_value (float): by how much each cluster is narrower than the one before. Default:
            ``4.0``.
        head_bias (bool): whether the head has a bias. Default: ``False``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(N, in_features)`` or ``(in_features,)``.
        - target: ``(N)`` or ``()``, int64, from 0 to ``n_classes - 1``.
        - output: a named tuple: `output` ``(N)`` or ``()``, log probabilities of the targets, and
          `loss`, minus their mean.

    Attributes:
        head (Linear): scores of the frequent classes and the clusters.
        tail (ModuleList): two linear layers per cluster.

    Raises:
        ValueError: for cutoffs that do not rise or are out of range.

    Example:
        >>> layer = nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs=[4, 10])
        >>> result = layer(torch.randn(5, 8), torch.tensor([0, 3, 5, 11, 19]))
        >>> result.output.shape, torch.allclose(result.loss, -result.output.mean())
        (torch.Size([5]), True)
        >>> layer.log_prob(torch.randn(5, 8)).shape
        torch.Size([5, 20])
    """

    in_features: int
    n_classes: int
    cutoffs: list[int]
    div_value: float
    head_bias: bool
    head: Linear
    tail: ModuleList

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device=None,
        dtype=None,
    ) -> None:
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if not _are_valid_cutoffs(cutoffs, n_classes):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1"
            )
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, [*cutoffs, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        # The head scores the frequent classes, and each cluster of other classes as one.
        self.shortlist_size, self.n_clusters = cutoffs[0], len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, **factory)
        self.tail = ModuleList()
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            rank = int(in_features // (div_value ** (i + 1)))
            self.tail.append(
                Sequential(
                    Linear(in_features, rank, bias=False, **factory),
                    Linear(rank, high - low, bias=False, **factory),
                )
            )

    def reset_parameters(self) -> None:
        """Samples new weights for head and clusters, as `Linear` does."""
        self.head.reset_parameters()
        for narrow, wide in self.tail:
            narrow.reset_parameters()
            wide.reset_parameters()

    @staticmethod
    def _check_shapes(input, target):
        rank = target.dim()
        if rank == 1:
            if input.size(0) != target.size(0):
                raise RuntimeError("Input and target should have the same size in the batch dimension.")
            if input.dim() != 2:
                raise RuntimeError(
                    f"1D target tensor expects 2D input tensors, but found inputs with size {input.size()}"
                )
        elif rank == 0:
            if input.dim() != 1:
                raise RuntimeError(
                    f"0D target tensor expects 1D input tensors, but found inputs with size {input.size()}"
                )
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        return rank > 0

    def forward(self, input_: torch.Tensor, target_: torch.Tensor) -> _ASMoutput:
        """Computes the log probability of each target and their negative mean.

        Args:
            input_ (Tensor): ``(N, in_features)`` or ``(in_features,)``.
            target_ (Tensor): ``(N)`` or ``()``, int64.

        Returns:
            named tuple: `output`, the log probabilities, and `loss`, a scalar.

        Raises:
            RuntimeError: when a target is out of range or the shapes do not fit.
        """
        batched = self._check_shapes(input_, target_)
        input = input_ if batched else input_.unsqueeze(0)
        target = target_ if batched else target_.unsqueeze(0)

        batch = target.size(0)
        output = input.new_zeros(batch)
        head_columns = target.new_empty(batch)
        found = 0
        for i, (low, high) in enumerate(pairwise([0, *self.cutoffs])):
            inside = (target >= low) & (target < high)
            rows = inside.nonzero().squeeze()
            if rows.numel() == 0:
                continue
            found += rows.numel()
            if i == 0:
                head_columns.index_copy_(0, rows, target[inside])
                continue
            head_columns.index_fill_(0, rows, self.shortlist_size + i - 1)
            scores = self.tail[i - 1](input.index_select(0, rows))
            within = (target[inside] - low).unsqueeze(1)
            log_p = F.log_softmax(scores, dim=1).gather(1, within)
            output.index_copy_(0, rows, log_p.squeeze(1))
        if found != batch:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], "
                f"but values in range [{target.min().item()}, {target.max().item()}] "
                "were found. "
            )
        head_log_p = F.log_softmax(self.head(input), dim=1)
        output += head_log_p.gather(1, head_columns.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _get_full_log_prob(self, input, head_output):
        shortlist, clusters = head_output.log_softmax(1).split([self.shortlist_size, self.n_clusters], dim=1)
        # The probability of a class in a cluster is the cluster's times that of the class within it.
        within = [scores(input).log_softmax(1) + clusters[:, i, None] for i, scores in enumerate(self.tail)]
        return torch.cat([shortlist, *within], dim=1).to(input.dtype)

    def log_prob(self, input: torch.Tensor) -> torch.Tensor:
        """Returns the log probabilities of all classes for `input`, ``(N, in_features)``, as ``(N, n_classes)``."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: torch.Tensor) -> torch.Tensor:
        """Returns the likeliest class of each row of `input`, ``(N, in_features)``, as ``(N)``.

        Equal to ``log_prob(input).argmax(1)``; scores a cluster only for rows for which the head selects it.
        """
        head_output = self.head(input)
        best = torch.argmax(head_output, dim=1)
        in_cluster = best >= self.shortlist_size
        if not in_cluster.any():
            return best
        if in_cluster.all():
            return torch.argmax(self._get_full_log_prob(input, head_output), dim=1)
        full = self._get_full_log_prob(input[in_cluster], head_output[in_cluster])
        best[in_cluster] = torch.argmax(full, dim=1)
        return best
