"""Pipes that combine several maps."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

from ....._root import torch
from .._decorator import functional_datapipe
from ..datapipe import MapDataPipe


def _check_datapipes(datapipes):
    if not datapipes:
        raise ValueError("Expected at least one DataPipe, but got nothing")
    for kind in (MapDataPipe, Sized):
        if not all(isinstance(pipe, kind) for pipe in datapipes):
            raise TypeError(f"Expected all inputs to be `{kind.__name__}`")
    return datapipes


@functional_datapipe("concat")
class ConcaterMapDataPipe(MapDataPipe):
    """The indices of one map after those of another; `pipe.concat(other)` makes it.

    Args:
        *datapipes (MapDataPipe): the sources, which have lengths.

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> SequenceWrapper([1, 2]).concat(SequenceWrapper([3]))[2]
        3
    """

    def __init__(self, *datapipes: MapDataPipe) -> None:
        self.datapipes = _check_datapipes(datapipes)

    def __getitem__(self, index) -> Any:
        offset = 0
        for pipe in self.datapipes:
            if index - offset < len(pipe):
                return pipe[index - offset]
            offset += len(pipe)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self) -> int:
        return sum(map(len, self.datapipes))


@functional_datapipe("zip")
class ZipperMapDataPipe(MapDataPipe):
    """Tuples of what each map has at an index; `pipe.zip(other)` makes it.

    Args:
        *datapipes (MapDataPipe): the sources, which have lengths; the least is that of the result.

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> SequenceWrapper([1, 2]).zip(SequenceWrapper("ab"))[1]
        (2, 'b')
    """

    def __init__(self, *datapipes: MapDataPipe[Any]) -> None:
        self.datapipes = _check_datapipes(datapipes)

    def __getitem__(self, index) -> tuple[Any, ...]:
        found = []
        for pipe in self.datapipes:
            try:
                found.append(pipe[index])
            except IndexError as error:
                raise IndexError(f"Index {index} is out of range for one of the input MapDataPipes {pipe}.") from error
        return tuple(found)

    def __len__(self) -> int:
        return min(map(len, self.datapipes))
