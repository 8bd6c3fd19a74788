"""Traverses nested tuples, lists and dicts of tensors (for NestedIOFunction and old checkpoint code)."""

from .._root import torch


def _reject_object(obj, condition_msg):
    accepted = f". Accepted types: {condition_msg}, or lists/tuples of them" if condition_msg else ""
    kind = torch.typename(obj)
    raise ValueError(f"Auto nesting doesn't know how to process an input object of type {kind}{accepted}")


def _nested_map(condition, fn, condition_msg=None):
    def visit(obj):
        if condition(obj):
            return fn(obj)
        if obj is None:
            return None
        if isinstance(obj, (list, tuple)):
            mapped = [visit(item) for item in obj]
            return type(obj)(*mapped) if hasattr(obj, "_fields") else type(obj)(mapped)
        if isinstance(obj, dict):
            return {key: visit(value) for key, value in obj.items()}
        return _reject_object(obj, condition_msg)

    return visit


def _iter_filter(condition, allow_unknown=False, condition_msg=None):
    def visit(obj):
        if condition(obj):
            yield obj
        elif obj is None:
            return
        elif isinstance(obj, (list, tuple, dict)):
            for item in obj.values() if isinstance(obj, dict) else obj:
                yield from visit(item)
        elif allow_unknown:
            yield obj
        else:
            _reject_object(obj, condition_msg)

    return visit


def _unflatten(input, proto):
    """Rebuilds the nesting of `proto` from a flat sequence."""
    return _unflatten_prefix_like(input, proto)[0]


def _unflatten_prefix_like(rest, like):
    """Takes what `like` needs from the beginning of a sequence; returns it, nested, and the remainder."""
    if not isinstance(like, (list, tuple)):
        return rest[0], rest[1:]
    built = []
    for item in like:
        if item is None:
            built.append(None)
        else:
            value, rest = _unflatten_prefix_like(rest, item)
            built.append(value)
    return type(like)(built), rest


def _is_tensor(obj):
    return isinstance(obj, torch.Tensor)


_iter_tensors = _iter_filter(_is_tensor, condition_msg="Tensors")
_iter_tensors_permissive = _iter_filter(_is_tensor, allow_unknown=True, condition_msg="Tensors (permissive)")
_iter_None_tensors = _iter_filter(lambda obj: obj is None or _is_tensor(obj), condition_msg="Tensors or None")
_map_tensor_data = _nested_map(_is_tensor, lambda tensor: tensor.data, condition_msg="Tensors")
