"""A pipe that visits a map in random order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from ....._root import torch
from ..datapipe import IterDataPipe, MapDataPipe
from ..iter.combinatorics import Shuffles


class ShufflerIterDataPipe(Shuffles, IterDataPipe):
    """The items of a map in random order: a stream, since a map has no order; `pipe.shuffle()` makes it.

    Args:
        datapipe (MapDataPipe): the source.
        indices (list, optional): its indices. Default: ``None``, those up to its length.

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> sorted(SequenceWrapper([3, 1, 2]).shuffle())
        [1, 2, 3]
    """

    _kept = "datapipe indices _enabled _seed _rng_state _shuffled_indices"

    def __init__(self, datapipe: MapDataPipe[Any], *, indices: list | None = None) -> None:
        self.datapipe = datapipe
        self.indices = list(range(len(datapipe))) if indices is None else indices
        self._rng = random.Random()
        self._shuffled_indices = self.indices

    def __iter__(self) -> Iterator[Any]:
        if not self._enabled:
            for index in self.indices:
                yield self.datapipe[index]
            return
        while self._shuffled_indices:
            yield self.datapipe[self._shuffled_indices.pop()]

    def reset(self) -> None:
        self._seed_random_order()
        self._shuffled_indices = self._rng.sample(self.indices, len(self.indices))

    def __len__(self) -> int:
        return len(self.datapipe)


MapDataPipe.register_datapipe_as_function("shuffle", ShufflerIterDataPipe)
