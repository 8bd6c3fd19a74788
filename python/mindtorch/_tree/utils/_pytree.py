"""Nested containers as trees: flatten to leaves and a spec, map over leaves, rebuild."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._deprecated import deprecated
from ._pytree_nodes import (  # noqa: F401
    GetAttrKey,
    MappingKey,
    SequenceKey,
    _defaultdict_deserialize,
    _defaultdict_flatten,
    _defaultdict_flatten_with_keys,
    _defaultdict_serialize,
    _defaultdict_unflatten,
    _deque_flatten,
    _deque_flatten_with_keys,
    _deque_unflatten,
    _dict_flatten,
    _dict_flatten_with_keys,
    _dict_unflatten,
    _list_flatten,
    _list_flatten_with_keys,
    _list_unflatten,
    _namedtuple_flatten,
    _namedtuple_flatten_with_keys,
    _namedtuple_unflatten,
    _odict_flatten,
    _odict_unflatten,
    _ordereddict_flatten,
    _ordereddict_flatten_with_keys,
    _ordereddict_unflatten,
    _tuple_flatten,
    _tuple_flatten_with_keys,
    _tuple_unflatten,
)
from ._pytree_registry import (  # noqa: F401
    BUILTIN_TYPES,
    CONSTANT_NODES,
    ConstantNode,
    Context,
    DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL,
    DumpableContext,
    FlattenFn,
    FlattenFunc,
    FlattenWithKeysFn,
    FlattenWithKeysFunc,
    FromDumpableContextFn,
    KeyEntry,
    KeyPath,
    NO_SERIALIZED_TYPE_NAME_FOUND,
    NodeDef,
    PyTree,
    Py_TPFLAGS_BASETYPE,
    SERIALIZED_TYPE_TO_PYTHON_TYPE,
    STANDARD_DICT_TYPES,
    SUPPORTED_NODES,
    SUPPORTED_SERIALIZED_TYPES,
    ToDumpableContextFn,
    UnflattenFn,
    UnflattenFunc,
    _NODE_REGISTRY_LOCK,
    _STRUCTSEQ_COUNTS,
    _SerializeNodeDef,
    _dataclass_field_names,
    _deregister_pytree_node,
    _get_node_type,
    _namedtuple_deserialize,
    _namedtuple_serialize,
    _private_register_pytree_node,
    _register_namedtuple,
    _register_pytree_node,
    is_constant_class,
    is_namedtuple,
    is_namedtuple_class,
    is_namedtuple_instance,
    is_structseq,
    is_structseq_class,
    is_structseq_instance,
    register_constant,
    register_dataclass,
    register_pytree_node,
)
from ._pytree_spec import _LEAF_SPEC, LeafSpec, TreeSpec, treespec_dict, treespec_leaf, treespec_tuple  # noqa: F401

__all__ = [
    "PyTree",
    "Context",
    "FlattenFn",
    "UnflattenFn",
    "DumpableContext",
    "ToDumpableContextFn",
    "FromDumpableContextFn",
    "PyTreeSpec",
    "TreeSpec",
    "LeafSpec",
    "keystr",
    "key_get",
    "register_pytree_node",
    "tree_is_leaf",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_unflatten",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_structure",
    "tree_map",
    "tree_map_with_path",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_all",
    "tree_any",
    "tree_all_only",
    "tree_any_only",
    "treespec_dumps",
    "treespec_loads",
    "treespec_pprint",
    "is_namedtuple",
    "is_namedtuple_class",
    "is_namedtuple_instance",
    "is_structseq",
    "is_structseq_class",
    "is_structseq_instance",
]


def tree_is_leaf(tree: PyTree, is_leaf: Callable[[PyTree], bool] | None = None) -> bool:
    """Whether this is no known container."""
    return bool(is_leaf is not None and is_leaf(tree)) or _get_node_type(tree) not in SUPPORTED_NODES


@deprecated(
    "torch.utils._pytree._is_namedtuple_instance is private and will be removed in a future release. "
    "Please use torch.utils._pytree.is_namedtuple_instance instead."
)
def _is_namedtuple_instance(tree: Any) -> bool:
    return is_namedtuple_instance(tree)


@deprecated(
    "torch.utils._pytree._is_leaf is private and will be removed in a future release. "
    "Please use torch.utils._pytree.tree_is_leaf instead."
)
def _is_leaf(tree: PyTree, is_leaf=None) -> bool:
    return tree_is_leaf(tree, is_leaf=is_leaf)


PyTreeSpec = TreeSpec

# Pickled and printed by their public module.
for _public in (
    ConstantNode,
    NodeDef,
    is_namedtuple,
    is_namedtuple_class,
    is_namedtuple_instance,
    is_structseq,
    is_structseq_class,
    is_structseq_instance,
    register_constant,
    register_dataclass,
    register_pytree_node,
):
    _public.__module__ = __name__
del _public


def _is_constant_holder(spec: TreeSpec) -> bool:
    return isinstance(spec._context, ConstantNode)


def _retrieve_constant(spec: TreeSpec) -> Any:
    if not _is_constant_holder(spec):
        raise AssertionError("spec does not correspond to a registered constant pytree")
    return tree_unflatten([], spec)


def _is_pytreespec_instance(obj: Any) -> bool:
    return isinstance(obj, TreeSpec)


def tree_flatten(tree: PyTree, is_leaf: Callable[[PyTree], bool] | None = None) -> tuple[list[Any], TreeSpec]:
    """Splits a tree into the list of its leaves and the spec that rebuilds it."""
    leaves: list[Any] = []

    def visit(node):
        if tree_is_leaf(node, is_leaf=is_leaf):
            leaves.append(node)
            return _LEAF_SPEC
        node_type = _get_node_type(node)
        children, context = SUPPORTED_NODES[node_type].flatten_fn(node)
        return TreeSpec(node_type, context, [visit(child) for child in children])

    spec = visit(tree)
    return leaves, spec


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """The tree again, from its leaves and spec."""
    if not isinstance(treespec, TreeSpec):
        if not isinstance(leaves, TreeSpec):
            raise TypeError(
                f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}."
            )
        leaves, treespec = treespec, leaves
    return treespec.unflatten(leaves)


def tree_iter(tree: PyTree, is_leaf: Callable[[PyTree], bool] | None = None) -> Iterable[Any]:
    """The leaves, one at a time."""
    if tree_is_leaf(tree, is_leaf=is_leaf):
        yield tree
        return
    children, _ = SUPPORTED_NODES[_get_node_type(tree)].flatten_fn(tree)
    for child in children:
        yield from tree_iter(child, is_leaf=is_leaf)


def tree_leaves(tree: PyTree, is_leaf: Callable[[PyTree], bool] | None = None) -> list[Any]:
    """The leaves as a list."""
    return list(tree_iter(tree, is_leaf=is_leaf))


def tree_structure(tree: PyTree, is_leaf: Callable[[PyTree], bool] | None = None) -> TreeSpec:
    """The spec alone."""
    return tree_flatten(tree, is_leaf=is_leaf)[1]


def tree_map(func: Callable, tree: PyTree, *rests: PyTree, is_leaf: Callable[[PyTree], bool] | None = None) -> PyTree:
    """Applies `func` leaf by leaf; `rests` must have `tree`'s structure down to its leaves."""
    leaves, spec = tree_flatten(tree, is_leaf=is_leaf)
    return spec.unflatten(map(func, leaves, *[spec.flatten_up_to(rest) for rest in rests]))


def tree_map_(func: Callable, tree: PyTree, *rests: PyTree, is_leaf: Callable[[PyTree], bool] | None = None) -> PyTree:
    """Calls `func` on the leaves for its effect, and returns `tree` itself."""
    leaves, spec = tree_flatten(tree, is_leaf=is_leaf)
    for entries in zip(leaves, *[spec.flatten_up_to(rest) for rest in rests]):
        func(*entries)
    return tree


TypeAny = type[Any] | tuple[type[Any], ...] | types.UnionType


def map_only(
    type_or_types_or_pred: TypeAny | Callable[[Any], bool], /
) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Decorates a function so that it leaves alone what is not of the given types."""
    if isinstance(type_or_types_or_pred, (type, tuple, types.UnionType)):

        def applies(value):
            return isinstance(value, type_or_types_or_pred)

    elif callable(type_or_types_or_pred):
        applies = type_or_types_or_pred
    else:
        raise TypeError("Argument must be a type, a tuple of types, or a callable.")

    def decorate(func):
        @functools.wraps(func)
        def wrapped(value):
            return func(value) if applies(value) else value

        return wrapped

    return decorate


def tree_map_only(
    type_or_types_or_pred: type[Any] | tuple[type[Any], ...] | types.UnionType | Callable[[Any], bool],
    /,
    func: Callable[[Any], Any],
    tree: Any,
    is_leaf: Callable[[Any], bool] | None = None,
) -> PyTree:
    """`tree_map` on leaves of given types, or that a predicate accepts."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: type[Any] | tuple[type[Any], ...] | types.UnionType | Callable[[Any], bool],
    /,
    func: Callable[[Any], Any],
    tree: Any,
    is_leaf: Callable[[Any], bool] | None = None,
) -> PyTree:
    """As `tree_map_only`, for side effects; returns the tree."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    return all(map(pred, tree_iter(tree, is_leaf=is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    return any(map(pred, tree_iter(tree, is_leaf=is_leaf)))


def tree_all_only(
    type_or_types: TypeAny, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> bool:
    return all(pred(leaf) for leaf in tree_iter(tree, is_leaf=is_leaf) if isinstance(leaf, type_or_types))


def tree_any_only(
    type_or_types: TypeAny, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> bool:
    return any(pred(leaf) for leaf in tree_iter(tree, is_leaf=is_leaf) if isinstance(leaf, type_or_types))


def _broadcast_to_and_flatten(tree: PyTree, treespec: TreeSpec, is_leaf=None) -> list[Any] | None:
    """Repeats each leaf of a prefix tree over the leaves below it; None where it is no prefix."""
    result: list[Any] = []
    full_tree = tree_unflatten([0] * treespec.num_leaves, treespec)
    try:
        tree_map_(
            lambda leaf, subtree: result.extend([leaf] * tree_structure(subtree, is_leaf=is_leaf).num_leaves),
            tree,
            full_tree,
            is_leaf=is_leaf,
        )
    except ValueError:
        return None
    return result


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A spec as JSON."""
    from . import _pytree_json

    return _pytree_json.treespec_dumps(treespec, protocol)


def treespec_loads(serialized: str) -> TreeSpec:
    """A spec from `treespec_dumps`."""
    from . import _pytree_json

    return _pytree_json.treespec_loads(serialized)


class _Asterisk(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return "*"


def treespec_pprint(treespec: TreeSpec) -> str:
    return repr(tree_unflatten([_Asterisk("*")] * treespec.num_leaves, treespec))


@deprecated("`pytree_to_str` is deprecated. Please use `treespec_dumps` instead.")
def pytree_to_str(treespec: TreeSpec) -> str:
    return treespec_dumps(treespec)


@deprecated("`str_to_pytree` is deprecated. Please use `treespec_loads` instead.")
def str_to_pytree(json: str) -> TreeSpec:
    return treespec_loads(json)


def arg_tree_leaves(*args: PyTree, **kwargs: PyTree) -> list[Any]:
    return [leaf for tree in (*args, *kwargs.values()) for leaf in tree_iter(tree)]


def _generate_key_paths(key_path: KeyPath, tree: PyTree, is_leaf=None):
    if tree_is_leaf(tree, is_leaf=is_leaf):
        yield key_path, tree
        return
    node_type = _get_node_type(tree)
    flatten_with_keys = SUPPORTED_NODES[node_type].flatten_with_keys_fn
    if not flatten_with_keys:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {node_type}. Please pass a flatten_with_keys_fn argument "
            "to register_pytree_node."
        )
    for key, child in flatten_with_keys(tree)[0]:
        yield from _generate_key_paths((*key_path, key), child, is_leaf)


def tree_leaves_with_path(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> list[tuple[KeyPath, Any]]:
    """Pairs (key path, leaf)."""
    return list(_generate_key_paths((), tree, is_leaf))


def tree_flatten_with_path(
    tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """Pairs (key path, leaf), and the spec."""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(
    func: Callable, tree: PyTree, *rests: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> PyTree:
    """Like `tree_map`; `func` also gets the path to the leaf, first."""
    paired, spec = tree_flatten_with_path(tree, is_leaf)
    columns = [spec.flatten_up_to(rest) for rest in rests]
    return spec.unflatten(func(path, leaf, *row) for (path, leaf), *row in zip(paired, *columns, strict=True))


def keystr(kp: KeyPath) -> str:
    """A key path as an expression, as "['a'][0]"."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    for key in kp:
        obj = key.get(obj)
    return obj


def _register_types_of_the_extension() -> None:
    """torch.Size, and the named tuples that operators return."""
    from .. import _C, return_types

    register_pytree_node(
        _C.Size,
        lambda size: (list(size), None),
        lambda values, context: tuple(values),
        serialized_type_name="torch.Size",
        flatten_with_keys_fn=lambda size: ([(SequenceKey(i), n) for i, n in enumerate(size)], None),
    )
    for cls in return_types.all_return_types:
        if cls not in SUPPORTED_NODES:
            return_types.pytree_register_structseq(cls)


_register_types_of_the_extension()
