"""A pipe that visits a map in random order."""

import random

from ..datapipe import IterDataPipe, MapDataPipe
from ..iter.combinatorics import Shuffles


class ShufflerIterDataPipe(Shuffles, IterDataPipe):
    """The items of a map in random order: a stream, since a map has no order."""

    _kept = "datapipe indices _enabled _seed _rng_state _shuffled_indices"

    def __init__(self, datapipe, *, indices=None):
        self.datapipe = datapipe
        self.indices = list(range(len(datapipe))) if indices is None else indices
        self._rng = random.Random()
        self._shuffled_indices = self.indices

    def __iter__(self):
        if not self._enabled:
            for index in self.indices:
                yield self.datapipe[index]
            return
        while self._shuffled_indices:
            yield self.datapipe[self._shuffled_indices.pop()]

    def reset(self):
        self._seed_pass()
        self._shuffled_indices = self._rng.sample(self.indices, len(self.indices))

    def __len__(self):
        return len(self.datapipe)


MapDataPipe.register_datapipe_as_function("shuffle", ShufflerIterDataPipe)
