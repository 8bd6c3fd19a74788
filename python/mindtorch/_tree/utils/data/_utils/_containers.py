"""Rebuilds a container of the same type with new contents (for collate, convert and pin_memory)."""

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence


def make_mapping_like(original: Mapping, values: dict):
    """Keeps the type of `original`, and its additional state if possible; otherwise returns a plain dict."""
    try:
        if isinstance(original, MutableMapping):
            clone = copy.copy(original)
            clone.update(values)
            return clone
        return type(original)(values)
    except TypeError:
        # The type's constructor does not accept a mapping alone.
        return values


def make_sequence_like(original, values: list):
    try:
        if isinstance(original, MutableSequence):
            clone = copy.copy(original)
            for index, value in enumerate(values):
                clone[index] = value
            return clone
        return type(original)(values)
    except TypeError:
        return values


def is_namedtuple(data) -> bool:
    return isinstance(data, tuple) and hasattr(data, "_fields")
