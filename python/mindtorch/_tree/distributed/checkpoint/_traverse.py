"""Traverses nested dictionaries and lists by paths."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..._root import torch

PATH_ITEM = str | int
OBJ_PATH = tuple[PATH_ITEM, ...]
STATE_DICT_ITEM = object

__all__ = ["traverse_state_dict", "set_element", "get_element", "print_tensor"]


def _is_tensor(value):
    return isinstance(value, torch.Tensor)


def _list_contained_values(value):
    return value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()


def _must_descend_into(value, wanted, every_mapping):
    """Whether to descend into a value: a list (or a mapping) that contains a selected value."""
    if every_mapping and isinstance(value, Mapping):
        return True
    return any(
        (wanted and wanted(part)) or _must_descend_into(part, wanted, every_mapping)
        for part in _list_contained_values(value)
    )


def _yield_values_with_paths(path, value, wanted, every_mapping) -> Iterator[tuple[OBJ_PATH, Any]]:
    if not _must_descend_into(value, wanted, every_mapping):
        yield path, value
        return
    inner = ((str(key), part) for key, part in value.items()) if isinstance(value, Mapping) else enumerate(value)
    for key, part in inner:
        yield from _yield_values_with_paths((*path, key), part, wanted, every_mapping)


def traverse_state_dict(
    state_dict: dict[str, Any],
    visitor: Callable[[OBJ_PATH, Any], None],
    keep_traversing: Callable[[Any], bool] = _is_tensor,
) -> None:
    """Calls a function for each value of nested dictionaries, and of lists in them that hold tensors or dictionaries.

    Args:
        state_dict (dict[str, Any]): the outermost dictionary.
        visitor (callable): called with the path (a tuple of str and int) and the value.
        keep_traversing (callable): whether a list that holds this value is taken apart. Default: if it is a tensor.
    """
    for key, value in state_dict.items():
        for path, leaf in _yield_values_with_paths((str(key),), value, keep_traversing, True):
            visitor(path, leaf)


def traverse_state_dict_v_2_3(
    state_dict: dict[str, Any],
    visitor: Callable[[OBJ_PATH, Any], None],
    keep_traversing: Callable[[Any], bool] = _is_tensor,
) -> None:
    """As `traverse_state_dict`, in the way of torch 2.3: dictionaries without tensors stay whole.

    Args:
        state_dict (dict[str, Any]): the outermost dictionary.
        visitor (callable): called with the path and the value.
        keep_traversing (callable): whether what holds this value is taken apart. Default: whether it is a tensor.
    """
    for key, value in state_dict.items():
        for path, leaf in _yield_values_with_paths((str(key),), value, keep_traversing, False):
            visitor(path, leaf)


def _get_or_insert_value(container, key, fresh):
    """Returns a container's value under a key; inserts `fresh` if there is none."""
    if isinstance(container, Mapping):
        return container.setdefault(key, fresh)
    container.extend([None] * (key + 1 - len(container)))
    if container[key] is None:
        container[key] = fresh
    return container[key]


def set_element(root_dict: dict[str, Any], path: OBJ_PATH, value: Any) -> None:
    """Puts a value into nested dictionaries and lists, which are made and lengthened as needed.

    Args:
        root_dict (dict[str, Any]): the outermost dictionary; is changed.
        path (tuple of str and int): keys of dictionaries (str) and indices of lists (int).
        value (Any): the value.
    """
    *inner, last = path
    container = root_dict
    for key, following in zip(inner, path[1:]):
        container = _get_or_insert_value(container, key, {} if type(following) is str else [])
    if type(last) is int:
        container.extend([None] * (last + 1 - len(container)))
    container[last] = value


def get_element(root_dict: dict[str, Any], path: OBJ_PATH, default_value: Any = None) -> Any:
    """Returns the value at a path of nested dictionaries and lists.

    Args:
        root_dict (dict[str, Any]): the outermost dictionary.
        path (tuple of str and int): as of `set_element`.
        default_value (Any): the result if there is nothing. Default: ``None``.

    Returns:
        Any: the value.
    """
    value = root_dict
    for key in path:
        kind = list if type(key) is int else Mapping
        try:
            value = value[key] if isinstance(value, kind) else default_value
        except LookupError:
            return default_value
        if value is default_value:
            break
    return value


def print_tensor(path: OBJ_PATH, value: Any, print_fun: Callable[[str], None] = print) -> None:
    """Prints a path, and the shape of a tensor or the type of anything else: a visitor for `traverse_state_dict`.

    Args:
        path (tuple of str and int): the path.
        value (Any): the value.
        print_fun (callable): called with the text. Default: ``print``.
    """
    print_fun(f"{path} Tensor size: {value.size()}" if _is_tensor(value) else f"{path} Type: {type(value)}")
