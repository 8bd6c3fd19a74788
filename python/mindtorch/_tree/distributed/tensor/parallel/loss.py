"""loss_parallel: cross entropy whose classes are on different ranks, without gathering the scores."""

import contextlib

from ...._root import torch
from ... import _functional_collectives as collectives
from .. import _rules
from .._layout import intervals_on_rank
from .._rules._rows import Row, Rule
from ..placement_types import Replicate

__all__ = ["loss_parallel"]


@contextlib.contextmanager
def loss_parallel():
    """Inside the block, ``cross_entropy`` and its gradient keep scores that are cut along the classes.

    The scores are a DTensor of which exactly one dimension of the mesh cuts the classes, the targets are replicated.
    Backward has to run inside the block too.

    Returns:
        context manager: the block.

    Raises:
        ValueError: in the loss, when no dimension of the mesh or several cut the classes.

    Example:
        >>> with torch.distributed.tensor.parallel.loss_parallel():
        ...     pass
    """
    before = dict(_rules.replaced)
    _rules.replaced.update(_RULES)
    try:
        yield
    finally:
        _rules.replaced.clear()
        _rules.replaced.update(before)


def _find_mesh_dim_of_classes(spec, dim):
    """Returns the dimension of the mesh that cuts the classes."""
    dim %= spec.ndim
    found = [index for index, placement in enumerate(spec.placements) if placement.is_shard(dim)]
    if len(found) != 1:
        raise ValueError(
            f"loss_parallel() requires exactly one mesh dim to shard tensor dimension {dim}, but got placements "
            f"{spec.placements} with {len(found)} such mesh dim(s)."
        )
    return found[0]


class _OfClasses(Rule):
    """Scores keep their placements; everything else is replicated."""

    def __init__(self, scores, dim, results):
        self.scores, self.dim, self.keeps = scores, dim, results

    def list_placement_rows(self, call, mesh_dim):
        spec = call.specs[self.scores]
        _find_mesh_dim_of_classes(spec, self._read_class_dim(call))
        now = spec.placements[mesh_dim]
        inputs = [now if meta.shape == spec.shape else Replicate() for meta in call.inputs]
        outputs = [now if self.keeps else Replicate() for _ in call.outputs]
        return [Row(tuple(inputs), tuple(outputs))]

    def _read_class_dim(self, call):
        return call["dim"] if self.dim is None else min(self.dim, call.specs[self.scores].ndim - 1)

    def group_of_class_shards(self, call):
        """Returns the group of ranks that share the scores of a sample."""
        return call.mesh, _find_mesh_dim_of_classes(call.specs[self.scores], self._read_class_dim(call))

    def localize_targets(self, call, target):
        """Returns the targets' indices among this rank's classes, and which targets are there."""
        spec, dim = call.specs[self.scores], self._read_class_dim(call)
        found = torch.zeros_like(target)
        (interval,) = intervals_on_rank(
            spec.shape[dim], dim, call.mesh.shape, spec.placements, call.mesh.get_coordinate()
        ) or [(0, 0)]
        inside = (target >= interval[0]) & (target < interval[1])
        return torch.where(inside, target - interval[0], found).unsqueeze(dim), inside


class _LogSoftmax(_OfClasses):
    def compute(self, call, locals, sources, targets):
        scores, dim, group = locals[0], self._read_class_dim(call), self.group_of_class_shards(call)
        if call["half_to_float"]:
            scores = scores.float()
        if scores.size(dim):
            largest = scores.amax(dim, keepdim=True)
        else:
            shape = list(scores.shape)
            shape[dim] = 1
            largest = scores.new_full(shape, float("-inf"))
        shifted = scores - collectives.all_reduce(largest, "max", group)
        return shifted - collectives.all_reduce(shifted.exp().sum(dim, keepdim=True), "sum", group).log()


class _LogSoftmaxBackward(_OfClasses):
    def compute(self, call, locals, sources, targets):
        gradient, output, *out = locals
        total = collectives.all_reduce(
            gradient.sum(self._read_class_dim(call), keepdim=True), "sum", self.group_of_class_shards(call)
        )
        result = (gradient - output.exp() * total).to(call["input_dtype"])
        return out[0].copy_(result) if out else result


def _weights_of_targets(call, target, weight):
    """Returns the weight of each target: zero for ignored ones."""
    counted = target != call["ignore_index"]
    if weight is None:
        return counted
    return torch.where(counted, weight[torch.where(counted, target, 0)], 0)


class _Likelihood(_OfClasses):
    """Each rank has the losses of the targets among its classes."""

    def compute(self, call, locals, sources, targets):
        scores, target, *weight = locals
        index, inside = self.localize_targets(call, target)
        dim = self._read_class_dim(call)
        weights = _weights_of_targets(call, target, weight[0] if weight else None).to(scores.dtype)
        if scores.size(dim):
            found = torch.where(inside, scores.gather(dim, index).squeeze(dim), 0)
        else:
            found = torch.zeros_like(weights)
        losses = -collectives.all_reduce(found, "sum", self.group_of_class_shards(call)) * weights
        if call["reduction"] == 0:
            return losses, scores.new_zeros(())
        total = weights.sum()
        return losses.sum() / total if call["reduction"] == 1 else losses.sum(), total


class _LikelihoodBackward(_OfClasses):
    def compute(self, call, locals, sources, targets):
        gradient, scores, target, *rest = locals
        total, weight = rest[-1], rest[0] if len(rest) == 2 else None
        index, inside = self.localize_targets(call, target)
        dim = self._read_class_dim(call)
        if call["reduction"] == 1:
            gradient = gradient / total
        values = -(_weights_of_targets(call, target, weight) * inside * gradient).to(scores.dtype)
        if not scores.size(dim):
            return torch.zeros_like(scores)
        return torch.zeros_like(scores).scatter_(dim, index, values.unsqueeze(dim))


_RULES = {
    "_log_softmax": _LogSoftmax(0, None, True),
    "_log_softmax_backward_data": _LogSoftmaxBackward(1, None, True),
    "nll_loss_forward": _Likelihood(0, 1, False),
    "nll_loss2d_forward": _Likelihood(0, 1, False),
    "nll_loss_backward": _LikelihoodBackward(1, 1, True),
    "nll_loss2d_backward": _LikelihoodBackward(1, 1, True),
}
