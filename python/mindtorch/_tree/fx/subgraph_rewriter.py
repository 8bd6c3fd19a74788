"""torch.fx.subgraph_rewriter: replaces every match of a pattern in a graph."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from .. import nn
from ._compatibility import compatibility
from ._module_paths import _has_attr
from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule
from .node import Node

__all__ = ["Match", "replace_pattern", "replace_pattern_with_filters", "ReplacedPatterns"]


def _as_graph(program):
    if isinstance(program, Graph):
        return program
    return program.graph if isinstance(program, GraphModule) else symbolic_trace(program).graph


@compatibility(is_backward_compatible=True)
class Match(NamedTuple):
    """An occurrence of a pattern that was replaced.

    Args:
        anchor (Node): the node that stood for the pattern's result.
        nodes_map (dict[Node, Node]): the node that stood for each of the pattern's.

    Example:
        >>> gm = torch.fx.symbolic_trace(lambda x: torch.neg(x))
        >>> (match,) = torch.fx.replace_pattern(gm, lambda x: torch.neg(x), lambda x: x * 2)
        >>> sorted(node.name for node in match.nodes_map)
        ['neg', 'x']
    """

    anchor: Node
    nodes_map: dict


@compatibility(is_backward_compatible=False)
@dataclass
class ReplacedPatterns:
    """A Match, and the nodes that replace it."""

    anchor: Node
    nodes_map: dict
    replacements: list


@compatibility(is_backward_compatible=True)
def replace_pattern(
    gm: GraphModule, pattern: Callable[..., Any] | GraphModule, replacement: Callable[..., Any] | GraphModule
) -> list[Match]:
    """Replaces what a pattern computes by what a replacement computes, wherever it occurs in a graph.

    Both are traced (unless they have a graph already) and must have the same number of parameters and
    results. Occurrences that overlap one that was replaced stay as they are. The module is recompiled.

    Args:
        gm (GraphModule): the module to change.
        pattern (Callable or GraphModule): what to look for.
        replacement (Callable or GraphModule): what to put there.

    Returns:
        list[Match]: an entry for each occurrence: `anchor`, the node of the pattern's result, and
        `nodes_map`, from the pattern's nodes to those that stood for them.

    Example:
        >>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(torch.neg(x)))
        >>> matches = torch.fx.replace_pattern(gm, lambda x: torch.neg(x), lambda x: x * 2)
        >>> len(matches), gm(torch.tensor([3.0]))
        (1, tensor([6.]))
    """
    replaced = replace_pattern_with_filters(gm, pattern, replacement)
    return [Match(anchor=place.anchor, nodes_map=place.nodes_map) for place in replaced]


@compatibility(is_backward_compatible=False)
def replace_pattern_with_filters(
    gm,
    pattern,
    replacement=None,
    match_filters=None,
    ignore_literals=False,
    replacement_callback=None,
    node_name_match="",
):
    """Replaces as replace_pattern does, where filters agree, and says which nodes are new.

    Args:
        gm (GraphModule): the module to change.
        pattern (Callable, Graph or GraphModule): what to look for.
        replacement (Callable, Graph or GraphModule, optional): what to put there.
        match_filters (list of Callable, optional): ``f(match, graph, pattern_graph)`` says whether to
            replace a match; all have to. Default: none.
        ignore_literals (bool): numbers and strings of the pattern match any. Default: ``False``.
        replacement_callback (Callable, optional): ``f(match, graph, pattern_graph)`` makes the Graph to put
            there for each match, instead of `replacement`.
        node_name_match (str): a node whose name has this in it matches any step.
            Default: ``""``, none.

    Returns:
        list[ReplacedPatterns]: a Match with the new nodes, for each occurrence.

    Raises:
        AssertionError: when neither `replacement` nor `replacement_callback` is given.
    """
    from .passes.utils.matcher_utils import SubgraphMatcher

    graph, pattern_graph = gm.graph, _as_graph(pattern)
    matcher = SubgraphMatcher(pattern_graph, remove_overlapping_matches=True, ignore_literals=ignore_literals)
    matches = [
        match
        for match in matcher.match(graph, node_name_match=node_name_match)
        if all(accepts(match, graph, pattern_graph) for accepts in match_filters or ())
    ]
    if replacement is None and replacement_callback is None:
        raise AssertionError("Must provide either a replacement GraphModule or a replacement callback")
    common = None if replacement is None else _as_graph(replacement)
    now = {}  # maps nodes that earlier replacements removed to their replacements
    replaced = []
    for match in matches:
        made = replacement_callback(match, graph, pattern_graph) if replacement_callback is not None else common
        replaced.append(_replace_match(gm.graph, match, pattern_graph, made, now))
    gm.recompile()
    if isinstance(replacement, nn.Module):
        _replace_attributes(gm, replacement)
    return replaced


def _insertion_point(graph, returned):
    """Returns the first user of a match's outputs, or the node after it if there is none."""
    users = {user for node in returned for user in node.users}
    for node in graph.nodes:
        if node in users:
            return node
    last = next((node for node in reversed(graph.nodes) if node in returned), None)
    if last is None or last.next.op == "root":
        raise AssertionError("The insert point can't be None")
    return last.next


def _replace_match(graph, match, pattern_graph, replacement_graph, now):
    inputs = [node for node in replacement_graph.nodes if node.op == "placeholder"]
    if len(match.placeholder_nodes) != len(inputs):
        raise AssertionError(f"Placeholder count mismatch: {len(match.placeholder_nodes)} vs {len(inputs)}")
    for pattern_node, node in match.nodes_map.items():
        if isinstance(node, Node) and pattern_node.op == "placeholder":
            match.nodes_map[pattern_node] = now.get(node, node)
    given = [now.get(node, node) if isinstance(node, Node) else node for node in match.placeholder_nodes]
    match.placeholder_nodes = given
    copies = dict(zip(inputs, given))
    with graph.inserting_before(_insertion_point(graph, match.returning_nodes)):
        results = graph.graph_copy(replacement_graph, copies)
    results = (results,) if isinstance(results, Node) else results
    if len(match.returning_nodes) != len(results):
        raise AssertionError(f"Returning nodes count mismatch: {len(match.returning_nodes)} vs {len(results)}")
    for node, result in zip(match.returning_nodes, results):
        node.replace_all_uses_with(result)
        now[node] = result
    for node in reversed(pattern_graph.nodes):
        if node.op not in ("placeholder", "output"):
            graph.erase_node(match.nodes_map[node])
    made = [node for node in copies.values() if not any(node is other for other in given)]
    return ReplacedPatterns(anchor=match.anchors[0], nodes_map=match.nodes_map, replacements=made)


def _replace_attributes(gm, replacement):
    """Adds the attributes of the replacement's nodes to `gm`; one missing in both is an error."""
    gm.delete_all_unused_submodules()
    if isinstance(replacement, GraphModule):
        replacement.graph.lint()
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        ours, theirs = (_find_attribute(module, node.target) for module in (gm, replacement))
        if ours is not None:
            continue
        if theirs is None:
            raise RuntimeError(
                f'Attempted to create a "{node.op}" node during subgraph rewriting with target {node.target}, but '
                "the referenced attribute does not exist in the replacement GraphModule"
            )
        if isinstance(theirs, nn.Module):
            gm.add_submodule(node.target, copy.deepcopy(theirs))
        else:
            path, _, name = node.target.rpartition(".")
            if path and not _has_attr(gm, path):
                gm.add_submodule(path, nn.Module())
            setattr(gm.get_submodule(path), name, copy.deepcopy(theirs))
    gm.graph.lint()


def _find_attribute(module, target):
    path, _, name = target.rpartition(".")
    try:
        return getattr(module.get_submodule(path), name, None)
    except AttributeError:
        return None
