"""Rows and labels, the data that rules are made of.

A row lists one valid choice for one dimension of the mesh: a placement per tensor argument and per result. Rules
describe rows by labels: each dimension of each argument and result gets a label (None: must stay complete). Dimensions
with the same label are cut together. An argument without the label is replicated. A result without it is a sum of
terms (or another reduction, `combine`).
"""

from typing import NamedTuple

from ..placement_types import Partial, Placement, Replicate, Shard


class Row(NamedTuple):
    inputs: tuple[Placement, ...]
    outputs: tuple[Placement | None, ...]


def make_replicated_row(call) -> Row:
    """Returns the row that every operator has."""
    return Row((Replicate(),) * len(call.inputs), tuple(None if out is None else Replicate() for out in call.outputs))


def placement_of_label(labels, label):
    """Returns the placement of an argument with these labels when `label` is cut."""
    return Shard(labels.index(label)) if label in labels else Replicate()


def make_rows_of_labels(call, inputs, outputs, combine=None):
    """Returns a row for each label of the arguments, and the replicated one at the end.

    Args:
        inputs, outputs: a list of labels per tensor.
        combine: the reduction that joins results without the label; None: such labels cannot be cut.
    """
    rows = []
    for label in dict.fromkeys(label for labels in (*outputs, *inputs) for label in labels or ()):
        if label is None or not any(label in labels for labels in inputs):
            continue
        made = []
        for meta, labels in zip(call.outputs, outputs, strict=True):
            if meta is None:
                made.append(None)
            elif label in labels:
                made.append(Shard(labels.index(label)))
            elif combine is not None:
                made.append(combine if isinstance(combine, Placement) else Partial(combine))
            else:
                break
        else:
            rows.append(Row(tuple(placement_of_label(labels, label) for labels in inputs), tuple(made)))
    return [*rows, make_replicated_row(call)]


def make_partial_rows(call, masks, reductions=("sum", "avg")):
    """Returns rows in which terms pass through: a mask has "p" per argument of terms, "r" per replicated one."""
    present = {placement for spec in call.specs for placement in spec.placements if type(placement) is Partial}
    return [
        Row(
            tuple(placement if letter == "p" else Replicate() for letter in mask),
            tuple(None if out is None else placement for out in call.outputs),
        )
        for mask in masks.split()
        if len(mask) == len(call.inputs)
        for placement in sorted(present, key=str)
        if placement.reduce_op in reductions
    ]


class Rule:
    """A family's rows, and how the operator runs on the pieces.

    `keeps_strided_cuts`: whether cuts in the rows can be strided ones, because dimensions with one label have one size.
    """

    keeps_strided_cuts = True

    def list_placement_rows(self, call, mesh_dim):
        """Returns the valid rows for one dimension of the mesh, the preferred ones first."""
        raise NotImplementedError

    def compute(self, call, locals, sources, targets):
        """Returns the operator's results on this rank's pieces."""
        args, kwargs = self.localize_arguments(call, locals, sources, targets)
        return call.func(*args, **kwargs)

    def localize_arguments(self, call, locals, sources, targets):
        """Returns the arguments with this rank's pieces in place of tensors."""
        leaves = list(call.leaves)
        for index, local in zip(call.places, locals):
            leaves[index] = local
        return call.rebuild_arguments(leaves)


class Labelled(Rule):
    """A rule by labels: `label(call)` returns those of the arguments and those of the results."""

    def __init__(self, label, combine=None, masks="", reductions=("sum", "avg")):
        self.label, self.combine, self.masks, self.reductions = label, combine, masks, reductions

    def list_placement_rows(self, call, mesh_dim):
        inputs, outputs = self.label(call)
        combine = self.combine(call) if callable(self.combine) else self.combine
        return make_rows_of_labels(call, inputs, outputs, combine) + make_partial_rows(
            call, self.masks, self.reductions
        )
