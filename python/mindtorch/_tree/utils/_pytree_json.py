"""Tree specs as JSON text and back (torch's protocol 1)."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import json
from enum import Enum
from typing import Any

from . import _pytree


@dataclasses.dataclass
class _TreeSpecSchema:
    type: str | None
    context: object
    children_spec: "list[_TreeSpecSchema]"


class EnumEncoder(json.JSONEncoder):
    """Writes enum members as class and name."""

    def default(self, obj: object) -> str | dict[str, Any]:
        if not isinstance(obj, Enum):
            return super().default(obj)
        cls = type(obj)
        return {"__enum__": True, "fqn": f"{cls.__module__}:{cls.__qualname__}", "name": obj.name}


def enum_object_hook(obj: dict[str, Any]):
    if "__enum__" not in obj:
        return obj
    module, _, qualname = obj["fqn"].partition(":")
    cls = functools.reduce(getattr, qualname.split("."), importlib.import_module(module))
    return cls[obj["name"]]


def _treespec_to_json(treespec) -> _TreeSpecSchema:
    if treespec.is_leaf():
        return _TreeSpecSchema(None, None, [])
    node_def = _pytree.SUPPORTED_SERIALIZED_TYPES.get(treespec.type)
    if node_def is None:
        raise NotImplementedError(f"Serializing {treespec.type} in pytree is not registered.")
    if node_def.serialized_type_name == _pytree.NO_SERIALIZED_TYPE_NAME_FOUND:
        raise NotImplementedError(
            f"No registered serialization name for {treespec.type} found. Please update your _register_pytree_node "
            "call with a `serialized_type_name` kwarg."
        )
    if node_def.to_dumpable_context is not None:
        context = node_def.to_dumpable_context(treespec._context)
    else:
        try:
            context = json.dumps(treespec._context, cls=EnumEncoder)
        except TypeError as error:
            raise TypeError(
                "Unable to serialize context. Please make the context json dump-able, or register a custom "
                "serializer using _register_pytree_node."
            ) from error
    children = [_treespec_to_json(child) for child in treespec._children]
    return _TreeSpecSchema(node_def.serialized_type_name, context, children)


def _json_to_treespec(schema):
    if schema["type"] is None and schema["context"] is None and not schema["children_spec"]:
        return _pytree._LEAF_SPEC
    cls = _pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE.get(schema["type"])
    if cls is None:
        raise NotImplementedError(f"Deserializing {schema['type']} in pytree is not registered.")
    node_def = _pytree.SUPPORTED_SERIALIZED_TYPES[cls]
    if node_def.from_dumpable_context is not None:
        context = node_def.from_dumpable_context(schema["context"])
    else:
        try:
            context = json.loads(schema["context"], object_hook=enum_object_hook)
        except TypeError as error:
            raise TypeError(
                "Unable to deserialize context. Please make the context json load-able, or register a custom "
                "serializer using _register_pytree_node."
            ) from error
    return _pytree.TreeSpec(cls, context, [_json_to_treespec(child) for child in schema["children_spec"]])


_PROTOCOLS = {1: (_treespec_to_json, _json_to_treespec)}


def _find_protocol(number):
    if number not in _PROTOCOLS:
        raise ValueError(f"Unknown protocol {number}. Available protocols: {list(_PROTOCOLS)}")
    return _PROTOCOLS[number]


def treespec_dumps(treespec, protocol: int | None = None) -> str:
    if not isinstance(treespec, _pytree.TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    if protocol is None:
        protocol = _pytree.DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL
    to_json, _ = _find_protocol(protocol)
    return json.dumps((protocol, dataclasses.asdict(to_json(treespec))), cls=EnumEncoder)


@functools.lru_cache
def treespec_loads(serialized: str):
    protocol, schema = json.loads(serialized)
    return _find_protocol(protocol)[1](schema)
