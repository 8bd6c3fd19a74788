"""Limits on pickles: refuses those that would take far more memory or time than the file is long."""

from _codecs import encode
from collections import Counter, OrderedDict
from pickle import UnpicklingError

_PIECE = 1 << 20
_MOST_STEPS, _DEEPEST = 10_000_000, 5000
_COPYING = (set, bytearray, Counter, OrderedDict, encode)
_FREELY_COPIED = 1 << 26
TUPLES = frozenset({tuple})
CONTAINERS = frozenset({tuple, list, dict, set, frozenset, OrderedDict, Counter})


def read_exactly(file, count):
    """Reads `count` bytes, or the rest: allocates nothing for a count that exceeds the data."""
    if count <= _PIECE:
        return file.read(count)
    pieces = []
    while count > 0 and (piece := file.read(min(count, _PIECE))):
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


def check_traversal_size(value, through):
    """Refuses objects that are small in the file but huge to hash or print; walks containers of types in `through`."""
    if type(value) not in through:
        return
    steps = {}  # finished objects, by id: (steps of a traversal, depth); None while inside
    pending = [value]
    while pending:
        item = pending[-1]
        parts = [part for part in (item.values() if isinstance(item, dict) else item) if type(part) in through]
        if id(item) not in steps:
            steps[id(item)] = None
            new = [part for part in parts if id(part) not in steps]
            if new:
                pending.extend(new)
                continue
        pending.pop()
        if steps[id(item)] is None:
            inner = [steps[id(part)] or (1, 1) for part in parts]
            count, depth = 1 + len(item) + sum(n for n, _ in inner), 1 + max((d for _, d in inner), default=0)
            if count > _MOST_STEPS or depth > _DEEPEST:
                raise UnpicklingError(f"A {type(value).__name__} in the file is nested too deeply")
            steps[id(item)] = (count, depth)


class CopyLimit:
    """Counts the calls of one pickle that copy their arguments."""

    def __init__(self, file):
        self._file = file
        self._copied = 0

    def check(self, func, args):
        """Refuses a call of `func` that would take far more memory or time than the file is long."""
        copies = any(func is known for known in _COPYING)
        check_traversal_size(args, CONTAINERS if copies else TUPLES)
        if not copies or type(args) is not tuple or not args:
            return
        if func is bytearray and isinstance(args[0], int):
            raise UnpicklingError("A bytearray is made from what the file holds, not from a number")
        self._copied += len(args[0]) if hasattr(args[0], "__len__") else 0
        if self._copied > _FREELY_COPIED and self._copied > 2 * self._file.tell():
            raise UnpicklingError("The file copies what it holds again and again")
