"""Attributes of modules by dotted paths: reads, copies between modules, sets and deletes."""

from .. import nn
from .._root import torch


def _find_owner(module, path, *, create=False):
    """Returns the module that has the last name of `path`, and that name; None for a missing one unless it is to be
    created."""
    *prefix, name = path.split(".")
    for part in prefix:
        child = getattr(module, part, None)
        if child is None:
            if not create:
                return None, name
            child = nn.Module()
            setattr(module, part, child)
        module = child
    return module, name


def _assign_attr(from_obj, to_module, target):
    """Sets `target` of `to_module`, creating empty modules on the way; a plain tensor becomes a buffer."""
    owner, name = _find_owner(to_module, target, create=True)
    if isinstance(from_obj, torch.Tensor) and not isinstance(from_obj, nn.Parameter):
        owner.register_buffer(name, from_obj)
    else:
        setattr(owner, name, from_obj)


def _copy_attr(from_module, to_module, target):
    """Copies `target` from `from_module` to `to_module`, unless both share the module that has it."""
    *prefix, name = target.split(".")
    for part in prefix:
        from_module = getattr(from_module, part)
        if getattr(to_module, part, None) is from_module:
            return
        if getattr(to_module, part, None) is None:
            setattr(to_module, part, nn.Module())
        to_module = getattr(to_module, part)
    _assign_attr(getattr(from_module, name), to_module, name)


def _get_attr(model, attr_name):
    """Returns the attribute at this path; AssertionError if it is missing."""
    for part in attr_name.split("."):
        if not hasattr(model, part):
            raise AssertionError(f"Attribute '{part}' not found in model")
        model = getattr(model, part)
    return model


def _has_attr(model, attr_name):
    """Whether there is an attribute at this path."""
    owner, name = _find_owner(model, attr_name)
    return owner is not None and hasattr(owner, name)


def _del_attr(model, attr_name):
    """Deletes the attribute at this path."""
    owner, name = _find_owner(model, attr_name)
    delattr(owner, name)
