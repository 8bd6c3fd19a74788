"""Operators that change shapes, and take or join parts."""

import math

from .._layout import is_shard_placement, local_shape
from ..placement_types import Shard, _StridedShard
from ._rows import Labelled, Row, Rule, make_partial_rows, make_rows_of_labels


def _make_dim_order_rule(order):
    """A rule by the order of the argument's dimensions in the result."""

    def label_dims(call):
        ndim = len(call.inputs[0].shape)
        return [list(range(ndim))], [order(call, ndim)]

    return Labelled(label_dims, masks="p")


def _dim_order_of_transpose(call, ndim):
    dims = list(range(ndim))
    if ndim:
        first, second = call["dim0"] % ndim, call["dim1"] % ndim
        dims[first], dims[second] = dims[second], dims[first]
    return dims


def _dim_order_with_new_dim(call, ndim):
    dim = call["dim"] % (ndim + 1)
    return [*range(dim), None, *range(dim, ndim)]


def _dim_order_without_dim(call, ndim):
    dim = call["dim"] % ndim
    return [other for other in range(ndim) if other != dim]


def _label_all_dims_but(call, *dims, ndim=None):
    """Returns labels without those of some dimensions."""
    ndim = len(call.inputs[0].shape) if ndim is None else ndim
    return [None if dim in dims else dim for dim in range(ndim)]


def _label_select(call):
    ndim = len(call.inputs[0].shape)
    dim = call["dim"] % ndim
    return [_label_all_dims_but(call, dim)], [_dim_order_without_dim(call, ndim)] * len(call.outputs)


def _label_split(call):
    labels = _label_all_dims_but(call, *call.dims())
    return [labels], [labels] * len(call.outputs)


def _label_slice(call):
    dim = call["dim"] % len(call.inputs[0].shape)
    same = call.inputs[0].shape == call.outputs[0].shape
    labels = list(range(len(call.inputs[0].shape))) if same else _label_all_dims_but(call, dim)
    return [labels] * len(call.inputs), [labels]


def _label_select_scatter(call):
    ndim = len(call.inputs[0].shape)
    dim = call["dim"] % ndim
    return [_label_all_dims_but(call, dim), _dim_order_without_dim(call, ndim)], [_label_all_dims_but(call, dim)]


def _label_cat(call):
    ndim = len(call.outputs[0].shape)
    labels = _label_all_dims_but(call, call["dim"] % ndim, ndim=ndim)
    return [labels if len(meta.shape) == ndim else [None] * len(meta.shape) for meta in call.inputs], [labels]


def _label_stack(call):
    ndim = len(call.inputs[0].shape)
    return [list(range(ndim))] * len(call.inputs), [_dim_order_with_new_dim(call, ndim)]


class _Joined(Labelled):
    def list_placement_rows(self, call, mesh_dim):
        inputs, outputs = self.label(call)
        return make_rows_of_labels(call, inputs, outputs) + make_partial_rows(call, "p" * len(call.inputs))


def _label_index_select(call):
    ndim = len(call.inputs[0].shape)
    dim = call["dim"] % max(ndim, 1)
    index = ["i"] if call.inputs[1].shape else []
    result = _label_all_dims_but(call, dim)
    if result:
        result[dim] = "i" if index else None
    return [_label_all_dims_but(call, dim), index], [result]


def _label_index(call):
    """Labels of `index`: the dimensions without an index, and those of the indices."""
    indices = call["indices"]
    places = [dim for dim, index in enumerate(indices) if index is not None]
    shape = call.inputs[0].shape
    count = max(meta.ndim for meta in (indices[dim] for dim in places))
    boolean = any(str(indices[dim].dtype) in ("torch.bool", "torch.uint8") for dim in places)
    own = [None if dim in places else dim for dim in range(len(shape))]
    kept = [dim for dim in range(len(shape)) if dim not in places]
    if boolean:
        return None
    new = [f"i{number}" for number in range(count)]
    sizes = [
        max(indices[dim].shape[number - count] for dim in places if indices[dim].ndim >= count - number)
        for number in range(count)
    ]
    adjacent = places == list(range(places[0], places[-1] + 1))
    before = [dim for dim in kept if dim < places[0]] if adjacent else []
    result = [*before, *new, *(dim for dim in kept if dim not in before)]
    of_indices = []
    for dim in places:
        index = indices[dim]
        first = count - index.ndim
        of_indices.append(
            [
                new[first + number] if index.shape[number] == sizes[first + number] else None
                for number in range(index.ndim)
            ]
        )
    return own, of_indices, result


class _Index(Rule):
    def list_placement_rows(self, call, mesh_dim):
        own, of_indices, result = _label_index(call) or ([None] * len(call.inputs[0].shape), None, None)
        if result is None:
            return make_rows_of_labels(call, [[None]] * len(call.inputs), [[None]])
        return make_rows_of_labels(call, [own, *of_indices], [result])


class _IndexPut(Rule):
    """The values follow the dimensions that have no index."""

    def list_placement_rows(self, call, mesh_dim):
        found = _label_index(call)
        if found is None:
            return self._rows_for_mask_indices(call)
        own, of_indices, result = found
        values = call.inputs[-1].shape
        kept = [label if not isinstance(label, str) else None for label in result][len(result) - len(values) :]
        kept = [
            label if label is not None and size == call.inputs[0].shape[label] else None
            for label, size in zip(kept, values)
        ]
        return make_rows_of_labels(call, [own, *([None] * len(labels) for labels in of_indices), kept], [own])

    def _rows_for_mask_indices(self, call):
        """Returns rows for masks; one value for the elements of a mask of the complete shape needs no others."""
        own, *masks, value = (meta.shape for meta in call.inputs)
        if masks == [own] and not value:
            labels = list(range(len(own)))
            return make_rows_of_labels(call, [labels, labels, []], [labels])
        return make_rows_of_labels(call, [[None] * len(meta.shape) for meta in call.inputs], [[None] * len(own)])


def _label_repeat(call):
    repeats, ndim = call["repeats"], len(call.inputs[0].shape)
    extra = len(repeats) - ndim
    labels = [dim if repeats[extra + dim] == 1 else None for dim in range(ndim)]
    return [labels], [[None] * extra + labels]


def _label_padding(call):
    pad, ndim = call["pad"], len(call.inputs[0].shape)
    labels = [
        dim if 2 * (ndim - 1 - dim) >= len(pad) or not any(pad[2 * (ndim - 1 - dim) : 2 * (ndim - dim)]) else None
        for dim in range(ndim)
    ]
    return [labels], [labels]


def match_dims_of_view(before, after):
    """Returns pairs of lists of dimensions of equal numbers of elements, of a view from one shape to another."""
    found, left, right = [], 0, 0
    if not math.prod(before):
        return []
    while left < len(before) or right < len(after):
        first, second, a, b = [], [], 1, 1
        while True:
            if left < len(before) and (a < b or not first or (a == b and before[left] == 1 and right == len(after))):
                a *= before[left]
                first.append(left)
                left += 1
            elif right < len(after) and (b < a or not second):
                b *= after[right]
                second.append(right)
                right += 1
            else:
                break
            if a == b and first and second:
                break
        found.append((first, second))
    return found


class _View(Rule):
    """A dimension can stay cut if it leads its group, and pieces of it are pieces of the result's leading dimension."""

    keeps_strided_cuts = False

    def list_placement_rows(self, call, mesh_dim):
        before, after = call.inputs[0].shape, call.outputs[0].shape
        inputs, outputs = [None] * len(before), [None] * len(after)
        for first, second in match_dims_of_view(before, after):
            first = [dim for dim in first if before[dim] > 1] or first[:1]
            second = [dim for dim in second if after[dim] > 1] or second[:1]
            if not first or not second:
                continue
            alone = len(first) == len(second) == 1
            count = self._count_ranks_along_dim(call, first[0], mesh_dim)
            if alone or not (before[first[0]] % count or after[second[0]] % count):
                inputs[first[0]], outputs[second[0]] = first[0], first[0]
        return [
            *self._list_strided_shard_rows(call, mesh_dim),
            *make_rows_of_labels(call, [inputs], [outputs]),
            *make_partial_rows(call, "p"),
        ]

    def _list_strided_shard_rows(self, call, mesh_dim):
        """Returns the row that keeps a cut of a dimension inside its group: a strided cut of the joined dimension."""
        now = call.specs[0].placements[mesh_dim]
        if not is_shard_placement(now):
            return []
        before, after = call.inputs[0].shape, call.outputs[0].shape
        first, second = next(((a, b) for a, b in match_dims_of_view(before, after) if now.dim in a), ((), ()))
        count = self._count_ranks_along_dim(call, now.dim, mesh_dim)
        if isinstance(now, Shard):
            factor = math.prod(before[dim] for dim in first if dim < now.dim)
            if len(second) == 1 and factor > 1 and not before[now.dim] % count:
                return [Row((now,), (_StridedShard(second[0], factor),))]
        elif len([dim for dim in first if before[dim] > 1]) == 1:
            second = [dim for dim in second if after[dim] > 1]
            if len(second) == 1:
                return [Row((now,), (_StridedShard(second[0], now.split_factor),))]
            for dim in second:
                factor = math.prod(after[other] for other in second if other < dim)
                if factor == now.split_factor and not after[dim] % count:
                    return [Row((now,), (Shard(dim),))]
        return []

    def _count_ranks_along_dim(self, call, dim, mesh_dim):
        count = 1
        for index, placement in enumerate(call.specs[0].placements):
            if index == mesh_dim or (is_shard_placement(placement) and placement.dim == dim):
                count *= call.mesh.size(index)
        return count

    def compute(self, call, locals, sources, targets):
        return locals[0].reshape(local_shape(call.outputs[0].shape, call.mesh, targets[0]))


class _Expand(Rule):
    def list_placement_rows(self, call, mesh_dim):
        before, after = call.inputs[0].shape, call.outputs[0].shape
        extra = len(after) - len(before)
        labels = [dim if before[dim] == after[extra + dim] else None for dim in range(len(before))]
        return make_rows_of_labels(call, [labels], [[None] * extra + labels]) + make_partial_rows(call, "p")

    def compute(self, call, locals, sources, targets):
        return locals[0].expand(local_shape(call.outputs[0].shape, call.mesh, targets[0]))


class _Squeeze(Rule):
    """Only dimensions of the global size 1 are removed."""

    def _dims_to_squeeze(self, call):
        shape = call.inputs[0].shape
        return [dim for dim in (call.dims() if call.has("dim") else range(len(shape))) if shape[dim] == 1]

    def list_placement_rows(self, call, mesh_dim):
        removed, ndim = self._dims_to_squeeze(call), len(call.inputs[0].shape)
        kept = [dim for dim in range(ndim) if dim not in removed]
        labels = [dim if dim in kept else None for dim in range(ndim)]
        return make_rows_of_labels(call, [labels], [kept]) + make_partial_rows(call, "p")

    def compute(self, call, locals, sources, targets):
        return locals[0].squeeze(tuple(self._dims_to_squeeze(call)))


class _Backward(Rule):
    """Gradients of slices: the argument `input_sizes` is that of the pieces."""

    def __init__(self, of_gradient):
        self.of_gradient = of_gradient

    def list_placement_rows(self, call, mesh_dim):
        ndim = len(call.outputs[0].shape)
        labels = _label_all_dims_but(call, call["dim"] % ndim, ndim=ndim)
        gradient = self.of_gradient(labels, call["dim"] % ndim)
        return make_rows_of_labels(call, [gradient], [labels]) + make_partial_rows(call, "p")

    def localize_arguments(self, call, locals, sources, targets):
        args, kwargs = super().localize_arguments(call, locals, sources, targets)
        return (args[0], local_shape(call.outputs[0].shape, call.mesh, targets[0]), *args[2:]), kwargs


def _label_unfold(call):
    ndim = len(call.inputs[0].shape)
    labels = _label_all_dims_but(call, call["dimension"] % ndim)
    return [labels], [[*labels, None]]


RULES = {
    "t": _make_dim_order_rule(lambda call, ndim: list(reversed(range(ndim)))),
    "transpose": _make_dim_order_rule(_dim_order_of_transpose),
    "permute": _make_dim_order_rule(lambda call, ndim: [dim % ndim for dim in call["dims"]]),
    "unsqueeze": _make_dim_order_rule(_dim_order_with_new_dim),
    "select": Labelled(_label_select, masks="p"),
    "unbind": Labelled(_label_select, masks="p"),
    "split": Labelled(_label_split, masks="p"),
    "split_with_sizes": Labelled(_label_split, masks="p"),
    "unsafe_split": Labelled(_label_split, masks="p"),
    "slice": Labelled(_label_slice, masks="p"),
    "slice_scatter": Labelled(_label_slice, masks="pp"),
    "select_scatter": Labelled(_label_select_scatter, masks="pp"),
    "slice_backward": _Backward(lambda labels, dim: labels),
    "select_backward": _Backward(lambda labels, dim: labels[:dim] + labels[dim + 1 :]),
    "cat": _Joined(_label_cat),
    "stack": _Joined(_label_stack),
    "index_select": Labelled(_label_index_select, masks="pr"),
    "index": _Index(),
    "index_put": _IndexPut(),
    "_index_put_impl": _IndexPut(),
    "repeat": Labelled(_label_repeat, masks="p"),
    "constant_pad_nd": Labelled(_label_padding),
    "unfold": Labelled(_label_unfold, masks="p"),
    "view": _View(),
    "_unsafe_view": _View(),
    "_reshape_alias": _View(),
    "reshape": _View(),
    "expand": _Expand(),
    "squeeze": _Squeeze(),
}
