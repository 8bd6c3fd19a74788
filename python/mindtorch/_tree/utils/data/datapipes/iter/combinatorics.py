"""Pipes that change the order of items."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sized
from typing import Any

from ....._root import torch
from ...sampler import SequentialSampler
from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe
from ..utils.common import length_or_type_error, source_length


class SamplerIterDataPipe(IterDataPipe):
    """The indices that a sampler chooses for a pipe.

    Args:
        datapipe (IterDataPipe): the pipe, which must have a length.
        sampler (type): class of the sampler, which is made with ``data_source=datapipe``.
            Default: `torch.utils.data.SequentialSampler`.
        sampler_args (tuple, optional): arguments for it. Default: ``None``.
        sampler_kwargs (dict, optional): arguments for it by name. Default: ``None``.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper, Sampler
        >>> list(Sampler(IterableWrapper("abc")))
        [0, 1, 2]
    """

    def __init__(
        self,
        datapipe: IterDataPipe,
        sampler: type[torch.utils.data.Sampler] = SequentialSampler,
        sampler_args: tuple | None = None,
        sampler_kwargs: dict | None = None,
    ) -> None:
        if not isinstance(datapipe, Sized):
            raise AssertionError("Sampler class requires input datapipe implemented `__len__`")
        self.datapipe = datapipe
        self.sampler_args = sampler_args or ()
        self.sampler_kwargs = {} if sampler_kwargs is None else sampler_kwargs
        self.sampler_kwargs["data_source"] = datapipe
        self.sampler = sampler(*self.sampler_args, **self.sampler_kwargs)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.sampler)

    def __len__(self) -> int:
        return length_or_type_error(self, self.sampler)


class Shuffles:
    """Shared by shufflers of streams and of maps: a seed for the next epoch, random unless set."""

    _enabled, _seed = True, None

    def set_shuffle(self, shuffle=True):
        """Turns the shuffling on or off.

        Args:
            shuffle (bool): whether to shuffle. Default: ``True``.

        Returns:
            DataPipe: the pipe itself.
        """
        self._enabled = shuffle
        return self

    def set_seed(self, seed):
        """Sets the seed of the next pass.

        Args:
            seed (int): the seed.

        Returns:
            DataPipe: the pipe itself.
        """
        self._seed = seed
        return self

    def _seed_random_order(self):
        seed, self._seed = self._seed, None
        if seed is None and self._enabled:
            seed = torch.empty((), dtype=torch.int64).random_().item()
        self._rng.seed(seed)

    @property
    def _rng_state(self):
        return self._rng.getstate()

    @_rng_state.setter
    def _rng_state(self, state):
        self._rng = random.Random()
        self._rng.setstate(state)

    def _reset_buffers(self):
        """Called after unpickling; does nothing, because the pickle contains the buffer."""


@functional_datapipe("shuffle")
class ShufflerIterDataPipe(Shuffles, IterDataPipe):
    """Items taken at random from a buffer that the source keeps filling; `pipe.shuffle()` makes it.

    The order is uniform over all orders only where the buffer holds the whole source. Each pass draws
    its seed from torch's generator, unless `set_seed` gave one.

    Args:
        datapipe (IterDataPipe): the source.
        buffer_size (int): the number of items in the buffer. Default: ``10000``.
        unbatch_level (int): how many levels of lists to take apart first. Default: ``0``.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> shuffled = IterableWrapper(range(5)).shuffle().set_seed(0)
        >>> sorted(shuffled)
        [0, 1, 2, 3, 4]
        >>> list(shuffled.set_shuffle(False))
        [0, 1, 2, 3, 4]
    """

    _kept = "datapipe buffer_size _enabled _seed _buffer _rng_state"

    def __init__(self, datapipe: IterDataPipe[Any], *, buffer_size: int = 10000, unbatch_level: int = 0) -> None:
        self._buffer = []
        if buffer_size <= 0:
            raise AssertionError("buffer_size should be larger than 0")
        self.datapipe = datapipe if unbatch_level == 0 else datapipe.unbatch(unbatch_level=unbatch_level)
        self.buffer_size = buffer_size
        self._rng = random.Random()

    def __iter__(self) -> Iterator[Any]:
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

    def reset(self) -> None:
        self._buffer = []
        if self._enabled:
            self._seed_random_order()
