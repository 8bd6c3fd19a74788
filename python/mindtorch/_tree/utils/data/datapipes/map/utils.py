"""A pipe over a sequence or a mapping."""

import copy
import warnings

from ..datapipe import MapDataPipe


class SequenceWrapperMapDataPipe(MapDataPipe):
    """The items of a sequence or mapping, copied once where it can be copied."""

    def __init__(self, sequence, deepcopy=True):
        self.sequence = sequence
        if not deepcopy:
            return
        try:
            self.sequence = copy.deepcopy(sequence)
        except TypeError:
            warnings.warn(
                "The input sequence can not be deepcopied, please be aware of in-place modification would affect "
                "source data",
                stacklevel=2,
            )

    def __getitem__(self, index):
        return self.sequence[index]

    def __len__(self):
        return len(self.sequence)
