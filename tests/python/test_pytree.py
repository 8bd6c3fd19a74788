"""Pytrees flatten, map, print and serialize as torch's."""

import pytest
from outcomes import plain


def _make_tree():
    from collections import OrderedDict, defaultdict, deque, namedtuple

    pair = namedtuple("pair", "left right")
    return {
        "list": [1, (2, 3)],
        "ordered": OrderedDict(x=4),
        "deque": deque([5], 3),
        "default": defaultdict(list, q=[6]),
        "named": pair(7, None),
    }


CALLS = {
    "flatten": lambda p, t: p.tree_flatten(_make_tree()),
    "leaves as told": lambda p, t: p.tree_leaves(_make_tree(), is_leaf=lambda x: isinstance(x, list)),
    "map": lambda p, t: p.tree_map(lambda x: (x, x), _make_tree()),
    "map of two": lambda p, t: p.tree_map(lambda a, b: (a, b), [1, {"x": 2}], [3, {"x": 4}]),
    "map of unlike": lambda p, t: p.tree_map(lambda a, b: a, [1, {"x": 2}], [3, {"y": 4}]),
    "map of other arity": lambda p, t: p.tree_map(lambda a, b: a, [1, 2], [3]),
    "map of other type": lambda p, t: p.tree_map(lambda a, b: a, [1, 2], (3, 4)),
    "map only": lambda p, t: p.tree_map_only(int, lambda x: -x, [1, "a", (2,)]),
    "with path": lambda p, t: [(p.keystr(path), leaf) for path, leaf in p.tree_leaves_with_path(_make_tree())],
    "dumps": lambda p, t: p.treespec_dumps(p.tree_structure({"a": [1, (2, 3)]})),
    "dumps and loads": lambda p, t: p.treespec_loads(p.treespec_dumps(p.tree_structure({"a": [1, (2, 3)]}))),
    "dumps of an unknown": lambda p, t: p.treespec_dumps(p.tree_structure(_make_tree())),
    "pprint": lambda p, t: p.treespec_pprint(p.tree_structure({"a": [1, (2, 3)]})),
    "unflatten too few": lambda p, t: p.tree_unflatten([1], p.tree_structure([1, 2])),
    "unflatten without a spec": lambda p, t: p.tree_unflatten([1], 3),
    "broadcast": lambda p, t: p._broadcast_to_and_flatten([0, None], p.tree_structure([[1, 2], 3])),
    "sizes": lambda p, t: p.tree_flatten(t.Size([1, 2])),
    "all and any": lambda p, t: (p.tree_all(bool, [1, [2]]), p.tree_any_only(str, bool, [1, ""])),
    "register twice": lambda p, t: p.register_pytree_node(list, None, None),
}


@pytest.mark.parametrize("name", CALLS)
def test_trees_are_torchs(name, mt, oracle):
    def call_and_compare_trees(torch):
        try:
            return plain(CALLS[name](torch.utils._pytree, torch), torch)
        except Exception as error:
            return type(error).__name__, str(error)

    assert call_and_compare_trees(mt) == call_and_compare_trees(oracle)


def test_a_class_can_become_a_node(mt):
    pytree = mt.utils._pytree

    class Box:
        def __init__(self, value):
            self.value = value

    pytree.register_pytree_node(Box, lambda box: ([box.value], None), lambda values, _: Box(*values))
    assert pytree.tree_map(lambda x: x + 1, [Box(1)])[0].value == 2
    pytree._deregister_pytree_node(Box)
