"""Pipes that change the order of what flows through them."""

import random
from collections.abc import Sized

from ....._root import torch
from ...sampler import SequentialSampler
from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe
from ..utils.common import length_of, source_length


class SamplerIterDataPipe(IterDataPipe):
    """The indices that a sampler draws for a pipe."""

    def __init__(self, datapipe, sampler=SequentialSampler, sampler_args=None, sampler_kwargs=None):
        if not isinstance(datapipe, Sized):
            raise AssertionError("Sampler class requires input datapipe implemented `__len__`")
        self.datapipe = datapipe
        self.sampler_args = sampler_args or ()
        self.sampler_kwargs = {} if sampler_kwargs is None else sampler_kwargs
        self.sampler_kwargs["data_source"] = datapipe
        self.sampler = sampler(*self.sampler_args, **self.sampler_kwargs)

    def __iter__(self):
        return iter(self.sampler)

    def __len__(self):
        return length_of(self, self.sampler)


class Shuffles:
    """What shufflers of streams and of maps share: a seed for the next pass, drawn if nobody gives one."""

    _enabled, _seed = True, None

    def set_shuffle(self, shuffle=True):
        self._enabled = shuffle
        return self

    def set_seed(self, seed):
        self._seed = seed
        return self

    def _seed_pass(self):
        if self._enabled and self._seed is None:
            self._seed = int(torch.empty((), dtype=torch.int64).random_().item())
        self._rng.seed(self._seed)
        self._seed = None

    @property
    def _rng_state(self):
        return self._rng.getstate()

    @_rng_state.setter
    def _rng_state(self, state):
        self._rng = random.Random()
        self._rng.setstate(state)

    def _empty(self):
        """Called after unpickling: the buffer is part of the pickle."""


@functional_datapipe("shuffle")
class ShufflerIterDataPipe(Shuffles, IterDataPipe):
    """Draws at random from a buffer that the source keeps filling."""

    _kept = "datapipe buffer_size _enabled _seed _buffer _rng_state"

    def __init__(self, datapipe, *, buffer_size=10000, unbatch_level=0):
        self._buffer = []
        if buffer_size <= 0:
            raise AssertionError("buffer_size should be larger than 0")
        self.datapipe = datapipe if unbatch_level == 0 else datapipe.unbatch(unbatch_level=unbatch_level)
        self.buffer_size = buffer_size
        self._rng = random.Random()

    def __iter__(self):
        if not self._enabled:
            yield from self.datapipe
            return
        buffer, rng = self._buffer, self._rng
        for item in self.datapipe:
            if len(buffer) < self.buffer_size:
                buffer.append(item)
                continue
            i = rng.randint(0, len(buffer) - 1)
            drawn, buffer[i] = buffer[i], item
            yield drawn
        while buffer:
            yield buffer.pop(rng.randint(0, len(buffer) - 1))

    __len__ = source_length

    def reset(self):
        self._buffer = []
        if self._enabled:
            self._seed_pass()
