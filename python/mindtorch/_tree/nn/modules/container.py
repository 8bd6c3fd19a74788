"""Containers of modules."""

import operator
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from itertools import chain, islice

from ._deprecated import deprecated_class
from ._parameter_containers import ParameterDict, ParameterList, _check_pair, _position
from .module import Module, _addindent

__all__ = ["Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"]

ParameterList.__module__ = ParameterDict.__module__ = __name__


@deprecated_class(
    "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that instead."
)
class Container(Module):
    """A module of the given children."""

    def __init__(self, **kwargs):
        super().__init__()
        for key, value in kwargs.items():
            self.add_module(key, value)


def _renumber(container):
    """Names the children 0, 1, ... again after some were removed."""
    container._modules = OrderedDict((str(i), child) for i, child in enumerate(container._modules.values()))


def _insert(container, index, module):
    """Moves the children from `index` on up by one."""
    for i in range(len(container._modules), index, -1):
        container._modules[str(i)] = container._modules[str(i - 1)]
    container._modules[str(index)] = module


class Sequential(Module):
    """Calls its children in order, each on the result of the one before."""

    _modules: dict[str, Module]

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0].items()
        else:
            named = ((str(i), module) for i, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def _get_item_by_idx(self, iterator, idx):
        size = len(self)
        idx = operator.index(idx)
        if not -size <= idx < size:
            raise IndexError(f"index {idx} is out of range")
        return next(islice(iterator, idx % size, None))

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return self.__class__(OrderedDict(list(self._modules.items())[idx]))
        return self._get_item_by_idx(self._modules.values(), idx)

    def __setitem__(self, idx, module):
        setattr(self, self._get_item_by_idx(self._modules.keys(), idx), module)

    def __delitem__(self, idx):
        if isinstance(idx, slice):
            names = list(self._modules)[idx]
        else:
            names = [self._get_item_by_idx(self._modules.keys(), idx)]
        for name in names:
            delattr(self, name)
        _renumber(self)

    def __len__(self):
        return len(self._modules)

    @staticmethod
    def _check_addend(other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")

    def _check_factor(self, other):
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")

    def __add__(self, other):
        self._check_addend(other)
        return Sequential(*self, *other)

    def __iadd__(self, other):
        self._check_addend(other)
        return self.extend(list(other))

    def __mul__(self, other):
        self._check_factor(other)
        return Sequential(*(list(self) * other))

    def __rmul__(self, other):
        return self.__mul__(other)

    def __imul__(self, other):
        self._check_factor(other)
        return self.extend(list(self) * (other - 1))

    def pop(self, key):
        """Removes and returns the child at `key`."""
        value = self[key]
        del self[key]
        return value

    def __dir__(self):
        return [key for key in super().__dir__() if not key.isdigit()]

    def __iter__(self):
        return iter(self._modules.values())

    def forward(self, input):
        for module in self:
            input = module(input)
        return input

    def append(self, module):
        """Adds a child at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index, module):
        """Adds a child before `index`."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        count = len(self._modules)
        if not -count <= index <= count:
            raise IndexError(f"Index out of range: {index}")
        _insert(self, index + count if index < 0 else index, module)
        return self

    def extend(self, sequential):
        """Adds all of `sequential` at the end."""
        for module in sequential:
            self.append(module)
        return self


class ModuleList(Module):
    """A list of modules."""

    _modules: dict[str, Module]

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self += modules

    def _get_abs_string_index(self, idx):
        return _position(idx, len(self))

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return self.__class__(list(self._modules.values())[idx])
        return self._modules[self._get_abs_string_index(idx)]

    def __setitem__(self, idx, module):
        setattr(self, self._get_abs_string_index(idx), module)

    def __delitem__(self, idx):
        if isinstance(idx, slice):
            names = [str(i) for i in range(len(self._modules))[idx]]
        else:
            names = [self._get_abs_string_index(idx)]
        for name in names:
            delattr(self, name)
        _renumber(self)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        combined = ModuleList()
        for i, module in enumerate(chain(self, other)):
            combined.add_module(str(i), module)
        return combined

    def __repr__(self):
        """As for any module, but runs of equal children are shown once."""
        runs = []  # [text, first, last]
        for i, child in enumerate(self):
            text = repr(child)
            if runs and runs[-1][0] == text:
                runs[-1][2] = i
            else:
                runs.append([text, i, i])
        if not runs:
            return self._get_name() + "()"
        lines = []
        for text, first, last in runs:
            label = f"({first}): " if first == last else f"({first}-{last}): {last - first + 1} x "
            lines.append(_addindent(label + text, 2))
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"

    def __dir__(self):
        return [key for key in super().__dir__() if not key.isdigit()]

    def insert(self, index, module):
        """Adds a module before `index`."""
        _insert(self, index, module)

    def append(self, module):
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key):
        """Removes and returns the module at `key`."""
        value = self[key]
        del self[key]
        return value

    def extend(self, modules):
        """Adds all of `modules` at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError("ModuleList.extend should be called with an iterable, but got " + type(modules).__name__)
        start = len(self)
        for i, module in enumerate(modules):
            self.add_module(str(start + i), module)
        return self


class ModuleDict(Module):
    """A dictionary of modules, in insertion order."""

    _modules: dict[str, Module]

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        """Removes all modules."""
        self._modules.clear()

    def pop(self, key):
        """Removes and returns the module under `key`."""
        value = self[key]
        del self[key]
        return value

    def keys(self):
        """The keys."""
        return self._modules.keys()

    def items(self):
        """(key, module) pairs."""
        return self._modules.items()

    def values(self):
        """The modules."""
        return self._modules.values()

    def update(self, modules):
        """Adds the modules of a mapping or of (key, module) pairs."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + type(modules).__name__
            )
        if isinstance(modules, (ModuleDict, Mapping)):
            for key, module in modules.items():
                self[key] = module
            return
        for j, pair in enumerate(modules):
            _check_pair("ModuleDict", j, pair)
            self[pair[0]] = pair[1]
