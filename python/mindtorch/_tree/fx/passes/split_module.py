"""torch.fx.passes.split_module: splits a module into submodules by a function that numbers its nodes."""

from .._compatibility import compatibility
from .._module_paths import _get_attr
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import map_arg
from ..proxy import Proxy

__all__ = ["Partition", "split_module"]


@compatibility(is_backward_compatible=True)
class Partition:
    """The nodes with one number: their inputs, their outputs, and the graph made from them."""

    def __init__(self, name, partition_affix=None):
        self.name = name
        self.submod_name = f"submod_{name}" if partition_affix is None else f"submod_{partition_affix}_{name}"
        self.node_names = []
        self.inputs, self.outputs = {}, {}  # as ordered sets of names
        self.dependencies, self.dependents = {}, {}  # as ordered sets of names of partitions
        self.graph = Graph()
        self.environment = {}
        self.targets = {}

    def __repr__(self):
        shown = {
            "name": self.name, "nodes": self.node_names, "inputs": self.inputs, "outputs": self.outputs,
            "partitions depended on": self.dependencies, "partition dependents": self.dependents,
        }
        return ",\n ".join(f"{label}: {value}" for label, value in shown.items())


def _assign_partitions(graph, split_callback, partition_affix):
    """Returns the partitions by name, and the name of each node's partition, if it has one."""
    partitions, place = {}, {}
    for node in graph.nodes:
        if node.op not in ("placeholder", "get_attr", "output"):
            name = place[node] = str(split_callback(node))
            partitions.setdefault(name, Partition(name, partition_affix)).node_names.append(node.name)
        for needed in node.all_input_nodes:
            source, user = place.get(needed), place.get(node)
            if source == user:
                continue
            if source is not None:
                partitions[source].outputs.setdefault(needed.name)
            if user is not None:
                partitions[user].inputs.setdefault(needed.name)
            if source is not None and user is not None:
                partitions[source].dependents.setdefault(user)
                partitions[user].dependencies.setdefault(source)
    return partitions, place


def _sort_by_dependencies(partitions):
    """Returns the partitions, sorted so that each follows those that it needs."""
    ready = [name for name, partition in partitions.items() if not partition.dependencies]
    missing = {name: dict(partition.dependencies) for name, partition in partitions.items()}
    for name in ready:  # grows during iteration
        for dependent in partitions[name].dependents:
            missing[dependent].pop(name)
            if not missing[dependent]:
                ready.append(dependent)
    if len(ready) != len(partitions):
        raise RuntimeError("cycle exists between partitions!")
    return [partitions[name] for name in ready]


@compatibility(is_backward_compatible=True)
def split_module(
    m,
    root_m,
    split_callback,
    qualname_map=None,
    keep_original_order=False,
    keep_original_node_name=False,
    keep_original_input_name=True,
    *,
    partition_affix=None,
    tuple_return=False,
):
    """Returns a GraphModule that calls a submodule for each number that `split_callback` assigns to nodes of `m`.

    Attributes stay in the outer module. `qualname_map` receives the old path of each submodule by its new one; with
    `tuple_return`, a submodule with one result returns a 1-tuple.
    """
    if keep_original_order:
        raise NotImplementedError("torch.fx.passes.split_module: keep_original_order is not there")
    partitions, place = _assign_partitions(m.graph, split_callback, partition_affix)
    by_name = {node.name: node for node in m.graph.nodes}
    order = _sort_by_dependencies(partitions)
    for partition in order:
        for number, name in enumerate(partition.inputs):
            node = by_name[name]
            wish = name if keep_original_input_name else f"arg_{number}"
            placeholder = partition.graph.placeholder(wish, type_expr=node.type)
            placeholder.meta = node.meta.copy()
            partition.environment[node] = placeholder
    for node in m.graph.nodes:
        if node in place:
            _copy_node_to_partition(partitions[place[node]], m, node, qualname_map, keep_original_node_name)

    outer, values, members = Graph(), {}, {}
    for node in m.graph.nodes:
        if node.op == "placeholder":
            values[node.name] = outer.create_node("placeholder", node.target, node.args, type_expr=node.type)
        elif node.op == "get_attr":
            values[node.name] = outer.get_attr(node.target)
            members[node.target] = _get_attr(m, node.target)
        else:
            continue
        values[node.name].meta = node.meta.copy()
    for partition in order:
        results = tuple(partition.environment[by_name[name]] for name in partition.outputs)
        packed = len(results) != 1 or tuple_return
        partition.graph.output(results if packed else results[0])
        members[partition.submod_name] = GraphModule(partition.targets, partition.graph)
        call = outer.call_module(partition.submod_name, tuple(values[name] for name in partition.inputs))
        for place_of_result, name in enumerate(partition.outputs):
            values[name] = Proxy(call)[place_of_result].node if packed else call
    for node in m.graph.find_nodes(op="output"):
        outer.output(map_arg(node.args[0], lambda needed: values[needed.name]))
    made = GraphModule(members, outer)
    made.meta["partition_names"] = {partition.submod_name for partition in order}
    return made


def _copy_node_to_partition(partition, m, node, qualname_map, keep_name):
    target = node.target
    if node.op == "call_module":
        target = node.target.replace(".", "_")
        partition.targets[target] = m.get_submodule(node.target)
        if qualname_map is not None:
            qualname_map[f"{partition.submod_name}.{target}"] = node.target
    made = partition.graph.create_node(
        op=node.op,
        target=target,
        args=map_arg(node.args, partition.environment.__getitem__),
        kwargs=map_arg(node.kwargs, partition.environment.__getitem__),
        type_expr=node.type,
        name=node.name if keep_name else None,
    )
    made.meta = node.meta.copy()
    partition.environment[node] = made
