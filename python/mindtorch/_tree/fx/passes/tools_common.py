"""torch.fx.passes.tools_common: names of what nodes call, and bringing nodes into an order that can run."""

from .._compatibility import compatibility
from ..graph import Graph
from ..node import _get_qualified_name

__all__ = ["get_node_target", "stable_topological_sort"]


@compatibility(is_backward_compatible=False)
def get_node_target(submodules, node):
    """What a call node calls, as text: a function's path, a method's name, or the type of a module."""
    calls = ("call_function", "call_method", "call_module")
    if node.op not in calls:
        raise AssertionError(f"Expect op types of {', '.join(calls)}, but found {node.op}")
    if node.op == "call_method":
        return node.target
    if node.op == "call_module":
        module = submodules[node.target]
        kind = getattr(module, "_base_class_origin", type(module))
        return getattr(module, "__name__", None) or f"{kind.__module__}.{kind.__name__}"
    name = _get_qualified_name(node.target)
    return f"acc_ops.{node.target.__name__}" if "acc_tracer.acc_ops" in name else name


@compatibility(is_backward_compatible=False)
def stable_topological_sort(gm):
    """Brings the nodes into an order in which arguments come first, and keeps the order that there was otherwise."""
    made, done = Graph(), {}
    waiting = []
    for node in gm.graph.nodes:
        waiting.append(node)
        while (ready := next((one for one in waiting if done.keys() >= set(one.all_input_nodes)), None)) is not None:
            waiting.remove(ready)
            done[ready] = made.node_copy(ready, done.__getitem__)
    if waiting:
        raise AssertionError(f"Input graph has cycles, unable to add {waiting}")
    made._codegen = gm.graph._codegen
    gm.graph = made
    return gm
