"""TreeSpec: the structure of a tree without its leaves."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable
from typing import Any

from . import _pytree_registry as _registry
from ._deprecated import deprecated


@dataclasses.dataclass(init=False, frozen=True, eq=True, repr=False, slots=True)
class TreeSpec:
    """The structure of a tree without its leaves: a node's type, its context and the specs of its children.

    `tree_structure` makes it. Specs are compared and hashed by value. Attributes: `type`, `context`,
    `num_nodes`, `num_leaves` and `num_children`.

    Args:
        type (type or None): type of the node; None for a leaf.
        context (Any): what the type's functions keep besides the children, as the keys of a dict.
        children_specs (list of TreeSpec): the children.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> spec = pytree.tree_structure({"a": 1, "b": [2, 3]})
        >>> spec.num_leaves, spec.type, spec.context
        (3, <class 'dict'>, ['a', 'b'])
    """

    type: Any
    _context: Any
    _children: list
    num_nodes: int = dataclasses.field(init=False)
    num_leaves: int = dataclasses.field(init=False)
    num_children: int = dataclasses.field(init=False)

    def __init__(self, type: Any, context: Any, children_specs: list) -> None:
        if type is None:
            if context is not None:
                raise AssertionError("leaf node should not have a context")
            if children_specs:
                raise AssertionError("leaf node should not have children")
        assign = object.__setattr__
        assign(self, "type", type)
        assign(self, "_context", context)
        assign(self, "_children", children_specs)
        assign(self, "num_nodes", 1 + sum(child.num_nodes for child in children_specs))
        leaves = 1 if type is None else sum(child.num_leaves for child in children_specs)
        assign(self, "num_leaves", leaves)
        assign(self, "num_children", len(children_specs))

    def __repr__(self, indent: int = 0) -> str:
        indent += 2
        children = [child.__repr__(indent) for child in self._children]
        separator = ",\n" + " " * indent
        return f"TreeSpec({self.type.__name__}, {self._context}, [{separator.join(children)}])"

    def __eq__(self, other: Any) -> bool:
        if self is other:
            return True
        if other.__class__ is not self.__class__:
            return NotImplemented
        # Compares types by name: a node type that was defined again still has the same structure.
        return (
            str(self.type) == str(other.type) and self._context == other._context and self._children == other._children
        )

    def __hash__(self) -> int:
        node_type, context = self.type, self._context
        if node_type is defaultdict:
            context = (context[0], tuple(context[1]))
        elif node_type in (dict, OrderedDict):
            context = tuple(context)
        elif isinstance(context, _registry.ConstantNode):
            context = context.value
        elif node_type is not None and node_type not in _registry.BUILTIN_TYPES:
            context = None
        return hash((node_type, context, tuple(self._children)))

    @property
    def context(self) -> Any:
        return self._context

    @property
    @deprecated(
        "`treespec.children_specs` is deprecated. Use `treespec.child(index)` to access a single child, or "
        "`treespec.children()` to get all children."
    )
    def children_specs(self) -> list:
        return self._children

    def is_leaf(self) -> bool:
        """Returns whether it describes a leaf.

        Returns:
            bool: whether it does.
        """
        return self.num_nodes == 1 and self.num_leaves == 1

    def children(self) -> list:
        """Returns the specs of the children.

        Returns:
            list of TreeSpec: the specs.
        """
        return self._children.copy()

    def child(self, index: int) -> "TreeSpec":
        """Returns the spec of one child.

        Args:
            index (int): its number.

        Returns:
            TreeSpec: the spec.
        """
        return self._children[index]

    def flatten_up_to(self, tree: Any) -> list:
        """Returns the subtrees of `tree` at the positions of this spec's leaves."""
        if self.is_leaf():
            return [tree]
        children = zip(self._children, _flatten_by_spec(self, tree), strict=True)
        return [subtree for spec, child in children for subtree in spec.flatten_up_to(child)]

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """Returns the tree of given leaves.

        Args:
            leaves (iterable): the leaves, `num_leaves` of them.

        Returns:
            Any: the tree.

        Raises:
            ValueError: if the number of leaves is another.
        """
        if not isinstance(leaves, (list, tuple)):
            leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
                f"holds {self.num_leaves} items ({self})."
            )
        return self._build_tree_from_leaves(iter(leaves))

    def _build_tree_from_leaves(self, leaves) -> Any:
        if self.is_leaf():
            return next(leaves)
        children = [child._build_tree_from_leaves(leaves) for child in self._children]
        return _registry.SUPPORTED_NODES[self.type].unflatten_fn(children, self._context)


def _flatten_by_spec(spec: TreeSpec, node: Any) -> list:
    """Returns the children of `node`, after checking type, arity and context against the spec."""
    node_type = _registry._get_node_type(node)
    expected = spec.type
    if expected not in _registry.BUILTIN_TYPES:
        if node_type != expected:
            raise ValueError(f"Type mismatch; expected {expected!r}, but got {node_type!r}.")
        children, context = _registry.SUPPORTED_NODES[node_type].flatten_fn(node)
        if len(children) != spec.num_children:
            raise ValueError(f"Node arity mismatch; expected {spec.num_children}, but got {len(children)}.")
        if context != spec._context:
            raise ValueError(f"Node context mismatch for custom node type {expected!r}.")
        return children
    dicts = expected in _registry.STANDARD_DICT_TYPES and node_type in _registry.STANDARD_DICT_TYPES
    if node_type != expected and not dicts:
        raise ValueError(f"Node type mismatch; expected {expected!r}, but got {node_type!r}.")
    if len(node) != spec.num_children:
        raise ValueError(f"Node arity mismatch; expected {spec.num_children}, but got {len(node)}.")
    if dicts:
        return _values_by_keys(spec._context[1] if expected is defaultdict else spec._context, node)
    children, context = _registry.SUPPORTED_NODES[node_type].flatten_fn(node)
    if node_type is not deque and context != spec._context:
        raise ValueError(
            f"Node context mismatch for node type {expected!r}; expected {spec._context!r}, but got {context!r}."
        )
    return children


def _values_by_keys(keys: list, node: dict) -> list:
    if set(keys) != set(node):
        message = ""
        if missing := set(keys) - set(node):
            message += f"; missing key(s): {missing}"
        if extra := set(node) - set(keys):
            message += f"; extra key(s): {extra}"
        raise ValueError(f"Node keys mismatch{message}.")
    return [node[key] for key in keys]


class LeafSpec(TreeSpec):
    """The spec of a leaf; there is one instance."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(None, None, [])

    def __repr__(self, indent: int = 0) -> str:
        return "*"


_LEAF_SPEC = LeafSpec()


def treespec_leaf() -> LeafSpec:
    return _LEAF_SPEC


def treespec_tuple(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    children = list(iterable)
    if any(not isinstance(child, TreeSpec) for child in children):
        raise ValueError(f"Expected a tuple of TreeSpec values, got: {children!r}.")
    return TreeSpec(tuple, None, children)


def treespec_dict(mapping=(), /, **kwargs: TreeSpec) -> TreeSpec:
    specs = dict(mapping, **kwargs)
    if any(not isinstance(child, TreeSpec) for child in specs.values()):
        raise ValueError(f"Expected a dictionary of TreeSpec values, got: {specs!r}.")
    return TreeSpec(dict, list(specs), list(specs.values()))


# Pickles name these classes by their public module.
TreeSpec.__module__ = LeafSpec.__module__ = __name__.removesuffix("_spec")
