"""Modules, parameters and buffers found by their dotted path: a part of nn.Module."""

from ..._root import torch
from ..parameter import Parameter


class _PathMethods:
    """What nn.Module knows of paths such as "encoder.0.weight"."""

    def _walk(self, atoms):
        """The module at the end of a path, each step checked."""
        module = self
        for item in atoms:
            if not hasattr(module, item):
                raise AttributeError(f"{module._get_name()} has no attribute `{item}`")
            module = getattr(module, item)
            if not isinstance(module, torch.nn.Module):
                raise AttributeError(f"`{item}` is not an nn.Module")
        return module

    def get_submodule(self, target):
        """The module at dotted path `target`; self for an empty path."""
        return self._walk(target.split(".")) if target else self

    def set_submodule(self, target, module, strict=False):
        """Puts `module` at dotted path `target`; with `strict`, only over an existing module."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        *path, name = target.split(".")
        if not isinstance(module, torch.nn.Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        parent = self._walk(path) if path else self
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), torch.nn.Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def _get_leaf(self, target):
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        return module, name, getattr(module, name)

    def get_parameter(self, target):
        """The parameter at dotted path `target`."""
        _, name, param = self._get_leaf(target)
        if not isinstance(param, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return param

    def get_buffer(self, target):
        """The buffer at dotted path `target`."""
        module, name, buffer = self._get_leaf(target)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer
