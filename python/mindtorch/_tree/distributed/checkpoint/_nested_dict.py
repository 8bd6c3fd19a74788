"""Flattens nested dictionaries and lists to one dictionary, whose keys are paths joined by dots."""

from typing import Any

from ._traverse import OBJ_PATH, set_element, traverse_state_dict, traverse_state_dict_v_2_3

FLATTEN_MAPPING = dict[str, OBJ_PATH]


def _flatten(state_dict, traverse):
    flat, paths = {}, {}

    def add_flat_entry(path, value):
        name = ".".join(map(str, path))
        if name in flat:
            raise ValueError(f"duplicated flatten key {name}")
        flat[name], paths[name] = value, path

    traverse(state_dict, add_flat_entry)
    return flat, paths


def flatten_state_dict(state_dict: dict[str, Any]) -> tuple[dict[str, Any], FLATTEN_MAPPING]:
    """Returns nested dictionaries and lists as one dictionary.

    Args:
        state_dict (dict[str, Any]): the outermost dictionary.

    Returns:
        tuple[dict, dict]: the values by their paths joined by dots (``{"a": {"b": 1}}`` gives ``"a.b"``), and these.

    Raises:
        ValueError: when two paths make the same key.
    """
    return _flatten(state_dict, traverse_state_dict)


def _flatten_as_torch_2_3(state_dict):
    return _flatten(state_dict, traverse_state_dict_v_2_3)


def unflatten_state_dict(state_dict: dict[str, Any], mapping: FLATTEN_MAPPING) -> dict[str, Any]:
    """Returns what `flatten_state_dict` was given.

    Args:
        state_dict (dict[str, Any]): the values by their keys.
        mapping (dict[str, tuple]): the paths by the keys.

    Returns:
        dict[str, Any]: the outermost dictionary.
    """
    nested: dict[str, Any] = {}
    for name, value in state_dict.items():
        set_element(nested, mapping[name], value)
    return nested
