"""torch.utils._ordered_set: a set that keeps the order in which its elements were added."""

from collections.abc import Iterable, Iterator, MutableSet
from typing import Any, TypeVar

T = TypeVar("T")

__all__ = ["OrderedSet"]


class OrderedSet(MutableSet[T]):
    """A set with the methods of Python's own, whose elements stay in order.

    Args:
        iterable (iterable, optional): the first elements.
    """

    __slots__ = ("_dict",)

    def __init__(self, iterable: Iterable[T] | None = None):
        self._dict = dict.fromkeys(iterable or ())

    @staticmethod
    def _from_dict(elements: dict[T, None]) -> "OrderedSet[T]":
        made: OrderedSet[T] = OrderedSet()
        made._dict = elements
        return made

    def __contains__(self, element: object) -> bool:
        return element in self._dict

    def __iter__(self) -> Iterator[T]:
        return iter(self._dict)

    def __reversed__(self) -> Iterator[T]:
        return reversed(self._dict)

    def __len__(self) -> int:
        return len(self._dict)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)})"

    def __getstate__(self) -> list[T]:
        return list(self._dict)

    def __setstate__(self, elements: list[T]) -> None:
        self._dict = dict.fromkeys(elements)

    def add(self, elem: T) -> None:
        """Adds an element at the end, unless it is there."""
        self._dict[elem] = None

    def discard(self, elem: T) -> None:
        """Removes an element if it is there."""
        self._dict.pop(elem, None)

    def clear(self) -> None:
        """Removes all elements."""
        self._dict.clear()

    def pop(self) -> T:
        """Removes and returns the last element."""
        if not self:
            raise KeyError("pop from an empty set")
        return self._dict.popitem()[0]

    def copy(self) -> "OrderedSet[T]":
        """Returns a set of the same elements."""
        return OrderedSet._from_dict(self._dict.copy())

    def update(self, *others: Iterable[T]) -> None:
        """Adds the elements of others."""
        for other in others:
            self._dict.update(dict.fromkeys(other))

    def union(self, *others: Iterable[T]) -> "OrderedSet[T]":
        """Returns a set that also has the elements of others."""
        made = self.copy()
        made.update(*others)
        return made

    def difference_update(self, *others: Iterable[T]) -> None:
        """Removes the elements of others."""
        for other in others:
            for element in list(other):
                self.discard(element)

    def difference(self, *others: Iterable[T]) -> "OrderedSet[T]":
        """Returns a set without the elements of others."""
        made = self.copy()
        made.difference_update(*others)
        return made

    def intersection(self, *others: Iterable[T]) -> "OrderedSet[T]":
        """Returns a set of the elements that all others have, too."""
        sets = [set(other) for other in others]
        return OrderedSet(element for element in self if all(element in other for other in sets))

    def intersection_update(self, *others: Iterable[T]) -> None:
        """Keeps the elements that all others have, too."""
        self._dict = self.intersection(*others)._dict

    def symmetric_difference(self, other: Iterable[T]) -> "OrderedSet[T]":
        """Returns a set of the elements that only one of the two has."""
        theirs = OrderedSet(other)
        return self.difference(theirs).union(theirs.difference(self))

    def symmetric_difference_update(self, other: Iterable[T]) -> None:
        """Keeps the elements that only one of the two has, and adds those of the other."""
        self._dict = self.symmetric_difference(other)._dict

    def issubset(self, other: Iterable[T]) -> bool:
        """Returns whether another has all elements."""
        return self <= OrderedSet(other)

    def issuperset(self, other: Iterable[T]) -> bool:
        """Returns whether all elements of another are here."""
        return self >= OrderedSet(other)

    def __or__(self, other: Any) -> "OrderedSet[T]":
        return self.union(other) if isinstance(other, Iterable) else NotImplemented

    def __and__(self, other: Any) -> "OrderedSet[T]":
        return self.intersection(other) if isinstance(other, Iterable) else NotImplemented

    def __sub__(self, other: Any) -> "OrderedSet[T]":
        return self.difference(other) if isinstance(other, Iterable) else NotImplemented

    def __xor__(self, other: Any) -> "OrderedSet[T]":
        return self.symmetric_difference(other) if isinstance(other, Iterable) else NotImplemented
