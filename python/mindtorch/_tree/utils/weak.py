"""Weak dictionaries with keys compared by identity: tensors compare elementwise, so `==` cannot find them."""

from __future__ import annotations

import collections.abc
import copy
import weakref
from weakref import ref

from .._root import torch

WeakRef = ref

__all__ = ["TensorWeakRef", "WeakIdRef", "WeakIdKeyDictionary", "WeakTensorKeyDictionary"]


class WeakIdRef(weakref.ref):
    """A weak reference that compares by identity of its object.

    Args:
        key (Any): the object.
        callback (callable, optional): called when that is gone. Default: ``None``.

    Example:
        >>> from torch.utils.weak import WeakIdRef
        >>> x = torch.ones(2)
        >>> WeakIdRef(x) == WeakIdRef(x), WeakIdRef(x) == WeakIdRef(torch.ones(2))
        (True, False)
    """

    __slots__ = ["_id"]

    def __init__(self, key, callback=None) -> None:
        # Stored, because the hash must outlive the referent.
        self._id = id(key)
        super().__init__(key, callback)

    def __call__(self):
        referent = super().__call__()
        if referent is not None and hasattr(referent, "_fix_weakref"):
            # The tensor's Python object may be about to be used again.
            referent._fix_weakref()
        return referent

    def __hash__(self):
        return self._id

    def __eq__(self, other):
        mine, theirs = self(), other()
        if mine is not None and theirs is not None:
            return mine is theirs
        return self is other


class _WeakHashRef(weakref.ref):
    """As WeakIdRef, for keys with their own equality."""

    __slots__ = ["_id"]

    def __init__(self, key, callback=None) -> None:
        self._id = hash(key)
        super().__init__(key, callback)

    def __hash__(self):
        return self._id

    def __eq__(self, other):
        mine, theirs = self(), other()
        if mine is not None and theirs is not None:
            return mine == theirs
        return self is other


class WeakIdKeyDictionary(collections.abc.MutableMapping):
    """A dict by identity of its keys, whose entries vanish with them; tensors can be keys.

    Args:
        dict (mapping, optional): first entries. Default: ``None``.
        ref_type (type): kind of references. Default: `WeakIdRef`.

    Example:
        >>> from torch.utils.weak import WeakIdKeyDictionary
        >>> x = torch.ones(2)
        >>> notes = WeakIdKeyDictionary({x: "ones"})
        >>> notes[x], len(notes)
        ('ones', 1)
        >>> del x
        >>> len(notes)
        0
    """

    def __init__(self, dict=None, ref_type=WeakIdRef) -> None:
        self.data = {}
        self.ref_type = ref_type

        def remove(reference, self_ref=weakref.ref(self)):
            owner = self_ref()
            if owner is not None:
                owner.data.pop(reference, None)

        self._remove = remove
        if dict is not None:
            self.update(dict)

    def _ref(self, key):
        return self.ref_type(key, self._remove)

    def __getitem__(self, key):
        return self.data[self.ref_type(key)]

    def __setitem__(self, key, value) -> None:
        self.data[self._ref(key)] = value

    def __delitem__(self, key) -> None:
        del self.data[self.ref_type(key)]

    def __contains__(self, key) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:
            # An object that cannot be referenced weakly was never stored as a key.
            return False

    def __len__(self) -> int:
        return sum(reference() is not None for reference in list(self.data))

    def __repr__(self) -> str:
        return f"<{self.__class__.__name__} at {id(self):#x}>"

    def __iter__(self):
        for reference in list(self.data):
            key = reference()
            if key is not None:
                yield key

    def keyrefs(self):
        """Returns the references to the keys, of which some may be gone when they are called.

        Returns:
            list of WeakIdRef: the references.
        """
        return list(self.data)

    def copy(self):
        """Returns a shallow copy.

        Returns:
            WeakIdKeyDictionary: with the same keys and values.
        """
        new = type(self)(ref_type=self.ref_type) if type(self) is WeakIdKeyDictionary else type(self)()
        for key, value in self.items():
            new[key] = value
        return new

    __copy__ = copy

    def __deepcopy__(self, memo):
        new = self.__class__()
        for key, value in self.items():
            new[key] = copy.deepcopy(value, memo)
        return new

    def get(self, key, default=None):
        return self.data.get(self.ref_type(key), default)

    def setdefault(self, key, default=None):
        return self.data.setdefault(self._ref(key), default)

    def pop(self, key, *args):
        return self.data.pop(self.ref_type(key), *args)

    def popitem(self):
        while True:
            reference, value = self.data.popitem()
            key = reference()
            if key is not None:
                return key, value

    def update(self, dict=None, **kwargs) -> None:
        """Takes over entries.

        Args:
            dict (mapping, optional): the entries. Default: ``None``.
            **kwargs: entries by name, which count only without `dict`.

        Returns:
            None.
        """
        for key, value in {**kwargs}.items() if dict is None else dict.items():
            self[key] = value

    def __or__(self, other):
        if not isinstance(other, collections.abc.Mapping):
            return NotImplemented
        new = self.copy()
        new.update(other)
        return new

    def __ror__(self, other):
        if not isinstance(other, collections.abc.Mapping):
            return NotImplemented
        new = self.__class__()
        new.update(other)
        new.update(self)
        return new

    def __ior__(self, other):
        self.update(other)
        return self

    def __eq__(self, other):
        if not isinstance(other, collections.abc.Mapping):
            return NotImplemented
        mine = {id(key): value for key, value in self.items()}
        return mine == {id(key): value for key, value in other.items()}

    __hash__ = None


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor; calling it returns the tensor or None.

    Args:
        tensor (Tensor): the tensor.

    Raises:
        AssertionError: if it is no tensor.

    Example:
        >>> from torch.utils.weak import TensorWeakRef
        >>> x = torch.ones(2)
        >>> reference = TensorWeakRef(x)
        >>> reference() is x
        True
        >>> del x
        >>> reference() is None
        True
    """

    ref: WeakRef

    def __init__(self, tensor: torch.Tensor) -> None:
        if not isinstance(tensor, torch.Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}.")
        self.ref = weakref.ref(tensor)

    def __call__(self):
        tensor = self.ref()
        if tensor is not None and hasattr(tensor, "_fix_weakref"):
            tensor._fix_weakref()
        return tensor
