"""Operators that make a tensor like another one."""

from ...._prims_common import make_contiguous_strides_for
from .._layout import local_shape
from ..placement_types import Partial, Replicate
from ._pointwise import label_broadcast_dims
from ._rows import Labelled, Row, Rule, make_replicated_row

LIKE = "empty_like full_like ones_like rand_like randn_like randint_like".split()
NEW = "new_empty new_empty_strided new_full new_ones new_zeros".split()


class _New(Rule):
    """A tensor of the argument's shape gets its placements, another one is replicated."""

    def list_placement_rows(self, call, mesh_dim):
        now = call.specs[0].placements[mesh_dim]
        rows = [Row((now,), (Replicate(),))]
        fills_terms = call.func._schema.name in ("aten::new_ones", "aten::new_full")
        if call.outputs[0].shape == call.inputs[0].shape and not (fills_terms and isinstance(now, Partial)):
            rows.insert(0, Row((now,), (now,)))
        return rows

    def localize_arguments(self, call, locals, sources, targets):
        args, kwargs = super().localize_arguments(call, locals, sources, targets)
        size = local_shape(call.outputs[0].shape, call.mesh, targets[0])
        args = [args[0], size, *args[2:]]
        if call.func._schema.name == "aten::new_empty_strided" and size != tuple(call.outputs[0].shape):
            args[2] = make_contiguous_strides_for(size)
        return args, kwargs


class _Like(Labelled):
    """The result has the argument's placements; its elements are no terms."""

    def list_placement_rows(self, call, mesh_dim):
        now = call.specs[0].placements[mesh_dim]
        return [Row((now,), (Replicate() if isinstance(now, Partial) else now,)), make_replicated_row(call)]


RULES = {name: _New() for name in NEW} | {name: _Like(label_broadcast_dims) for name in LIKE}
