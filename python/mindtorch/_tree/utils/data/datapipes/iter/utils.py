"""A pipe over anything that can be iterated."""

import copy
import warnings

from ..datapipe import IterDataPipe
from ..utils.common import length_of


class IterableWrapperIterDataPipe(IterDataPipe):
    """The items of an iterable; each pass over a copy of it, where it can be copied."""

    def __init__(self, iterable, deepcopy=True):
        self.iterable = iterable
        self.deepcopy = deepcopy

    def __iter__(self):
        source = self.iterable
        if self.deepcopy:
            try:
                source = copy.deepcopy(source)
            except TypeError:
                warnings.warn(
                    "The input iterable can not be deepcopied, please be aware of in-place modification would affect "
                    "source data.",
                    stacklevel=2,
                )
        yield from source

    def __len__(self):
        return length_of(self, self.iterable)
