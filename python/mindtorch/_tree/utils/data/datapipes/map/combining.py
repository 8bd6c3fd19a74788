"""Pipes that make one map of several."""

from collections.abc import Sized

from .._decorator import functional_datapipe
from ..datapipe import MapDataPipe


def _checked(datapipes):
    if not datapipes:
        raise ValueError("Expected at least one DataPipe, but got nothing")
    for kind in (MapDataPipe, Sized):
        if not all(isinstance(pipe, kind) for pipe in datapipes):
            raise TypeError(f"Expected all inputs to be `{kind.__name__}`")
    return datapipes


@functional_datapipe("concat")
class ConcaterMapDataPipe(MapDataPipe):
    """The indices of one map after those of another."""

    def __init__(self, *datapipes):
        self.datapipes = _checked(datapipes)

    def __getitem__(self, index):
        offset = 0
        for pipe in self.datapipes:
            if index - offset < len(pipe):
                return pipe[index - offset]
            offset += len(pipe)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self):
        return sum(map(len, self.datapipes))


@functional_datapipe("zip")
class ZipperMapDataPipe(MapDataPipe):
    """Tuples of what each map has at an index."""

    def __init__(self, *datapipes):
        self.datapipes = _checked(datapipes)

    def __getitem__(self, index):
        found = []
        for pipe in self.datapipes:
            try:
                found.append(pipe[index])
            except IndexError as error:
                raise IndexError(f"Index {index} is out of range for one of the input MapDataPipes {pipe}.") from error
        return tuple(found)

    def __len__(self):
        return min(map(len, self.datapipes))
