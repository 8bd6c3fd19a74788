"""torch.fx.passes.utils.matcher_utils: finds subgraphs that match a pattern graph."""

import copy
from dataclasses import dataclass, field

from ...._root import torch
from ..._compatibility import compatibility
from ..._module_paths import _get_attr
from ...node import Node

__all__ = ["SubgraphMatcher", "InternalMatch"]


@compatibility(is_backward_compatible=False)
@dataclass
class InternalMatch:
    """One match: the node (or value) for each node of the pattern."""

    anchors: list
    nodes_map: dict = field(default_factory=dict)
    placeholder_nodes: list = field(default_factory=list)
    returning_nodes: list = field(default_factory=list)
    name_node_map: dict = field(default_factory=dict)

    def __copy__(self):
        return InternalMatch(
            anchors=self.anchors,
            nodes_map=self.nodes_map.copy(),
            placeholder_nodes=self.placeholder_nodes.copy(),
            returning_nodes=self.returning_nodes.copy(),
        )


def _closes_no_cycle(nodes):
    """Whether no node outside `nodes` both needs one of them and is needed by one."""
    inside = set(nodes)
    reached, waiting = set(), [user for node in inside for user in node.users if user not in inside]
    while waiting:
        node = waiting.pop()
        if node in inside:
            return False
        if node not in reached:
            reached.add(node)
            waiting.extend(node.users)
    return True


def _complete_arguments(node):
    """Returns the arguments of a call of an operator's overload, completed by defaults."""
    values = []
    for place, parameter in enumerate(node.target._schema.arguments):
        if parameter.name in node.kwargs:
            values.append(node.kwargs[parameter.name])
        elif not parameter.kwarg_only and place < len(node.args):
            values.append(node.args[place])
        else:
            values.append(parameter.default_value)
    return values


@compatibility(is_backward_compatible=False)
class SubgraphMatcher:
    """Finds `pattern` in other graphs, from its outputs to its inputs.

    Inputs of the pattern match any value, unless `match_placeholder`; literals do if `ignore_literals`. With
    `remove_overlapping_matches`, drops matches that share nodes with an earlier one.
    """

    def __init__(
        self,
        pattern,
        match_output=False,
        match_placeholder=False,
        remove_overlapping_matches=True,
        ignore_literals=False,
    ):
        self.pattern = pattern
        self.match_output, self.match_placeholder = match_output, match_placeholder
        self.remove_overlapping_matches, self.ignore_literals = remove_overlapping_matches, ignore_literals
        if len(pattern.nodes) == 0:
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        for node in pattern.nodes:
            if node.op != "output" and not node.is_impure() and not node.users:
                raise AssertionError("SubgraphMatcher cannot be initialized with an pattern with dead code")
        self.pattern_placeholder_nodes = [node for node in pattern.nodes if node.op == "placeholder"]
        output = next(iter(reversed(pattern.nodes)))
        self.pattern_returning_nodes = output.all_input_nodes
        if match_output:
            self.pattern_anchors = [output]
        else:
            self.pattern_anchors = [node for node in output.all_input_nodes if len(node.users) == 1]

    def _match_attributes(self, pn, gn):
        wanted, found = (_get_attr(node.graph.owning_module, node.target) for node in (pn, gn))
        if type(wanted) is not type(found):
            return False
        if not isinstance(wanted, torch.Tensor):
            raise RuntimeError(f"Unsupported type {wanted} when matching attributes")
        return True

    def _nodes_are_equal(self, pn, gn, node_name_match=""):
        if pn.op == "placeholder" and not self.match_placeholder:
            return True
        if node_name_match and node_name_match in gn.name:
            return True
        if pn.op != gn.op:
            return False
        if pn.op == "get_attr":
            return self._match_attributes(pn, gn)
        return pn.op in ("placeholder", "output") or pn.target == gn.target

    def _match_literals(self, pn, gn, match):
        if isinstance(pn, Node):
            if pn.op != "placeholder":
                return False
            return match.nodes_map.setdefault(pn, gn) == gn
        return not isinstance(gn, Node) and type(gn) is type(pn) and gn == pn

    def _match_values(self, wanted, found, match):
        if isinstance(wanted, Node) and isinstance(found, Node):
            return self._match_nodes(wanted, found, match)
        if isinstance(wanted, (list, tuple)) and isinstance(found, (list, tuple)):
            same_length = len(wanted) == len(found)
            return same_length and all(self._match_values(*pair, match) for pair in zip(wanted, found))
        return self._match_literals(wanted, found, match) or self.ignore_literals

    def _match_nodes(self, pn, gn, match, node_name_match=""):
        """Whether `gn` and its inputs match `pn`; if so, records that in `match`."""
        if pn in match.nodes_map:
            return match.nodes_map[pn] == gn
        if any(gn is taken for taken in match.nodes_map.values()):
            return False
        if not self._nodes_are_equal(pn, gn, node_name_match):
            return False
        match.nodes_map[pn] = gn
        if pn.op == "placeholder":
            return True
        if len(pn.args) == len(gn.args) and list(pn.kwargs) == list(gn.kwargs):
            wanted, found = ([*node.args, *node.kwargs.values()] for node in (pn, gn))
        elif pn.op == "call_function" and isinstance(pn.target, torch._ops.OpOverload):
            wanted, found = _complete_arguments(pn), _complete_arguments(gn)
        else:
            return False
        return self._match_values(wanted, found, match)

    def _yield_extended_matches(self, candidates, match, node_name_match):
        """Yields every extension of `match` by a node for each remaining anchor."""
        if not candidates:
            match.placeholder_nodes = [match.nodes_map[node] for node in self.pattern_placeholder_nodes]
            match.returning_nodes = [match.nodes_map[node] for node in self.pattern_returning_nodes]
            yield match
            return
        (anchor, nodes), *rest = candidates
        for node in nodes:
            attempt = copy.copy(match)
            if self._match_nodes(anchor, node, attempt, node_name_match):
                yield from self._yield_extended_matches(rest, attempt, node_name_match)

    def _is_contained(self, nodes_map):
        """Whether only the outputs of the pattern are used outside."""
        inner = {gn: pn for pn, gn in nodes_map.items() if pn.op != "placeholder"}
        return all(
            user in inner for gn, pn in inner.items() if pn not in self.pattern_returning_nodes for user in gn.users
        )

    @staticmethod
    def _computing_nodes(match):
        return [gn for pn, gn in match.nodes_map.items() if pn.op not in ("placeholder", "output")]

    def match(self, graph, node_name_match=""):
        """Returns the matches in `graph` whose inner values are not used outside."""
        candidates = []
        for anchor in self.pattern_anchors:
            nodes = [node for node in graph.nodes if self._nodes_are_equal(anchor, node, node_name_match)]
            if nodes:
                candidates.append((anchor, nodes))
        if not candidates:
            return []
        start = InternalMatch(anchors=self.pattern_anchors)
        found = [
            match
            for match in list(self._yield_extended_matches(candidates, start, node_name_match))
            if self._is_contained(match.nodes_map) and _closes_no_cycle(self._computing_nodes(match))
        ]
        if not self.remove_overlapping_matches:
            return found
        kept, taken = [], set()
        for match in found:
            nodes = self._computing_nodes(match)
            if taken.isdisjoint(nodes):
                kept.append(match)
                taken.update(nodes)
        return kept
