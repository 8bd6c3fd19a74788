"""Reads, sets and swaps the tensors of a module by dotted name."""

from ..._root import torch
from ..modules.module import Module

_MISSING = object()


def _check_module(module):
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")


def _check_name(name, what="tensor"):
    if "." in name:
        raise KeyError(f'{what} name can\'t contain "."')
    if name == "":
        raise KeyError(f'{what} name can\'t be empty string ""')


def _find_parameter_or_buffer_dict(module, name):
    for registry in (module._parameters, module._buffers):
        if name in registry:
            return registry
    return None


def set_tensor(module, name, tensor):
    """Sets a parameter, buffer or attribute without the checks of assignment."""
    _check_module(module)
    if not isinstance(tensor, torch.Tensor) and tensor is not None:
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    _check_name(name)
    registry = _find_parameter_or_buffer_dict(module, name)
    if registry is None:
        setattr(module, name, tensor)
    else:
        registry[name] = tensor


def swap_tensor(module, name, tensor, allow_missing=False):
    """Sets a tensor, or removes it for `_MISSING`; returns the previous one."""
    _check_module(module)
    if tensor is not _MISSING and not isinstance(tensor, torch.Tensor) and tensor is not None:
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    _check_name(name)
    registry = _find_parameter_or_buffer_dict(module, name)
    if registry is not None:
        before = registry[name]
        if tensor is _MISSING:
            del registry[name]
        else:
            registry[name] = tensor
        return before
    before = getattr(module, name, _MISSING)
    if before is _MISSING and not allow_missing:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    if before is not _MISSING and not isinstance(before, torch.Tensor) and before is not None:
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")
    if tensor is not _MISSING:
        setattr(module, name, tensor)
    elif hasattr(module, name):
        delattr(module, name)
    return before


def swap_submodule(module, name, submodule):
    """Sets a child module; returns the previous one."""
    _check_module(module)
    _check_module(submodule)
    _check_name(name, "submodule")
    if name not in module._modules:
        raise KeyError(f"submodule {name} does not exist")
    before = module._modules[name]
    if not isinstance(before, Module):
        raise TypeError(f"{name} attribute is not an instance of torch.nn.Module")
    module._modules[name] = submodule
    return before


def _pair_names(names, values):
    names, values = list(names), list(values)
    if len(names) != len(values):
        raise AssertionError(
            f"names and values must have the same length, got {len(names)} names and {len(values)} values"
        )
    return zip(names, values, strict=True)


class NamedMemberAccessor:
    """Access to everything inside a module; caches the modules by path."""

    def __init__(self, module):
        self.module = module
        self.memo = {}

    def get_submodule(self, name):
        """Returns the module with a dotted name."""
        if not name:
            return self.module
        if name not in self.memo:
            prefix, _, attr = name.rpartition(".")
            parent = self.get_submodule(prefix)
            try:
                found = getattr(parent, attr)
            except AttributeError as error:
                raise AttributeError(f"{parent._get_name()} has no attribute `{attr}`") from error
            if not isinstance(found, Module):
                raise TypeError(f"submodule `{name}`: {found} is not an instance of torch.nn.Module")
            self.memo[name] = found
        return self.memo[name]

    def _split_path(self, path):
        prefix, _, attr = path.rpartition(".")
        return self.get_submodule(prefix), attr

    def swap_submodule(self, path, value):
        """Sets a module; returns the previous one."""
        return swap_submodule(*self._split_path(path), value)

    def get_tensor(self, name):
        """Returns the tensor with a dotted name."""
        parent, attr = self._split_path(name)
        try:
            tensor = getattr(parent, attr)
        except AttributeError as error:
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`") from error
        if not isinstance(tensor, torch.Tensor) and tensor is not None:
            raise TypeError(f"{tensor} is not an instance of torch.Tensor")
        return tensor

    def set_tensor(self, name, value):
        """Sets a tensor."""
        set_tensor(*self._split_path(name), value)

    def del_tensor(self, name):
        """Removes a tensor."""
        parent, attr = self._split_path(name)
        try:
            delattr(parent, attr)
        except AttributeError as error:
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`") from error

    def swap_tensor(self, name, value, allow_missing=False):
        """Sets a tensor; returns the previous one."""
        return swap_tensor(*self._split_path(name), value, allow_missing=allow_missing)

    def get_tensors(self, names):
        """Returns the tensors of several names."""
        return [self.get_tensor(name) for name in names]

    def set_tensors(self, names, values):
        """Sets several tensors."""
        for name, value in _pair_names(names, values):
            self.set_tensor(name, value)

    def set_tensors_dict(self, named_tensors):
        """Sets the tensors of a dictionary."""
        for name, value in named_tensors.items():
            self.set_tensor(name, value)

    def del_tensors(self, names):
        """Removes several tensors."""
        for name in names:
            self.del_tensor(name)

    def swap_tensors(self, names, values, allow_missing=False):
        """Sets several tensors; returns the previous ones."""
        return [self.swap_tensor(name, value, allow_missing) for name, value in _pair_names(names, values)]

    def swap_tensors_dict(self, named_tensors, allow_missing=False):
        """Returns (previous tensors by name, names that were missing); on an error restores all."""
        before, missing = {}, []

        def restore_tensors():
            for name, tensor in before.items():
                self.swap_tensor(name, tensor, allow_missing=True)

        try:
            for name, tensor in named_tensors.items():
                old = self.swap_tensor(name, tensor, allow_missing=True)
                if old is _MISSING:
                    missing.append(name)
                before[name] = old
        except Exception:
            restore_tensors()
            raise
        if missing and not allow_missing:
            restore_tensors()
            raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        return before, missing

    def check_keys(self, keys):
        """Returns (names not in `keys`, keys that name nothing), sorted."""
        keys = set(keys)
        valid = {name for name, _ in self.named_tensors(remove_duplicate=False)}
        return sorted(valid - keys), sorted(keys - valid)

    def named_parameters(self, remove_duplicate=True):
        """Yields (name, parameter) pairs."""
        yield from self.module.named_parameters(remove_duplicate=remove_duplicate)

    def named_buffers(self, remove_duplicate=True):
        """Yields (name, buffer) pairs."""
        yield from self.module.named_buffers(remove_duplicate=remove_duplicate)

    def named_tensors(self, remove_duplicate=True):
        """Yields (name, parameter or buffer) pairs."""
        yield from self.named_parameters(remove_duplicate)
        yield from self.named_buffers(remove_duplicate)

    def named_modules(self, remove_duplicate=True):
        """Yields (name, module) pairs."""
        yield from self.module.named_modules(remove_duplicate=remove_duplicate)
