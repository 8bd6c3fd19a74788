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
    """Returns whether a value is no known container.

    Args:
        tree (Any): the value.
        is_leaf (callable, optional): whether to take a value as a leaf that is a container.
            Default: ``None``.

    Returns:
        bool: whether it is a leaf.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.tree_is_leaf(1), pytree.tree_is_leaf([1])
        (True, False)
    """
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

# Pickles and `repr` name these classes by their public module.
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
    """Splits a tree into the list of its leaves and the spec that rebuilds it.

    Nodes are lists, tuples, named tuples, dicts, ordered and default dicts, deques, `torch.Size`, the
    named results of operators, and types that were registered; None is a leaf. Keys of dicts keep
    their order.

    Args:
        tree (Any): the tree.
        is_leaf (callable, optional): whether to take a node as a leaf. Default: ``None``.

    Returns:
        tuple of list and TreeSpec: the leaves from left to right, and the spec.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> leaves, spec = pytree.tree_flatten({"a": 1, "b": [2, 3]})
        >>> leaves
        [1, 2, 3]
        >>> pytree.tree_unflatten([10, 20, 30], spec)
        {'a': 10, 'b': [20, 30]}
    """
    leaves: list[Any] = []
    spec = _append_leaves(tree, is_leaf, leaves)
    return leaves, spec


def _append_leaves(node, is_leaf, leaves) -> TreeSpec:
    """Appends the leaves of a tree to a list; returns its spec.

    Not nested in its caller: a function that refers to itself by its closure is a cycle, and keeps the leaves alive
    until the garbage collector finds it.
    """
    if tree_is_leaf(node, is_leaf=is_leaf):
        leaves.append(node)
        return _LEAF_SPEC
    node_type = _get_node_type(node)
    children, context = SUPPORTED_NODES[node_type].flatten_fn(node)
    return TreeSpec(node_type, context, [_append_leaves(child, is_leaf, leaves) for child in children])


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """Returns the tree of given leaves that a spec describes.

    Args:
        leaves (iterable): the leaves, as many as the spec has.
        treespec (TreeSpec): the spec, of `tree_flatten`.

    Returns:
        Any: the tree.

    Raises:
        ValueError: if the number of leaves is another.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.tree_unflatten([1, 2], pytree.tree_structure(("x", {"a": "y"})))
        (1, {'a': 2})
    """
    if not isinstance(treespec, TreeSpec):
        if not isinstance(leaves, TreeSpec):
            raise TypeError(
                f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}."
            )
        leaves, treespec = treespec, leaves
    return treespec.unflatten(leaves)


def tree_iter(tree: PyTree, is_leaf: Callable[[PyTree], bool] | None = None) -> Iterable[Any]:
    """Yields the leaves of a tree, one at a time.

    Args:
        tree (Any): the tree.
        is_leaf (callable, optional): whether to take a node as a leaf. Default: ``None``.

    Returns:
        iterator: over the leaves.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> list(pytree.tree_iter([1, (2, 3)]))
        [1, 2, 3]
    """
    if tree_is_leaf(tree, is_leaf=is_leaf):
        yield tree
        return
    children, _ = SUPPORTED_NODES[_get_node_type(tree)].flatten_fn(tree)
    for child in children:
        yield from tree_iter(child, is_leaf=is_leaf)


def tree_leaves(tree: PyTree, is_leaf: Callable[[PyTree], bool] | None = None) -> list[Any]:
    """Returns the leaves of a tree.

    Args:
        tree (Any): the tree.
        is_leaf (callable, optional): whether to take a node as a leaf. Default: ``None``.

    Returns:
        list: the leaves.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.tree_leaves([1, (2, 3)])
        [1, 2, 3]
    """
    return list(tree_iter(tree, is_leaf=is_leaf))


def tree_structure(tree: PyTree, is_leaf: Callable[[PyTree], bool] | None = None) -> TreeSpec:
    """Returns the spec of a tree.

    Args:
        tree (Any): the tree.
        is_leaf (callable, optional): whether to take a node as a leaf. Default: ``None``.

    Returns:
        TreeSpec: the spec.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.tree_structure([1, 2]) == pytree.tree_structure(["x", "y"])
        True
    """
    return tree_flatten(tree, is_leaf=is_leaf)[1]


def tree_map(func: Callable, tree: PyTree, *rests: PyTree, is_leaf: Callable[[PyTree], bool] | None = None) -> PyTree:
    """Returns the tree of a function's results for each leaf.

    Args:
        func (callable): takes a leaf, and one value of each of the other trees.
        tree (Any): the tree.
        *rests (Any): other trees, with the structure of `tree` down to its leaves.
        is_leaf (callable, optional): whether to take a node as a leaf. Default: ``None``.

    Returns:
        Any: the new tree.

    Raises:
        ValueError: if another tree has another structure.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.tree_map(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]})
        {'a': 11, 'b': [22]}
    """
    leaves, spec = tree_flatten(tree, is_leaf=is_leaf)
    return spec.unflatten(map(func, leaves, *[spec.flatten_up_to(rest) for rest in rests]))


def tree_map_(func: Callable, tree: PyTree, *rests: PyTree, is_leaf: Callable[[PyTree], bool] | None = None) -> PyTree:
    """Calls a function on the leaves for its effect.

    Args:
        func (callable): takes a leaf, and one value of each of the other trees.
        tree (Any): the tree.
        *rests (Any): other trees, with the structure of `tree` down to its leaves.
        is_leaf (callable, optional): whether to take a node as a leaf. Default: ``None``.

    Returns:
        Any: `tree` itself.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.tree_map_(lambda x: x.add_(1), [torch.zeros(1), torch.ones(1)])
        [tensor([1.]), tensor([2.])]
    """
    leaves, spec = tree_flatten(tree, is_leaf=is_leaf)
    for entries in zip(leaves, *[spec.flatten_up_to(rest) for rest in rests]):
        func(*entries)
    return tree


TypeAny = type[Any] | tuple[type[Any], ...] | types.UnionType


def map_only(
    type_or_types_or_pred: TypeAny | Callable[[Any], bool], /
) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Returns a decorator that makes a function return values of other types unchanged.

    Args:
        type_or_types_or_pred (type, tuple, union or callable): the types, or a function that returns
            whether to call.

    Returns:
        callable: from a function to one that returns other values as they are.

    Raises:
        TypeError: if it is none of these.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> negate = pytree.map_only(int)(lambda x: -x)
        >>> negate(1), negate("a")
        (-1, 'a')
    """
    if isinstance(type_or_types_or_pred, (type, tuple, types.UnionType)):

        def has_wanted_type(value):
            return isinstance(value, type_or_types_or_pred)

    elif callable(type_or_types_or_pred):
        has_wanted_type = type_or_types_or_pred
    else:
        raise TypeError("Argument must be a type, a tuple of types, or a callable.")

    def decorate(func):
        @functools.wraps(func)
        def wrapper(value):
            return func(value) if has_wanted_type(value) else value

        return wrapper

    return decorate


def tree_map_only(
    type_or_types_or_pred: type[Any] | tuple[type[Any], ...] | types.UnionType | Callable[[Any], bool],
    /,
    func: Callable[[Any], Any],
    tree: Any,
    is_leaf: Callable[[Any], bool] | None = None,
) -> PyTree:
    """Returns the tree of a function's results for the leaves of given types; others stay.

    Args:
        type_or_types_or_pred (type, tuple, union or callable): the types, or a function that returns
            whether to call.
        func (callable): takes a leaf.
        tree (Any): the tree.
        is_leaf (callable, optional): whether to take a node as a leaf. Default: ``None``.

    Returns:
        Any: the new tree.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.tree_map_only(int, lambda x: -x, [1, ("a", 2)])
        [-1, ('a', -2)]
    """
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: type[Any] | tuple[type[Any], ...] | types.UnionType | Callable[[Any], bool],
    /,
    func: Callable[[Any], Any],
    tree: Any,
    is_leaf: Callable[[Any], bool] | None = None,
) -> PyTree:
    """Calls a function on the leaves of given types for its effect.

    Args:
        type_or_types_or_pred (type, tuple, union or callable): the types, or a function that returns
            whether to call.
        func (callable): takes a leaf.
        tree (Any): the tree.
        is_leaf (callable, optional): whether to take a node as a leaf. Default: ``None``.

    Returns:
        Any: `tree` itself.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.tree_map_only_(torch.Tensor, torch.Tensor.zero_, [torch.ones(1), "a"])
        [tensor([0.]), 'a']
    """
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Returns whether a predicate is true for all leaves.

    Args:
        pred (callable): from a leaf to a bool.
        tree (Any): the tree.
        is_leaf (callable, optional): whether to take a node as a leaf. Default: ``None``.

    Returns:
        bool: whether it is.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.tree_all(lambda x: x > 0, [1, (2, -3)])
        False
    """
    return all(map(pred, tree_iter(tree, is_leaf=is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Returns whether a predicate is true for any leaf.

    Args:
        pred (callable): from a leaf to a bool.
        tree (Any): the tree.
        is_leaf (callable, optional): whether to take a node as a leaf. Default: ``None``.

    Returns:
        bool: whether it is.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.tree_any(lambda x: x > 0, [1, (2, -3)])
        True
    """
    return any(map(pred, tree_iter(tree, is_leaf=is_leaf)))


def tree_all_only(
    type_or_types: TypeAny, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> bool:
    """Returns whether a predicate is true for all leaves of given types.

    Args:
        type_or_types (type, tuple or union): the types.
        pred (callable): from a leaf to a bool.
        tree (Any): the tree.
        is_leaf (callable, optional): whether to take a node as a leaf. Default: ``None``.

    Returns:
        bool: whether it is.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.tree_all_only(int, lambda x: x > 0, [1, ("a", 2)])
        True
    """
    return all(pred(leaf) for leaf in tree_iter(tree, is_leaf=is_leaf) if isinstance(leaf, type_or_types))


def tree_any_only(
    type_or_types: TypeAny, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> bool:
    """Returns whether a predicate is true for any leaf of given types.

    Args:
        type_or_types (type, tuple or union): the types.
        pred (callable): from a leaf to a bool.
        tree (Any): the tree.
        is_leaf (callable, optional): whether to take a node as a leaf. Default: ``None``.

    Returns:
        bool: whether it is.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.tree_any_only(int, lambda x: x > 2, [1, ("a", 2)])
        False
    """
    return any(pred(leaf) for leaf in tree_iter(tree, is_leaf=is_leaf) if isinstance(leaf, type_or_types))


def _broadcast_to_and_flatten(tree: PyTree, treespec: TreeSpec, is_leaf=None) -> list[Any] | None:
    """Repeats each leaf of a prefix tree for the leaves below it; None if it is not a prefix."""
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
    """Returns a spec as JSON.

    Args:
        treespec (TreeSpec): the spec.
        protocol (int, optional): version of the format. Default: ``None``, the newest, 1.

    Returns:
        str: the JSON.

    Raises:
        NotImplementedError: if a type was registered without a name for it.
        ValueError: if there is no such version.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> spec = pytree.tree_structure([1, (2,)])
        >>> pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec
        True
    """
    from . import _pytree_json

    return _pytree_json.treespec_dumps(treespec, protocol)


def treespec_loads(serialized: str) -> TreeSpec:
    """Returns the spec that `treespec_dumps` wrote.

    Args:
        serialized (str): the JSON.

    Returns:
        TreeSpec: the spec.

    Raises:
        ValueError: if the version of the format is unknown.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> text = pytree.treespec_dumps(pytree.tree_structure({"a": 0}))
        >>> pytree.tree_unflatten([1], pytree.treespec_loads(text))
        {'a': 1}
    """
    from . import _pytree_json

    return _pytree_json.treespec_loads(serialized)


class _Asterisk(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return "*"


def treespec_pprint(treespec: TreeSpec) -> str:
    """Returns a spec as the tree it describes, with asterisks for leaves.

    Args:
        treespec (TreeSpec): the spec.

    Returns:
        str: the text.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> print(pytree.treespec_pprint(pytree.tree_structure({"a": 1, "b": [2]})))
        {'a': *, 'b': [*]}
    """
    return repr(tree_unflatten([_Asterisk("*")] * treespec.num_leaves, treespec))


@deprecated("`pytree_to_str` is deprecated. Please use `treespec_dumps` instead.")
def pytree_to_str(treespec: TreeSpec) -> str:
    return treespec_dumps(treespec)


@deprecated("`str_to_pytree` is deprecated. Please use `treespec_loads` instead.")
def str_to_pytree(json: str) -> TreeSpec:
    return treespec_loads(json)


def arg_tree_leaves(*args: PyTree, **kwargs: PyTree) -> list[Any]:
    """Returns the leaves of arguments.

    Args:
        *args, **kwargs (Any): trees.

    Returns:
        list: the leaves of all.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.arg_tree_leaves([1], x=(2, 3))
        [1, 2, 3]
    """
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
    """Returns the leaves of a tree with their paths.

    Args:
        tree (Any): the tree.
        is_leaf (callable, optional): whether to take a node as a leaf. Default: ``None``.

    Returns:
        list of tuple: pairs of a path, the tuple of keys from the root, and a leaf.

    Raises:
        ValueError: if a type was registered without `flatten_with_keys_fn`.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> [(pytree.keystr(path), leaf) for path, leaf in pytree.tree_leaves_with_path({"a": [1, 2]})]
        [("['a'][0]", 1), ("['a'][1]", 2)]
    """
    return list(_generate_key_paths((), tree, is_leaf))


def tree_flatten_with_path(
    tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """Splits a tree into the list of its leaves with their paths, and its spec.

    Args:
        tree (Any): the tree.
        is_leaf (callable, optional): whether to take a node as a leaf. Default: ``None``.

    Returns:
        tuple of list and TreeSpec: pairs of a path and a leaf, and the spec.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pairs, spec = pytree.tree_flatten_with_path(["x"])
        >>> pairs
        [((SequenceKey(idx=0),), 'x')]
    """
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(
    func: Callable, tree: PyTree, *rests: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> PyTree:
    """Returns the tree of a function's results for each path and leaf.

    Args:
        func (callable): takes a path, a leaf, and one value of each of the other trees.
        tree (Any): the tree.
        *rests (Any): other trees, with the structure of `tree` down to its leaves.
        is_leaf (callable, optional): whether to take a node as a leaf. Default: ``None``.

    Returns:
        Any: the new tree.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.tree_map_with_path(lambda path, x: pytree.keystr(path), {"a": [1, 2]})
        {'a': ["['a'][0]", "['a'][1]"]}
    """
    paired, spec = tree_flatten_with_path(tree, is_leaf)
    columns = [spec.flatten_up_to(rest) for rest in rests]
    return spec.unflatten(func(path, leaf, *row) for (path, leaf), *row in zip(paired, *columns, strict=True))


def keystr(kp: KeyPath) -> str:
    """Returns a path as the text of an expression.

    Args:
        kp (tuple): the keys from the root.

    Returns:
        str: the text.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.keystr((pytree.MappingKey("a"), pytree.SequenceKey(0)))
        "['a'][0]"
    """
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """Returns the subtree at a path of a tree.

    Args:
        obj (Any): the tree.
        kp (tuple): the keys from the root.

    Returns:
        Any: the node or leaf.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.key_get({"a": [5]}, (pytree.MappingKey("a"), pytree.SequenceKey(0)))
        5
    """
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
