"""A pipe of batches."""

from __future__ import annotations

from ....._root import torch
from .._decorator import functional_datapipe
from ..datapipe import MapDataPipe
from ..utils.common import Batches


@functional_datapipe("batch")
class BatcherMapDataPipe(Batches, MapDataPipe):
    """Batches of neighbouring indices; `pipe.batch(size)` makes it.

    Args:
        datapipe (MapDataPipe): the source.
        batch_size (int): number of items in a batch.
        drop_last (bool): drops a last batch that is smaller. Default: ``False``.
        wrapper_class (type): what a batch is made as. Default: `torch.utils.data.DataChunk`.

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> SequenceWrapper(range(5)).batch(2)[2]
        [4]
    """

    def __getitem__(self, index) -> torch.utils.data.datapipes.datapipe.DataChunk:
        batch = []
        try:
            for i in range(index * self.batch_size, (index + 1) * self.batch_size):
                batch.append(self.datapipe[i])
        except IndexError as error:
            if self.drop_last or not batch:
                raise IndexError(f"Index {index} is out of bound.") from error
        return self.wrapper_class(batch)
