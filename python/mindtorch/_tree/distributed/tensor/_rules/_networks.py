"""Operators of neural networks: normalisation, losses, embedding, attention."""

from ...._root import torch
from ... import _functional_collectives as collectives
from .._layout import is_shard_placement, intervals_on_rank
from ..placement_types import Partial, Replicate, Shard
from ._pointwise import broadcast_labels, label_broadcast_dims as pointwise_label
from ._rows import Labelled, Row, Rule, make_replicated_row, make_rows_of_labels


def _label_layer_norm(call):
    leading = len(call.inputs[0].shape) - len(call["normalized_shape"])
    return [_label_leading_dims(meta, leading) for meta in call.inputs], [
        meta and _label_leading_dims(meta, leading) for meta in call.outputs
    ]


def _label_leading_dims(meta, count):
    """Returns labels of the first dimensions; none for weights, which have only the last ones."""
    ndim = len(meta.shape)
    return [dim if dim < count else None for dim in range(ndim)]


class _Normalisation(Rule):
    """Rows of the leading dimensions; gradients of the weights are terms."""

    def list_placement_rows(self, call, mesh_dim):
        count = len(call.inputs[0].shape) - len(call["normalized_shape"])
        full = len(call.inputs[0].shape)

        def labels_of_tensor(meta):
            return (
                [dim if dim < count else None for dim in range(full)]
                if len(meta.shape) == full
                else [None] * len(meta.shape)
            )

        return make_rows_of_labels(
            call,
            [labels_of_tensor(meta) for meta in call.inputs],
            [meta and labels_of_tensor(meta) for meta in call.outputs],
            "sum",
        )


class _Loss(Rule):
    """A loss of each element; 1 is the mean of all, 2 their sum."""

    def list_placement_rows(self, call, mesh_dim):
        inputs, outputs = pointwise_label(call)
        reduction = call["reduction"]
        if not reduction:
            return make_rows_of_labels(call, inputs, outputs)
        return make_rows_of_labels(
            call, inputs, [[]], "sum" if reduction == 2 or not _has_equal_shards_on_all_ranks(call) else "avg"
        )

    def compute(self, call, locals, sources, targets):
        args, kwargs = self.localize_arguments(call, locals, sources, targets)
        if call["reduction"] == 1 and any(p.is_partial("sum") for p in targets[0]):
            position = [argument.name for argument in call.func._schema.arguments].index("reduction")
            args = [*args[:position], 2, *args[position + 1 :]]
            return call.func(*args, **kwargs) / call.inputs[0].shape.numel()
        return call.func(*args, **kwargs)


def _has_equal_shards_on_all_ranks(call):
    """Returns whether all ranks have pieces of one size, so that the mean of means is the mean."""
    count = call.mesh.size()
    return all(
        not meta.shape[placement.dim] % count
        for meta, spec in zip(call.inputs, call.specs)
        for placement in spec.placements
        if is_shard_placement(placement)
    )


class _LossBackward(Rule):
    """The gradient of a loss of each element; the mean divides by the global number of elements."""

    def list_placement_rows(self, call, mesh_dim):
        return make_rows_of_labels(call, *pointwise_label(call))

    def compute(self, call, locals, sources, targets):
        args, kwargs = self.localize_arguments(call, locals, sources, targets)
        if call["reduction"] != 1:
            return call.func(*args, **kwargs)
        position = [argument.name for argument in call.func._schema.arguments].index("reduction")
        args = [*args[:position], 2, *args[position + 1 :]]
        return call.func(*args, **kwargs) / call.inputs[1].shape.numel()


def _all_reduce_over_sharding_mesh_dims(tensor, call, placements):
    """Returns the sum over the dimensions of the mesh that cut a tensor."""
    for mesh_dim, placement in enumerate(placements):
        if is_shard_placement(placement):
            tensor = collectives.all_reduce(tensor, "sum", (call.mesh, mesh_dim))
    return tensor


class _NegativeLogLikelihood(Rule):
    """Losses of samples; a mean divides by the weight of all ranks' samples."""

    def list_placement_rows(self, call, mesh_dim):
        inputs, target = _label_samples(call)
        weight = [[None]] * (len(call.inputs) - 2)
        outputs = [target if call["reduction"] == 0 else [], []]
        rows = []
        for row in make_rows_of_labels(call, [inputs, target, *weight], outputs, "sum"):
            rows.append(Row(row.inputs, (row.outputs[0], Replicate())))
        return rows

    def compute(self, call, locals, sources, targets):
        args, kwargs = self.localize_arguments(call, locals, sources, targets)
        if call["reduction"] == 0 or not any(map(is_shard_placement, sources[1])):
            return call.func(*args, **kwargs)
        loss, weight = call.func(*args[:3], 2, *args[4:], **kwargs)
        weight = _all_reduce_over_sharding_mesh_dims(weight, call, sources[1])
        return (loss / weight if call["reduction"] == 1 else loss), weight


class _NegativeLogLikelihoodBackward(Rule):
    def list_placement_rows(self, call, mesh_dim):
        inputs, target = _label_samples(call, 1)
        others = [[None] * len(meta.shape) for meta in call.inputs[3:]]
        gradient = target if call.inputs[0].shape else []
        return make_rows_of_labels(call, [gradient, inputs, target, *others], [inputs])


def _label_samples(call, first=0):
    """Returns labels of the scores, whose classes stay complete, and of the targets."""
    ndim = len(call.inputs[first].shape)
    classes = 0 if ndim == 1 else 1
    labels = [None if dim == classes else dim for dim in range(ndim)]
    return labels, [label for dim, label in enumerate(labels) if dim != classes]


class _Embedding(Rule):
    """A rank with some rows of the table adds terms: zeros for the indices of other ranks' rows."""

    def list_placement_rows(self, call, mesh_dim):
        ndim = len(call.inputs[1].shape)
        indices = list(range(ndim))
        rows = make_rows_of_labels(call, [[None, "e"], indices], [[*indices, "e"]])
        return [*rows, Row((Shard(0), Replicate()), (Partial(),))]

    def compute(self, call, locals, sources, targets):
        weight, indices = locals
        if not any(is_shard_placement(placement) and placement.dim == 0 for placement in sources[0]):
            return super().compute(call, locals, sources, targets)
        found, outside = _to_local_indices(call, indices, call.inputs[0].shape[0], sources[0])
        if not weight.size(0):
            return weight.new_zeros((*indices.shape, weight.size(1)))
        return torch.embedding(weight, found).masked_fill_(outside.unsqueeze(-1), 0)


def _to_local_indices(call, indices, size, placements):
    """Returns indices of this rank's rows, 0 for other ranks' rows, and which those are."""
    found, outside, passed = torch.zeros_like(indices), torch.ones_like(indices, dtype=torch.bool), 0
    for start, stop in intervals_on_rank(size, 0, call.mesh.shape, placements, call.mesh.get_coordinate()):
        inside = (indices >= start) & (indices < stop)
        found = torch.where(inside, indices - start + passed, found)
        outside &= ~inside
        passed += stop - start
    return found, outside


class _EmbeddingBackward(Rule):
    def list_placement_rows(self, call, mesh_dim):
        ndim = len(call.inputs[1].shape)
        indices = list(range(ndim))
        rows = make_rows_of_labels(call, [[*indices, "e"], indices], [[None, "e"]], "sum")
        return rows


class _Attention(Rule):
    """Attention of separate samples and heads."""

    def list_placement_rows(self, call, mesh_dim):
        batch, heads = call.inputs[0].shape[:2]

        def labels_of_tensor(meta):
            shape = meta.shape
            found = [None] * len(shape)
            if len(shape) == 4:
                if shape[0] == batch:
                    found[0] = "b"
                if shape[1] == heads:
                    found[1] = "h"
            elif len(shape) == 3:  # sums of a head: batch, heads and queries in the order of the kernel
                order = _find_batch_and_head_dims_of_logsumexp(call)
                found[order[0]], found[order[1]] = "b", "h"
            return found

        return make_rows_of_labels(
            call,
            [labels_of_tensor(meta) for meta in call.inputs],
            [meta and labels_of_tensor(meta) for meta in call.outputs],
        )


def _find_batch_and_head_dims_of_logsumexp(call):
    """Returns where the log-sums have batch and heads."""
    batch, heads, length = call.inputs[0].shape[:3]
    for meta in (*call.outputs, *call.inputs):
        if meta is not None and len(meta.shape) == 3:
            return (0, 1) if tuple(meta.shape) == (batch, heads, length) else (0, 2)
    return (0, 1)


def _is_ungrouped_convolution(call):
    return call["groups"] == 1


def _label_convolution(call):
    """Labels samples and output channels of ungrouped convolutions; positions and input channels stay complete."""
    images, weight, *bias = (meta.shape for meta in call.inputs)
    if len(images) != len(weight):
        return [[None] * len(meta.shape) for meta in call.inputs], [[None] * len(meta.shape) for meta in call.outputs]
    channel = "o" if _is_ungrouped_convolution(call) else None
    rest = [None] * (len(images) - 2)
    return [["b", None, *rest], [channel, None, *rest], *([channel] for _ in bias)], [["b", channel, *rest]]


def _label_convolution_backward(call):
    """The gradients of weight and bias are terms of a sum over samples."""
    gradient, images, weight = (meta.shape for meta in call.inputs[:3])
    rest = [None] * (len(images) - 2)
    channel = "o" if _is_ungrouped_convolution(call) else None
    outputs = [["b", None, *rest], [channel, None, *rest], [channel]]
    return [["b", channel, *rest], ["b", None, *rest], [channel, None, *rest]], [
        meta and labels for meta, labels in zip(call.outputs, outputs)
    ]


def _label_images(call):
    """Labels samples and channels of images."""
    samples, channels = call.inputs[0].shape[:2]

    def labels_of_tensor(meta):
        shape = meta.shape
        if len(shape) < 3 or tuple(shape[:2]) != (samples, channels):
            return [None] * len(shape)
        return ["b", "c", *[None] * (len(shape) - 2)]

    return [labels_of_tensor(meta) for meta in call.inputs], [meta and labels_of_tensor(meta) for meta in call.outputs]


def _label_channels(call):
    """Labels the channels that are normalised separately, in images and in vectors with an element per channel."""

    def labels_of_tensor(meta):
        ndim = len(meta.shape)
        return ["c" if dim == min(1, ndim - 1) else None for dim in range(ndim)] if meta.shape.numel() else [None]

    return [labels_of_tensor(meta) for meta in call.inputs], [meta and labels_of_tensor(meta) for meta in call.outputs]


class _GroupNorm(Rule):
    """Samples are normalised separately; the gradients of the weights are terms. `N` counts the rank's samples."""

    def list_placement_rows(self, call, mesh_dim):
        samples = call["N"]

        def labels_of_tensor(meta):
            ndim = len(meta.shape)
            return ["b" if dim == 0 and ndim > 1 and meta.shape[0] == samples else None for dim in range(ndim)]

        return make_rows_of_labels(
            call,
            [labels_of_tensor(meta) for meta in call.inputs],
            [meta and labels_of_tensor(meta) for meta in call.outputs],
            "sum",
        )

    def localize_arguments(self, call, locals, sources, targets):
        args, kwargs = super().localize_arguments(call, locals, sources, targets)
        position = [argument.name for argument in call.func._schema.arguments].index("N")
        return [*args[:position], locals[0].size(0), *args[position + 1 :]], kwargs


POOLING = """
avg_pool2d avg_pool3d max_pool2d_with_indices max_pool3d_with_indices _adaptive_avg_pool2d _adaptive_avg_pool3d
adaptive_max_pool2d adaptive_max_pool3d upsample_nearest2d upsample_bilinear2d
"""

ELEMENT_LOSSES = (
    "mse_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits soft_margin_loss"
)

RULES = {
    "native_layer_norm": _Normalisation(),
    "native_layer_norm_backward": _Normalisation(),
    "_fused_rms_norm": _Normalisation(),
    "_fused_rms_norm_backward": _Normalisation(),
    "nll_loss_forward": _NegativeLogLikelihood(),
    "nll_loss2d_forward": _NegativeLogLikelihood(),
    "nll_loss_backward": _NegativeLogLikelihoodBackward(),
    "nll_loss2d_backward": _NegativeLogLikelihoodBackward(),
    "native_batch_norm": Labelled(_label_channels),
    "native_batch_norm_backward": Labelled(_label_channels),
    "native_group_norm": _GroupNorm(),
    "native_group_norm_backward": _GroupNorm(),
    "convolution": Labelled(_label_convolution),
    "convolution_backward": Labelled(_label_convolution_backward, combine="sum"),
    "embedding": _Embedding(),
    "embedding_dense_backward": _EmbeddingBackward(),
    "_scaled_dot_product_flash_attention_for_cpu": _Attention(),
    "_scaled_dot_product_flash_attention_for_cpu_backward": _Attention(),
}
RULES.update({name: _Loss() for name in ELEMENT_LOSSES.split()})
RULES.update({f"{name}_backward": _LossBackward() for name in ELEMENT_LOSSES.split()})
for _name in POOLING.split():
    RULES[_name] = Labelled(_label_images)
    RULES[f"{_name}_backward"] = Labelled(_label_images)
