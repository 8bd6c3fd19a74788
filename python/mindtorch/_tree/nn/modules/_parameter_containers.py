"""ParameterList and ParameterDict, which `container` exports."""

import operator
from collections import OrderedDict
from collections.abc import Iterable, KeysView, Mapping
from typing import Any, Self

from ... import _C
from ..._root import torch
from ..parameter import Parameter
from .module import Module


def _index_to_name(idx, size):
    """Returns an index, possibly negative, as the name of a numbered member."""
    idx = operator.index(idx)
    if not -size <= idx < size:
        raise IndexError(f"index {idx} is out of range")
    return str(idx + size if idx < 0 else idx)


def _check_pair(owner, j, pair):
    """Raises for an element of an update sequence that is not a pair."""
    if not isinstance(pair, Iterable):
        raise TypeError(f"{owner} update sequence element #{j} should be Iterable; is{type(pair).__name__}")
    if len(pair) != 2:
        raise ValueError(f"{owner} update sequence element #{j} has length {len(pair)}; 2 is required")


def _as_parameter(value):
    """Converts tensors to Parameters; returns other values unchanged."""
    if isinstance(value, torch.Tensor) and not isinstance(value, Parameter):
        return Parameter(value)
    return value


def _describe_member(key, value, kind):
    """Returns one line of repr; `kind(tensor)` names the tensor's type."""
    if not isinstance(value, torch.Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    size = "x".join(str(n) for n in value.size())
    on_device = value.device.type in ("cuda", _C._get_privateuse1_backend_name())
    device = f" ({value.device})" if on_device else ""
    what = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({key}): {what} containing: [{kind(value)} of size {size}{device}]"


class ParameterList(Module):
    """Holds parameters in a list, all of them registered; tensors become parameters, other values stay.

    Indexing, slicing, iteration and ``+=`` work as for a list. It cannot be called.

    Args:
        values (iterable, optional): what it begins with. Default: ``None``, empty.

    Example:
        >>> values = nn.ParameterList([torch.zeros(2), torch.ones(3, 3)])
        >>> len(values), type(values[0]).__name__
        (2, 'Parameter')
        >>> sum(p.numel() for p in values.parameters())
        11
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        self += () if values is None else values

    def _get_abs_string_index(self, idx):
        return _index_to_name(idx, len(self))

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return self.__class__(self[i] for i in range(*idx.indices(len(self))))
        return getattr(self, self._get_abs_string_index(idx))

    def __setitem__(self, idx, param):
        setattr(self, self._get_abs_string_index(idx), _as_parameter(param))

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter(self[i] for i in range(len(self)))

    def __iadd__(self, parameters):
        return self.extend(parameters)

    def __dir__(self):
        return [key for key in super().__dir__() if not key.isdigit()]

    def append(self, value: Any) -> Self:
        """Appends `value`, a tensor as a parameter; returns the list."""
        index = self._size
        self._size += 1
        self[index] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Appends all of `values`, an iterable but not a tensor; returns the list."""
        # A tensor is iterable too, but adding its rows is hardly intended.
        if not isinstance(values, Iterable) or isinstance(values, torch.Tensor):
            raise TypeError("ParameterList.extend should be called with an iterable, but got " + type(values).__name__)
        for value in values:
            self.append(value)
        return self

    def extra_repr(self):
        return "\n".join(_describe_member(i, value, lambda t: t.dtype) for i, value in enumerate(self))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Holds parameters in a dictionary in insertion order, all registered; tensors become parameters.

    Other values stay as they are. Keys are strings. ``|`` and ``|=`` work as for a dictionary.
    A plain dict is added in the order of its sorted keys.

    Args:
        parameters (mapping or iterable of pairs, optional): what it begins with. Default: ``None``,
            empty.

    Example:
        >>> values = nn.ParameterDict({"left": torch.zeros(2), "right": torch.ones(3)})
        >>> values["top"] = torch.ones(1)
        >>> list(values.keys()), values["right"].requires_grad
        (['left', 'right', 'top'], True)
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key):
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is "
                f"not a string (type is '{type(key).__name__}'). Open an issue on "
                "github if you need non-string keys."
            )
        return key

    def __getitem__(self, key):
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key, value):
        # Stores the key before it is checked, as in torch.
        self._keys[key] = None
        setattr(self, self._key_to_attr(key), _as_parameter(value))

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(self._keys)

    def __contains__(self, key):
        return key in self._keys

    def copy(self) -> "ParameterDict":
        """Returns a ParameterDict with the same values, not copied."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key: str, default: Any | None = None) -> Any:
        """Returns the value under `key`; sets it to `default` (Default: ``None``) first if it is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Removes all values."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Removes and returns the value under `key`; KeyError if there is none."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Removes and returns the last pair of key and value."""
        key, _ = self._keys.popitem()
        self._keys[key] = None
        return key, self.pop(key)

    def get(self, key: str, default: Any | None = None) -> Any:
        """Returns the value under `key`, or `default` (Default: ``None``) if it is missing."""
        return self[key] if key in self else default

    def fromkeys(self, keys: Iterable[str], default: Any | None = None) -> "ParameterDict":
        """Returns a ParameterDict with `default` (Default: ``None``) under each of `keys`, an iterable of str."""
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> KeysView[str]:
        """Returns a view of the keys."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Yields pairs of key and value."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """Yields the values."""
        return (self[key] for key in self._keys)

    def update(self, parameters: "Mapping[str, Any] | ParameterDict") -> None:
        """Adds or replaces the values of `parameters`, a mapping or an iterable of pairs of key and value."""
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but got "
                + type(parameters).__name__
            )
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            pairs = parameters.items()
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items())
        else:
            for j, pair in enumerate(parameters):
                _check_pair("ParameterDict", j, pair)
                self[pair[0]] = pair[1]
            return
        for key, value in pairs:
            self[key] = value

    def extra_repr(self):
        return "\n".join(_describe_member(key, value, torch.typename) for key, value in self.items())

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other):
        merged = self.copy()
        merged.update(other)
        return merged

    def __ror__(self, other):
        merged = other.copy()
        merged.update(self)
        return merged

    def __ior__(self, other):
        self.update(other)
        return self
