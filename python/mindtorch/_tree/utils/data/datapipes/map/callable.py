"""A pipe that applies a function to each item."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


from ....._root import torch
from .._decorator import functional_datapipe
from ..datapipe import MapDataPipe
from ..utils.common import _check_unpickable_fn


def default_fn(data):
    """Returns its argument."""
    return data


@functional_datapipe("map")
class MapperMapDataPipe(MapDataPipe):
    """The results of a function for each item of a map; `pipe.map(fn)` makes it.

    Args:
        datapipe (MapDataPipe): the source.
        fn (callable): the function. Default: the one that returns its argument.

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> SequenceWrapper(["a", "b"]).map(str.upper)[1]
        'B'
    """

    def __init__(self, datapipe: MapDataPipe, fn: Callable = default_fn) -> None:
        self.datapipe = datapipe
        _check_unpickable_fn(fn)
        self.fn = fn

    def __len__(self) -> int:
        return len(self.datapipe)

    def __getitem__(self, index) -> Any:
        return self.fn(self.datapipe[index])
