"""Operators that reduce dimensions: the reduction of a cut dimension is a term of the result."""

from ..placement_types import Partial, _NormPartial
from . import _pointwise
from ._rows import Labelled, Rule, make_partial_rows, make_rows_of_labels

# How to combine the results of ranks that each reduce a shard; "" if the reduced dimension must not be sharded.
JOINED = {
    "sum": "sum", "nansum": "sum", "count_nonzero": "sum", "mean": "avg", "prod": "product", "amax": "max",
    "amin": "min", "max": "max", "min": "min", "any": "sum", "all": "product", "linalg_vector_norm": "norm",
    "argmax": "", "argmin": "", "var": "", "std": "", "var_mean": "", "std_mean": "", "logsumexp": "", "aminmax": "",
    "median": "", "nanmedian": "", "mode": "", "kthvalue": "", "nanmean": "", "norm": "",
}  # fmt: skip
# Kinds of Partial that a reduction preserves: sums are linear, and the largest of all maxima is the maximum.
TERMS = {
    "sum": ("sum", "avg"), "mean": ("sum", "avg"), "amax": ("max",), "amin": ("min",), "max": ("max",), "min": ("min",),
}  # fmt: skip


def label_reduction_dims(call):
    """Labels the dimensions; the results have those that are not reduced."""
    ndim = len(call.inputs[0].shape)
    name = next((name for name in ("dim", "dims") if call.has(name)), None)
    reduced = call.dims(name) if name else list(range(ndim))
    labels = [list(range(ndim))]
    outputs = []
    for meta in call.outputs:
        kept = [dim for dim in range(ndim) if dim not in reduced]
        outputs.append([None if dim in reduced else dim for dim in range(ndim)] if len(meta.shape) == ndim else kept)
    return labels, outputs


class _Reduction(Rule):
    def __init__(self, name):
        self.name, self.joined = name, JOINED[name]

    def list_placement_rows(self, call, mesh_dim):
        if self.name in ("max", "min") and len(call.inputs) == 2:
            return _pointwise.RULES["maximum"].list_placement_rows(call, mesh_dim)
        inputs, outputs = label_reduction_dims(call)
        terms = make_partial_rows(call, "p", TERMS.get(self.name, ())) if len(call.outputs) == 1 else []
        return make_rows_of_labels(call, inputs, outputs, self._choose_combining_placement(call, mesh_dim)) + terms

    def _choose_combining_placement(self, call, mesh_dim):
        if len(call.outputs) != 1 or not self.joined:
            return None
        if self.joined == "norm":
            return _NormPartial(norm_type=call["ord"])
        if self.joined == "avg" and any(size % call.specs[0].mesh.size() for size in _reduced_sizes(call)):
            return None
        return Partial(self.joined)


def _reduced_sizes(call):
    """Returns the sizes of the reduced dimensions that are cut."""
    cut = {placement.dim for placement in call.specs[0].placements if hasattr(placement, "dim")}
    reduced = call.dims("dim") if call.has("dim") else range(len(call.inputs[0].shape))
    return [call.inputs[0].shape[dim] for dim in reduced if dim in cut]


RULES = {name: _Reduction(name) for name in JOINED}
