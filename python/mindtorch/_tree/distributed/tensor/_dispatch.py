"""Runs operators on distributed tensors: chooses placements by the operator's rule, and calls it on the pieces."""

from ..._root import torch
from ...utils import _pytree as pytree
from ._call import Call
from ._dtensor_spec import DTensorSpec
from ._layout import is_shard_placement
from ._redistribute import redistribute
from ._rules import find_rule
from ._rules._rows import Row
from ._rules._special import SPECIAL
from .placement_types import Partial, Replicate, Shard, _StridedShard


def dispatch(func, args, kwargs):
    """Returns the results of an operator with distributed tensors among its arguments."""
    name = func._schema.name.removeprefix("aten::")
    if (special := SPECIAL.get(name)) is not None:
        return special(func, args, kwargs)
    rule = find_rule(name, func)
    if rule is None:
        if torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd"):
            result = func.decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        raise NotImplementedError(f"Operator {func} does not have a sharding strategy registered.")
    call = Call(func, args, kwargs)
    call.describe_outputs()
    return run(call, rule)


def run(call, rule):
    """Returns the results of a call by a rule."""
    written = find_written_tensors(call)
    sources, targets = choose(call, rule, written)
    moved = [
        local
        if spec.placements == placements
        else redistribute(local, spec, DTensorSpec(call.mesh, placements, spec.tensor_meta))
        for local, spec, placements in zip(call.locals, call.specs, sources)
    ]
    if call.mesh.get_coordinate() is None:
        return _make_empty_results(call, targets, written)
    local_results = rule.compute(call, moved, sources, targets)
    return wrap(call, local_results, targets, written)


def find_written_tensors(call):
    """Returns the indices, among the tensor arguments, of those that the operator writes."""
    found, position = [], 0
    for index, argument in enumerate(call.func._schema.arguments):
        value = call.args[index] if index < len(call.args) else call.kwargs.get(argument.name)
        count = sum(isinstance(leaf, torch.Tensor) for leaf in pytree.tree_leaves(value))
        if argument.alias_info is not None and argument.alias_info.is_write:
            found += range(position, position + count)
        position += count
    return found


def choose(call, rule, written):
    """Returns the placements of all arguments and of all results that need the least communication."""
    ndim, sources, targets = call.mesh.ndim, [], []
    for mesh_dim in range(ndim):
        rows = rule.list_placement_rows(call, mesh_dim)
        if rule.keeps_strided_cuts:
            rows = _add_placement_rows_of_strided_shards(call, rows, mesh_dim)
        if written:
            rows = [row for row in rows if all(row.inputs[i] == call.specs[i].placements[mesh_dim] for i in written)]
            rows = [
                row for row in rows if _row_keeps_output_placement(row, call.specs[written[0]].placements[mesh_dim])
            ]
            if not rows:
                raise RuntimeError(
                    f"{call.func}: in-place operations that require placement changes are not supported. The input has "
                    f"placement {call.specs[written[0]].placements}, but no valid strategy preserves this placement. "
                    "Please use the out-of-place version of this operation instead."
                    f"\n\nSharding propagation failed for {call.text()}"
                )
        row = min(rows, key=lambda row: _redistribution_cost_of_row(call, row, mesh_dim))
        sources.append(row.inputs)
        targets.append(row.outputs)
    return list(zip(*sources)), list(zip(*targets))


def _row_keeps_output_placement(row, placement):
    return not row.outputs or row.outputs[0] is None or row.outputs[0] == placement


def _add_placement_rows_of_strided_shards(call, rows, mesh_dim):
    """Adds rows with the arguments' own strided cuts in place of plain ones."""
    factors = {p.split_factor for spec in call.specs if isinstance(p := spec.placements[mesh_dim], _StridedShard)}

    def replace_by_strided_shards(placements, factor):
        return tuple(_StridedShard(p.dim, factor) if isinstance(p, Shard) else p for p in placements)

    return rows + [
        Row(replace_by_strided_shards(row.inputs, factor), replace_by_strided_shards(row.outputs, factor))
        for factor in factors
        for row in rows
    ]


def _redistribution_cost_of_row(call, row, mesh_dim):
    """Returns how much time the arguments' redistribution takes, in microseconds of an imagined network."""
    return sum(
        _redistribution_cost(spec, spec.placements[mesh_dim], wanted, call.mesh.size(mesh_dim))
        for spec, wanted in zip(call.specs, row.inputs)
    )


def _redistribution_cost(spec, now, then, count):
    if now == then:
        return 0.0
    size = spec.tensor_meta.shape.numel() * spec.tensor_meta.dtype.itemsize / spec.num_shards
    if is_shard_placement(now):
        size *= count
    step = 6.6 + (count - 1) * 0.6 + size * (count - 1) / count / 1e5
    if isinstance(then, Partial):
        return 1e-5 if isinstance(now, Replicate) else float("inf")
    if isinstance(now, Replicate):
        return 1e-6
    if isinstance(now, Partial):
        return step if is_shard_placement(then) else 2 * step
    return step + 1.0 if is_shard_placement(then) else step


def wrap(call, local_results, targets, written):
    """Returns the operator's results as distributed tensors; a written argument is its own result."""
    dtensor = torch.distributed.tensor.DTensor
    if written:
        kept = [call.leaves[call.places[index]] for index in written]
        returns = call.func._schema.returns
        if not returns:
            return None
        if all(value.alias_info is not None and value.alias_info.is_write for value in returns):
            return kept[0] if len(returns) == 1 and not isinstance(call.args[0], (list, tuple)) else tuple(kept)
    leaves = pytree.tree_leaves(local_results)
    made = [
        dtensor(leaf, DTensorSpec(call.mesh, placements, meta), requires_grad=False)
        if isinstance(leaf, torch.Tensor)
        else leaf
        for leaf, placements, meta in zip(leaves, targets, call.outputs, strict=True)
    ]
    return pytree.tree_unflatten(made, call.result_structure)


def _make_empty_results(call, targets, written):
    """Returns empty results on a rank that is not in the mesh."""
    empty = [None if meta is None else torch.empty(0, dtype=meta.dtype) for meta in call.outputs]
    return wrap(call, empty, targets, written)
