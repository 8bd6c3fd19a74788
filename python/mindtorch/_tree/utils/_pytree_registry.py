"""The types that are nodes of a tree, and how each is flattened and unflattened."""

import dataclasses
import threading
import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from . import _pytree_nodes as nodes
from ._deprecated import deprecated

DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL = 1
NO_SERIALIZED_TYPE_NAME_FOUND = "NO_SERIALIZED_TYPE_NAME_FOUND"
Py_TPFLAGS_BASETYPE: int = 1 << 10

Context = Any
PyTree = Any
DumpableContext = Any
FlattenFn = FlattenFunc = Callable[[PyTree], tuple[list[Any], Context]]
UnflattenFn = UnflattenFunc = Callable[[Iterable[Any], Context], PyTree]
ToDumpableContextFn = Callable[[Context], DumpableContext]
FromDumpableContextFn = Callable[[DumpableContext], Context]
KeyEntry = Any
KeyPath = tuple[KeyEntry, ...]
FlattenWithKeysFn = FlattenWithKeysFunc = Callable[[PyTree], tuple[list[tuple[KeyEntry, Any]], Any]]


class NodeDef(NamedTuple):
    type: type[Any]
    flatten_fn: FlattenFn
    unflatten_fn: UnflattenFn
    flatten_with_keys_fn: FlattenWithKeysFn | None


class _SerializeNodeDef(NamedTuple):
    typ: type[Any]
    serialized_type_name: str
    to_dumpable_context: ToDumpableContextFn | None
    from_dumpable_context: FromDumpableContextFn | None


_NODE_REGISTRY_LOCK = threading.RLock()
SUPPORTED_NODES: dict[type[Any], NodeDef] = {}
SUPPORTED_SERIALIZED_TYPES: dict[type[Any], _SerializeNodeDef] = {}
SERIALIZED_TYPE_TO_PYTHON_TYPE: dict[str, type[Any]] = {}
CONSTANT_NODES: set[type] = set()


def _private_register_pytree_node(
    cls,
    flatten_fn,
    unflatten_fn,
    *,
    serialized_type_name=None,
    to_dumpable_context=None,
    from_dumpable_context=None,
    flatten_with_keys_fn=None,
) -> None:
    with _NODE_REGISTRY_LOCK:
        if cls in SUPPORTED_NODES:
            warnings.warn(
                f"{cls} is already registered as pytree node. Overwriting the previous registration.", stacklevel=2
            )
        SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)
        if (to_dumpable_context is None) != (from_dumpable_context is None):
            raise ValueError(
                f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered."
            )
        name = NO_SERIALIZED_TYPE_NAME_FOUND if serialized_type_name is None else serialized_type_name
        SUPPORTED_SERIALIZED_TYPES[cls] = _SerializeNodeDef(cls, name, to_dumpable_context, from_dumpable_context)
        SERIALIZED_TYPE_TO_PYTHON_TYPE[name] = cls


def register_pytree_node(
    cls: type[Any], flatten_fn: FlattenFn, unflatten_fn: UnflattenFn, *, serialized_type_name: str | None = None,
    to_dumpable_context: ToDumpableContextFn | None = None, from_dumpable_context: FromDumpableContextFn | None = None,
    flatten_with_keys_fn: FlattenWithKeysFn | None = None,
) -> None:
    """Makes the objects of a class inner nodes of trees.

    Args:
        cls (type): the class.
        flatten_fn (callable): from an object to the list of its children and a context.
        unflatten_fn (callable): from children and the context to an object.
        serialized_type_name (str, optional): its name in `treespec_dumps`. Default: ``None``.
        to_dumpable_context (callable, optional): from a context to something for JSON.
            Default: ``None``.
        from_dumpable_context (callable, optional): the way back. Default: ``None``.
        flatten_with_keys_fn (callable, optional): as `flatten_fn`, with pairs of a key and a child.
            Default: ``None``.

    Raises:
        ValueError: if the class is registered already, or has only one of the two functions for JSON.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> class Pair:
        ...     def __init__(self, first, second):
        ...         self.first, self.second = first, second
        >>> pytree.register_pytree_node(
        ...     Pair, lambda pair: ([pair.first, pair.second], None), lambda children, _: Pair(*children)
        ... )
        >>> pytree.tree_leaves([Pair(1, (2, 3))])
        [1, 2, 3]
    """
    with _NODE_REGISTRY_LOCK:
        if cls in SUPPORTED_NODES:
            raise ValueError(f"{cls} is already registered as pytree node.")
        _private_register_pytree_node(
            cls, flatten_fn, unflatten_fn, serialized_type_name=serialized_type_name,
            to_dumpable_context=to_dumpable_context, from_dumpable_context=from_dumpable_context,
            flatten_with_keys_fn=flatten_with_keys_fn,
        )


@deprecated(
    "`torch.utils._pytree._register_pytree_node` is deprecated. "
    "Please use `torch.utils._pytree.register_pytree_node` instead."
)
def _register_pytree_node(cls, flatten_fn, unflatten_fn, to_str_fn=None, maybe_from_str_fn=None, **keywords) -> None:
    if to_str_fn is not None or maybe_from_str_fn is not None:
        warnings.warn(
            "`to_str_fn` and `maybe_from_str_fn` is deprecated. "
            "Please use `to_dumpable_context` and `from_dumpable_context` instead.",
            FutureWarning,
            stacklevel=3,
        )
    _private_register_pytree_node(cls, flatten_fn, unflatten_fn, **keywords)


def _deregister_pytree_node(cls: type[Any]) -> None:
    with _NODE_REGISTRY_LOCK:
        del SUPPORTED_NODES[cls]
        node_def = SUPPORTED_SERIALIZED_TYPES.pop(cls)
        del SERIALIZED_TYPE_TO_PYTHON_TYPE[node_def.serialized_type_name]
        CONSTANT_NODES.discard(cls)


def _dataclass_field_names(cls, field_names, dropped):
    if not dataclasses.is_dataclass(cls):
        if field_names is None:
            raise ValueError(
                f"field_names must be specified with a list of all fields used to initialize {cls}, as it is not a "
                "dataclass."
            )
        return field_names
    own = [field.name for field in dataclasses.fields(cls) if field.init]
    if field_names is None:
        return own
    wanted, given = set(own) - set(dropped), set(field_names)
    if wanted == given:
        return field_names
    message = "field_names does not include all dataclass fields.\n"
    if missing := wanted - given:
        message += (
            f"Missing fields in `field_names`: {missing}. If you want to include these fields in the pytree, please "
            "add them to `field_names`, otherwise please add them to `drop_field_names`.\n"
        )
    if unexpected := given - wanted:
        message += (
            f"Unexpected fields in `field_names`: {unexpected}. Please remove these fields, or add them to "
            "`drop_field_names`.\n"
        )
    raise ValueError(message)


def register_dataclass(
    cls: type[Any], *, field_names: list[str] | None = None, drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Makes the objects of a dataclass inner nodes of trees; fields that are None are no leaves.

    Args:
        cls (type): the class; another than a dataclass needs `field_names`.
        field_names (list of str, optional): the fields. Default: ``None``, all of the constructor.
        drop_field_names (list of str, optional): fields to leave out. Default: ``None``.
        serialized_type_name (str, optional): its name in `treespec_dumps`. Default: ``None``.

    Raises:
        ValueError: if the names are not those of the fields.

    Example:
        >>> from dataclasses import dataclass
        >>> from torch.utils import _pytree as pytree
        >>> @dataclass
        ... class Point:
        ...     x: int
        ...     y: int
        >>> pytree.register_dataclass(Point)
        >>> pytree.tree_map(lambda value: 10 * value, Point(1, 2)).y
        20
    """
    names = _dataclass_field_names(cls, field_names, drop_field_names or [])

    def flatten_dataclass(obj):
        values = {name: getattr(obj, name) for name in names}
        present = [name for name in names if values[name] is not None]
        return [values[name] for name in present], [present, [name for name in names if values[name] is None]]

    def unflatten_dataclass(values, context):
        present, absent = context
        return cls(**dict(zip(present, values, strict=True)), **dict.fromkeys(absent))

    def flatten_with_keys(obj):
        values, (present, _) = flatten_dataclass(obj)
        return [(nodes.GetAttrKey(name), value) for name, value in zip(present, values, strict=True)], present

    _private_register_pytree_node(
        cls,
        flatten_dataclass,
        unflatten_dataclass,
        serialized_type_name=serialized_type_name,
        flatten_with_keys_fn=flatten_with_keys,
    )


@dataclasses.dataclass(frozen=True, slots=True)
class ConstantNode:
    """Stores a value without leaves in a spec."""

    value: Any


def register_constant(cls: type[Any]) -> None:
    """Makes the objects of a class nodes without leaves, which are part of the structure.

    Args:
        cls (type): the class, with an equality and a hash of its own.

    Raises:
        TypeError: if it has no such methods.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> class Mode(str):
        ...     pass
        >>> pytree.register_constant(Mode)
        >>> pytree.tree_leaves([1, Mode("fast")])
        [1]
    """
    for method in ("__eq__", "__hash__"):
        found = getattr(cls, method)
        if found is None or (method == "__eq__" and found is object.__eq__):
            raise TypeError(f"register_constant(cls) expects `cls` to have a non-default `{method}` implementation.")

    def flatten_constant(value):
        return [], ConstantNode(value)

    with _NODE_REGISTRY_LOCK:
        _private_register_pytree_node(
            cls, flatten_constant, lambda _, context: context.value, flatten_with_keys_fn=flatten_constant
        )
        CONSTANT_NODES.add(cls)


def is_constant_class(cls: type[Any]) -> bool:
    """Returns whether a class was registered by `register_constant`.

    Args:
        cls (type): the class.

    Returns:
        bool: whether it was.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.is_constant_class(list)
        False
    """
    return isinstance(cls, type) and cls in CONSTANT_NODES


def is_namedtuple(obj: object | type) -> bool:
    """Returns whether it is a named tuple or a class of some.

    Args:
        obj (Any): the object or class.

    Returns:
        bool: whether it is.

    Example:
        >>> from collections import namedtuple
        >>> from torch.utils import _pytree as pytree
        >>> pytree.is_namedtuple(namedtuple("Point", "x y")(1, 2)), pytree.is_namedtuple((1, 2))
        (True, False)
    """
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_namedtuple_class(cls: type) -> bool:
    """Returns whether it is a class of named tuples.

    Args:
        cls (type): the class.

    Returns:
        bool: whether it is.

    Example:
        >>> from collections import namedtuple
        >>> from torch.utils import _pytree as pytree
        >>> pytree.is_namedtuple_class(namedtuple("Point", "x y")), pytree.is_namedtuple_class(tuple)
        (True, False)
    """
    if not (isinstance(cls, type) and issubclass(cls, tuple)):
        return False
    fields = getattr(cls, "_fields", None)
    return (
        isinstance(fields, tuple)
        and all(type(field) is str for field in fields)
        and callable(getattr(cls, "_make", None))
        and callable(getattr(cls, "_asdict", None))
    )


def is_namedtuple_instance(obj: object) -> bool:
    """Returns whether it is a named tuple.

    Args:
        obj (Any): the object.

    Returns:
        bool: whether it is.

    Example:
        >>> from collections import namedtuple
        >>> from torch.utils import _pytree as pytree
        >>> pytree.is_namedtuple_instance(namedtuple("Point", "x y")(1, 2))
        True
    """
    return is_namedtuple_class(type(obj))


def is_structseq(obj: object | type) -> bool:
    """Returns whether it is a named tuple that C made, as operators return, or a class of some.

    Args:
        obj (Any): the object or class.

    Returns:
        bool: whether it is.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.is_structseq(torch.max(torch.ones(2), 0)), pytree.is_structseq((1, 2))
        (True, False)
    """
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_class(cls: type) -> bool:
    """Returns whether it is a class of named tuples that C made.

    Args:
        cls (type): the class.

    Returns:
        bool: whether it is.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.is_structseq_class(torch.return_types.max)
        True
    """
    return (
        isinstance(cls, type)
        and cls.__bases__ == (tuple,)
        and all(isinstance(getattr(cls, f"n_{kind}", None), int) for kind in _STRUCTSEQ_COUNTS)
        and not cls.__flags__ & Py_TPFLAGS_BASETYPE
    )


_STRUCTSEQ_COUNTS = ("fields", "sequence_fields", "unnamed_fields")


def is_structseq_instance(obj: object) -> bool:
    """Returns whether it is a named tuple that C made.

    Args:
        obj (Any): the object.

    Returns:
        bool: whether it is.

    Example:
        >>> from torch.utils import _pytree as pytree
        >>> pytree.is_structseq_instance(torch.max(torch.ones(2), 0))
        True
    """
    return is_structseq_class(type(obj))


def _namedtuple_serialize(context):
    if context not in SUPPORTED_SERIALIZED_TYPES:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {context} because we didn't register a "
            "serializated_type_name. Please register using `_register_namedtuple`."
        )
    name = SUPPORTED_SERIALIZED_TYPES[context].serialized_type_name
    if name == NO_SERIALIZED_TYPE_NAME_FOUND:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {context} because we couldn't find a serializated_type_name."
            " Please register using `_register_namedtuple`."
        )
    return name


def _namedtuple_deserialize(dumpable_context):
    if dumpable_context not in SERIALIZED_TYPE_TO_PYTHON_TYPE:
        raise NotImplementedError(
            f"Can't deserialize TreeSpec of namedtuple class {dumpable_context} because we couldn't find a "
            "serializated name."
        )
    return SERIALIZED_TYPE_TO_PYTHON_TYPE[dumpable_context]


def _register_namedtuple(cls: type[Any], *, serialized_type_name: str) -> None:
    _private_register_pytree_node(
        cls,
        nodes._namedtuple_flatten,
        nodes._namedtuple_unflatten,
        serialized_type_name=serialized_type_name,
        to_dumpable_context=_namedtuple_serialize,
        from_dumpable_context=_namedtuple_deserialize,
        flatten_with_keys_fn=nodes._namedtuple_flatten_with_keys,
    )


for _cls, _name, _flatten, _unflatten, _flatten_keyed in (
    (tuple, "builtins.tuple", nodes._tuple_flatten, nodes._tuple_unflatten, nodes._tuple_flatten_with_keys),
    (list, "builtins.list", nodes._list_flatten, nodes._list_unflatten, nodes._list_flatten_with_keys),
    (dict, "builtins.dict", nodes._dict_flatten, nodes._dict_unflatten, nodes._dict_flatten_with_keys),
    (
        OrderedDict,
        "collections.OrderedDict",
        nodes._ordereddict_flatten,
        nodes._ordereddict_unflatten,
        nodes._ordereddict_flatten_with_keys,
    ),
    (deque, "collections.deque", nodes._deque_flatten, nodes._deque_unflatten, nodes._deque_flatten_with_keys),
):
    _private_register_pytree_node(
        _cls, _flatten, _unflatten, serialized_type_name=_name, flatten_with_keys_fn=_flatten_keyed
    )
_register_namedtuple(namedtuple, serialized_type_name="collections.namedtuple")
_private_register_pytree_node(
    defaultdict,
    nodes._defaultdict_flatten,
    nodes._defaultdict_unflatten,
    serialized_type_name="collections.defaultdict",
    to_dumpable_context=nodes._defaultdict_serialize,
    from_dumpable_context=nodes._defaultdict_deserialize,
    flatten_with_keys_fn=nodes._defaultdict_flatten_with_keys,
)

STANDARD_DICT_TYPES: frozenset[type] = frozenset({dict, OrderedDict, defaultdict})
BUILTIN_TYPES: frozenset[type] = frozenset({tuple, list, dict, namedtuple, OrderedDict, defaultdict, deque})


def _get_node_type(tree: Any) -> Any:
    cls = type(tree)
    return namedtuple if is_namedtuple_class(cls) else cls
