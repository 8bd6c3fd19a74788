"""torch.fx.experimental.const_fold: computes the part of a graph that depends on no input once."""

import operator
from collections.abc import Callable

from ... import nn
from ..._root import torch
from .._symbolic_trace import symbolic_trace
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node

__all__ = ["FoldedGraphModule", "get_unique_attr_name_in_module", "split_const_subgraphs"]


class FoldedGraphModule(GraphModule):
    """A GraphModule whose constant part is computed at the first call, and kept in an attribute.

    Args:
        root (Module): has the attributes of both graphs.
        graph (Graph): what every call runs.
        const_subgraph (Graph, optional): the constant part. Default: ``None``, nothing is constant.
        fx_const_folded_attrs_name (str, optional): the attribute that keeps its result. Default: ``None``.
        device_for_folded_attrs (str): the device to keep it on. Default: ``"cuda"``.

    Example:
        >>> weight = nn.Parameter(torch.tensor([1.0, 2.0]))
        >>> class Scaled(nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.weight = weight
        ...     def forward(self, x):
        ...         return x * self.weight.exp().log()
        >>> from torch.fx.experimental.const_fold import split_const_subgraphs
        >>> folded = split_const_subgraphs(Scaled())
        >>> [node.op for node in folded.graph.nodes]
        ['placeholder', 'get_attr', 'call_function', 'output']
        >>> folded(torch.tensor([3.0, 4.0])).tolist()
        [3.0, 8.0]
    """

    def __init__(
        self,
        root: torch.nn.Module,
        graph: Graph,
        const_subgraph: Graph | None = None,
        fx_const_folded_attrs_name: str | None = None,
        device_for_folded_attrs: str = "cuda",
    ) -> None:
        super().__init__(root, graph)
        self.const_subgraph_module = None if const_subgraph is None else GraphModule(root, const_subgraph)
        self.has_folding_been_run = False
        self.fx_const_folded_attrs_name = fx_const_folded_attrs_name
        self.device_for_folded_attrs = device_for_folded_attrs

    def __call__(self, *args, **kwargs):
        if not self.has_folding_been_run:
            self.run_folding()
        return super().__call__(*args)

    def run_folding(self) -> None:
        """Computes the constant part.

        Raises:
            AssertionError: when that was done before.
        """
        if self.const_subgraph_module is None or self.fx_const_folded_attrs_name is None:
            return
        if self.has_folding_been_run:
            raise AssertionError("Folding has already been run")
        self.has_folding_been_run = True

        def keep(value):
            if not isinstance(value, torch.Tensor):
                return value
            value = value.detach().to(self.device_for_folded_attrs)
            return nn.Parameter(value, requires_grad=value.is_floating_point() or value.is_complex())

        result = self.const_subgraph_module()
        several = isinstance(result, tuple)
        kept = nn.ParameterList([keep(value) for value in result]) if several else keep(result)
        setattr(self, self.fx_const_folded_attrs_name, kept)


def get_unique_attr_name_in_module(mod_traced: torch.fx.GraphModule, name: str) -> str:
    """Returns a name that is not an attribute of a module yet.

    Args:
        mod_traced (GraphModule): the module.
        name (str): the wish; what no Python name has becomes ``_``.

    Returns:
        str: `name`, or it with a number at its end.
    """
    name = "".join(char if char.isascii() and (char.isalnum() or char == "_") else "_" for char in name)
    if name[0].isdigit():
        name = "_" + name
    while hasattr(mod_traced, name):
        stem, _, number = name.rpartition("_")
        name = f"{stem}_{int(number) + 1}" if stem and number.isdigit() else f"{name}_1"
    return name


def _find_constants(graph, skips):
    """Returns the nodes that depend on no input, in order, and those among them whose value something else takes."""
    constant = {}
    for node in graph.nodes:
        if node.op in ("placeholder", "output") or any(item not in constant for item in node.all_input_nodes):
            continue
        if node.op == "get_attr" or not (node.is_impure() or skips(node)):
            constant[node] = None
    folded = [node for node in constant if node.op != "get_attr" and any(user not in constant for user in node.users)]
    return constant, folded


def _copy_constant_part(constant, folded):
    needed = set(folded)
    for node in reversed(constant):
        if node in needed:
            needed.update(node.all_input_nodes)
    graph, copies = Graph(), {}
    for node in constant:
        if node in needed:
            copies[node] = graph.node_copy(node, copies.__getitem__)
    results = tuple(copies[node] for node in folded)
    graph.output(results if len(results) > 1 else results[0])
    return graph


def _copy_other_part(original, constant, folded, attribute):
    graph, copies, fetched = Graph(), {}, None
    for node in original.nodes:
        if node in folded:
            fetched = fetched or graph.get_attr(attribute)
            several = len(folded) > 1
            args = (fetched, folded.index(node))
            copies[node] = graph.call_function(operator.getitem, args) if several else fetched
            copies[node].meta = node.meta.copy()
        elif node not in constant or any(user not in constant for user in node.users):
            copies[node] = graph.node_copy(node, copies.__getitem__)
    return graph


def split_const_subgraphs(
    module: torch.nn.Module | torch.fx.GraphModule,
    skip_folding_node_fn: Callable[[Node], bool] | None = None,
    device_for_folded_attrs: str = "cpu",
) -> FoldedGraphModule:
    """Separates what a module computes from its attributes alone from what depends on its inputs.

    Args:
        module (Module or GraphModule): the module; it is traced if it has no graph.
        skip_folding_node_fn (Callable, optional): says of a node whether it stays in every call.
            Default: ``None``, none does.
        device_for_folded_attrs (str): where the constant results are kept. Default: ``"cpu"``.

    Returns:
        FoldedGraphModule: computes the same; `const_subgraph_module` is its constant part.
    """
    traced = module if isinstance(module, GraphModule) else symbolic_trace(module)
    skips = skip_folding_node_fn or (lambda node: False)
    constant, folded = _find_constants(traced.graph, skips)
    if not folded:
        return FoldedGraphModule(traced, traced.graph)
    attribute = get_unique_attr_name_in_module(traced, "_FX_CONST_FOLDED_ATTRS")
    setattr(traced, attribute, nn.ParameterList() if len(folded) > 1 else nn.Parameter(torch.randn(1)))
    const_graph = _copy_constant_part(constant, folded)
    graph = _copy_other_part(traced.graph, constant, folded, attribute)
    return FoldedGraphModule(traced, graph, const_graph, attribute, device_for_folded_attrs)
