"""Finds modules, parameters and buffers by dotted path: a part of nn.Module."""

from ..._root import torch
from ..parameter import Parameter


class _PathMethods:
    """The methods of nn.Module for paths such as "encoder.0.weight"."""

    def _get_module_at_path(self, atoms):
        """Returns the module at the end of a path; checks each step."""
        module = self
        for item in atoms:
            if not hasattr(module, item):
                raise AttributeError(f"{module._get_name()} has no attribute `{item}`")
            module = getattr(module, item)
            if not isinstance(module, torch.nn.Module):
                raise AttributeError(f"`{item}` is not an nn.Module")
        return module

    def get_submodule(self, target: str) -> "torch.nn.Module":
        """Returns the module at a dotted path.

        Args:
            target (str): the path, as ``"encoder.layers.0"``; empty for this module.

        Returns:
            Module: the module at the path.

        Raises:
            AttributeError: when the path leads to nothing or to something else than a module.

        Example:
            >>> nn.Sequential(nn.Sequential(nn.ReLU())).get_submodule("0.0")
            ReLU()
        """
        return self._get_module_at_path(target.split(".")) if target else self

    def set_submodule(self, target: str, module: "torch.nn.Module", strict: bool = False) -> None:
        """Replaces the module at a dotted path.

        Args:
            target (str): the path, not empty; all but its last part have to exist.
            module (Module): the new module.
            strict (bool): whether there has to be a module already. Default: ``False``.

        Raises:
            ValueError: when `target` is empty or `module` is no module.
            AttributeError: when the path leads to nothing, or to something else than a module.

        Example:
            >>> net = nn.Sequential(nn.Sequential(nn.ReLU()))
            >>> net.set_submodule("0.0", nn.Tanh())
            >>> net[0][0]
            Tanh()
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        *path, name = target.split(".")
        if not isinstance(module, torch.nn.Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        parent = self._get_module_at_path(path) if path else self
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), torch.nn.Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def _get_attribute_by_path(self, target):
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        return module, name, getattr(module, name)

    def get_parameter(self, target: str) -> Parameter:
        """Returns the parameter at a dotted path.

        Args:
            target (str): the path, as ``"encoder.layers.0.weight"``.

        Returns:
            Parameter: the parameter at the path.

        Raises:
            AttributeError: when the path leads to nothing or to no parameter.
        """
        _, name, param = self._get_attribute_by_path(target)
        if not isinstance(param, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return param

    def get_buffer(self, target: str) -> torch.Tensor:
        """Returns the buffer at a dotted path.

        Args:
            target (str): the path, as ``"norm.running_mean"``.

        Returns:
            Tensor: the buffer at the path.

        Raises:
            AttributeError: when the path leads to nothing or to no buffer.
        """
        module, name, buffer = self._get_attribute_by_path(target)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer
