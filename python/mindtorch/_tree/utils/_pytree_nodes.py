"""How the standard containers are flattened and unflattened as pytree nodes."""

from __future__ import annotations

import dataclasses
import importlib
from collections import OrderedDict, defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True, slots=True)
class SequenceKey:
    """A step of a key path: an index."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Sequence[Any]) -> Any:
        return sequence[self.idx]


@dataclasses.dataclass(frozen=True, slots=True)
class MappingKey:
    """A step of a key path: a dictionary key."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Mapping[Any, Any]) -> Any:
        return mapping[self.key]


@dataclasses.dataclass(frozen=True, slots=True)
class GetAttrKey:
    """A step of a key path: an attribute."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        return getattr(obj, self.name)


def _make_flatten_with_keys(flatten, keys_of):
    """Pairs the results of `flatten` with the keys that lead to them."""

    def flatten_with_keys(node):
        values, context = flatten(node)
        return list(zip(keys_of(values, context, node), values, strict=True)), context

    return flatten_with_keys


def _list_indices(values, _context, _node):
    return map(SequenceKey, range(len(values)))


def _tuple_flatten(d):
    return list(d), None


def _tuple_unflatten(values, context):
    return tuple(values)


def _list_flatten(d):
    return d, None


def _list_unflatten(values, context):
    return list(values)


def _dict_flatten(d):
    return list(d.values()), list(d.keys())


def _dict_unflatten(values, context):
    return dict(zip(context, values, strict=True))


def _namedtuple_flatten(d):
    return list(d), type(d)


def _namedtuple_unflatten(values, context):
    return context(*values)


def _ordereddict_unflatten(values, context):
    return OrderedDict(zip(context, values, strict=True))


def _defaultdict_flatten(d):
    values, keys = _dict_flatten(d)
    return values, [d.default_factory, keys]


def _defaultdict_unflatten(values, context):
    default_factory, keys = context
    return defaultdict(default_factory, _dict_unflatten(values, keys))


def _deque_flatten(d):
    return list(d), d.maxlen


def _deque_unflatten(values, context):
    return deque(values, maxlen=context)


_tuple_flatten_with_keys = _make_flatten_with_keys(_tuple_flatten, _list_indices)
_list_flatten_with_keys = _make_flatten_with_keys(_list_flatten, _list_indices)
_deque_flatten_with_keys = _make_flatten_with_keys(_deque_flatten, _list_indices)
_dict_flatten_with_keys = _make_flatten_with_keys(_dict_flatten, lambda values, keys, node: map(MappingKey, keys))
_namedtuple_flatten_with_keys = _make_flatten_with_keys(
    _namedtuple_flatten, lambda values, cls, node: map(GetAttrKey, node._fields)
)
_defaultdict_flatten_with_keys = _make_flatten_with_keys(
    _defaultdict_flatten, lambda values, context, node: map(MappingKey, context[1])
)
_ordereddict_flatten, _ordereddict_flatten_with_keys = _dict_flatten, _dict_flatten_with_keys
_odict_flatten, _odict_unflatten = _ordereddict_flatten, _ordereddict_unflatten


_DEFAULTDICT_KEYS = ("default_factory_module", "default_factory_name", "dict_context")


def _defaultdict_serialize(context):
    factory, keys = context
    return dict(zip(_DEFAULTDICT_KEYS, (factory.__module__, factory.__qualname__, keys)))


def _defaultdict_deserialize(dumpable_context):
    if not isinstance(dumpable_context, dict):
        raise AssertionError("dumpable_context must be a dict")
    wanted, found = set(_DEFAULTDICT_KEYS), set(dumpable_context)
    if found != wanted:
        raise AssertionError(f"dumpable_context keys must be {wanted}, got {found}")
    for key in _DEFAULTDICT_KEYS[:2]:
        if not isinstance(dumpable_context[key], str):
            raise AssertionError(f"{key} must be a string")
    module, name, keys = (dumpable_context[key] for key in _DEFAULTDICT_KEYS)
    return [getattr(importlib.import_module(module), name), keys]
