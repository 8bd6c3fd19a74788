"""Converts modules of a real torch in this process, sharing memory, when they are added to one of ours."""

import importlib
import sys

from ..._root import torch


def convert_foreign_module(module):
    """Returns our counterpart of a module of torch's own classes, over the same parameters' memory; None if there is
    none."""
    other = sys.modules.get("torch")
    if other is None or other is sys.modules[torch.__name__] or not isinstance(module, other.nn.Module):
        return None
    return _ModuleConverter(other).module(module)


class _ModuleConverter:
    """Converts one module tree; an object that occurs twice stays one object."""

    def __init__(self, other):
        self.other, self.met = other, {}

    def module(self, module):
        ours = self.find_counterpart(type(module))
        if ours is None:
            return None
        made = self.met[id(module)] = ours.__new__(ours)
        made.__setstate__({name: self.value(item) for name, item in module.__dict__.items()})
        return made

    def value(self, value):
        if id(value) not in self.met:
            self.met[id(value)] = self.convert_value(value)
        return self.met[id(value)]

    def convert_value(self, value):
        other, kind = self.other, type(value)
        if isinstance(value, other.Tensor):
            return self.tensor(value)
        if isinstance(value, other.nn.Module):
            made = self.module(value)
            if made is None:
                raise TypeError(f"{other.typename(value)} is not a Module subclass")
            return made
        if isinstance(value, dict):
            made = kind()
            made.update((name, self.value(item)) for name, item in value.items())
            return made
        if kind in (list, tuple, set):
            return kind(self.value(item) for item in value)
        if isinstance(value, (other.dtype, other.memory_format, other.layout)):
            return getattr(torch, str(value).removeprefix("torch."))
        if isinstance(value, other.device):
            return torch.device(str(value))
        if isinstance(value, other.Size):
            return torch.Size(value)
        return self.find_counterpart(value) or value if callable(value) else value

    def tensor(self, tensor):
        made = torch.from_dlpack(tensor.detach().resolve_conj().resolve_neg())
        if isinstance(tensor, self.other.nn.Parameter):
            made = torch.nn.Parameter(made, tensor.requires_grad)
            made.grad = None if tensor.grad is None else self.tensor(tensor.grad)
        return made

    def find_counterpart(self, named):
        """Returns our counterpart of torch's class or function; None for objects of other libraries."""
        home, name = getattr(named, "__module__", None) or "torch", getattr(named, "__name__", "")
        for place in (home, "torch.nn.functional"):  # functions made in C may report another module
            if place.partition(".")[0] != "torch" or getattr(sys.modules.get(place), name, None) is not named:
                continue
            try:
                found = getattr(importlib.import_module(torch.__name__ + place.removeprefix("torch")), name, None)
            except ImportError:
                continue
            if found is not None:
                return found
        return None
