"""Containers of modules."""

import operator
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, KeysView, Mapping, ValuesView
from itertools import chain, islice
from typing import Any, Self

from ._deprecated import deprecated_class
from ._parameter_containers import ParameterDict, ParameterList, _check_pair, _index_to_name
from .module import Module, _addindent

__all__ = ["Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"]

ParameterList.__module__ = ParameterDict.__module__ = __name__


@deprecated_class(
    "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that instead."
)
class Container(Module):
    """Is a module of the given children; deprecated: subclass Module instead.

    Args:
        **kwargs: children by name.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     nn.Container(act=nn.ReLU())
        Container(
          (act): ReLU()
        )
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        for key, value in kwargs.items():
            self.add_module(key, value)


def _renumber_children(container):
    """Renumbers the children 0, 1, ... after some were removed."""
    container._modules = OrderedDict((str(i), child) for i, child in enumerate(container._modules.values()))


def _insert_child(container, index, module):
    """Moves the children from `index` on up by one."""
    for i in range(len(container._modules), index, -1):
        container._modules[str(i)] = container._modules[str(i - 1)]
    container._modules[str(index)] = module


class Sequential(Module):
    """Calls modules in order, each on the output of the one before.

    It can be indexed and sliced, iterated over, added to another Sequential and repeated by ``*``.

    Args:
        *args: the modules, named ``"0"``, ``"1"``, ...; or one OrderedDict of names and modules.

    Shape:
        - input: what the first module takes.
        - output: what the last one gives; the input itself if there are none.

    Example:
        >>> model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        >>> model(torch.ones(3, 4)).shape
        torch.Size([3, 2])
        >>> model[1], len(model[:2])
        (ReLU(), 2)
        >>> from collections import OrderedDict
        >>> nn.Sequential(OrderedDict(hidden=nn.Linear(4, 8), act=nn.ReLU())).act
        ReLU()
    """

    _modules: dict[str, Module]

    def __init__(self, *args) -> None:
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
        _renumber_children(self)

    def __len__(self):
        return len(self._modules)

    @staticmethod
    def _check_is_sequential(other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")

    def _check_repeat_count(self, other):
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")

    def __add__(self, other):
        self._check_is_sequential(other)
        return Sequential(*self, *other)

    def __iadd__(self, other):
        self._check_is_sequential(other)
        return self.extend(list(other))

    def __mul__(self, other):
        self._check_repeat_count(other)
        return Sequential(*(list(self) * other))

    def __rmul__(self, other):
        return self.__mul__(other)

    def __imul__(self, other):
        self._check_repeat_count(other)
        return self.extend(list(self) * (other - 1))

    def pop(self, key: int | slice) -> Module:
        """Removes and returns the module at index `key`, an int or slice; later ones move up."""
        value = self[key]
        del self[key]
        return value

    def __dir__(self):
        return [key for key in super().__dir__() if not key.isdigit()]

    def __iter__(self):
        return iter(self._modules.values())

    def forward(self, input):
        """Calls the modules in order, the first on `input`, and returns the last output."""
        for module in self:
            input = module(input)
        return input

    def append(self, module: Module) -> Self:
        """Appends `module`; returns the Sequential."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Adds a module before a position; those from there on move down.

        Args:
            index (int): the position; negative values count from the end.
            module (Module): what to add.

        Returns:
            Sequential: this one.

        Raises:
            IndexError: when `index` is out of range.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        count = len(self._modules)
        if not -count <= index <= count:
            raise IndexError(f"Index out of range: {index}")
        _insert_child(self, index + count if index < 0 else index, module)
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Appends all modules of `sequential`, an iterable; returns the Sequential."""
        for module in sequential:
            self.append(module)
        return self


class ModuleList(Module):
    """Holds modules in a list, all of them registered; it has no `forward` of its own.

    A plain list as attribute would hide its modules from `parameters()`. Indexing, slicing,
    iteration, ``+`` and ``+=`` work as for a list.

    Args:
        modules (iterable of Module, optional): what it begins with. Default: ``None``, empty.

    Example:
        >>> layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
        >>> layers.append(nn.ReLU())
        ModuleList(
          (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
          (3): ReLU()
        )
        >>> x = torch.ones(1, 2)
        >>> for layer in layers:
        ...     x = layer(x)
        >>> x.shape
        torch.Size([1, 2])
    """

    _modules: dict[str, Module]

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def _get_abs_string_index(self, idx):
        return _index_to_name(idx, len(self))

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
        _renumber_children(self)

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
        """As for any module, but shows a run of equal children once."""
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

    def insert(self, index: int, module: Module) -> None:
        """Inserts `module` before position `index`; the modules from there on move down."""
        _insert_child(self, index, module)

    def append(self, module: Module) -> Self:
        """Appends `module`; returns the list."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Module:
        """Removes and returns the module at index `key`, an int or slice; later ones move up."""
        value = self[key]
        del self[key]
        return value

    def extend(self, modules: Iterable[Module]) -> Self:
        """Appends all of `modules`, an iterable; returns the list. TypeError if it is not iterable."""
        if not isinstance(modules, Iterable):
            raise TypeError("ModuleList.extend should be called with an iterable, but got " + type(modules).__name__)
        start = len(self)
        for i, module in enumerate(modules):
            self.add_module(str(start + i), module)
        return self


class ModuleDict(Module):
    """Holds modules in a dictionary in insertion order, all of them registered; it has no `forward`.

    Keys are strings without a dot that are no attribute of the class, as ``"type"`` is.

    Args:
        modules (mapping or iterable of pairs, optional): what it begins with. Default:
            ``None``, empty.

    Example:
        >>> acts = nn.ModuleDict({"relu": nn.ReLU(), "tanh": nn.Tanh()})
        >>> acts["lrelu"] = nn.LeakyReLU()
        >>> list(acts), acts["relu"](torch.tensor([-1.0, 1.0]))
        (['relu', 'tanh', 'lrelu'], tensor([0., 1.]))
    """

    _modules: dict[str, Module]

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
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

    def clear(self) -> None:
        """Removes all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Removes and returns the module under `key`; KeyError if there is none."""
        value = self[key]
        del self[key]
        return value

    def keys(self) -> KeysView[str]:
        """Returns a view of the keys."""
        return self._modules.keys()

    def items(self) -> ItemsView[str, Module]:
        """Returns a view of the pairs of key and module."""
        return self._modules.items()

    def values(self) -> ValuesView[Module]:
        """Returns a view of the modules."""
        return self._modules.values()

    def update(self, modules: Mapping[str, Module]) -> None:
        """Adds or replaces the modules of `modules`, a mapping or an iterable of pairs of key and module."""
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
