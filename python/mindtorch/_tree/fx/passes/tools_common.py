"""torch.fx.passes.tools_common: names of nodes' targets, and topological sorting."""

from .._compatibility import compatibility
from ..graph import Graph
from ..node import _get_qualified_name

__all__ = ["get_node_target", "stable_topological_sort"]


@compatibility(is_backward_compatible=False)
def get_node_target(submodules, node):
    """Says what a call node calls.

    Args:
        submodules (dict[str, Module]): the modules by path.
        node (Node): a call_function, call_method or call_module node.

    Returns:
        str: a function's path, a method's name, or the path of a module's class.

    Raises:
        AssertionError: when `node` is no call.

    Example:
        >>> from torch.fx.passes.tools_common import get_node_target
        >>> gm = torch.fx.symbolic_trace(nn.Sequential(nn.ReLU()))
        >>> (node,) = gm.graph.find_nodes(op="call_module")
        >>> get_node_target(dict(gm.named_modules()), node)
        'torch.nn.modules.activation.ReLU'
    """
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
    """Brings the nodes of a module's graph into an order in which arguments come first.

    Otherwise the order stays. The module gets a new graph, and is recompiled.

    Args:
        gm (GraphModule): the module to change.

    Returns:
        GraphModule: `gm`.

    Raises:
        AssertionError: when the graph has a cycle.

    Example:
        >>> from torch.fx.passes.tools_common import stable_topological_sort
        >>> gm = stable_topological_sort(torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1))
        >>> [node.name for node in gm.graph.nodes]
        ['x', 'relu', 'add', 'output']
    """
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
