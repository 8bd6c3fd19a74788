"""A pipe of batches."""

from .._decorator import functional_datapipe
from ..datapipe import MapDataPipe
from ..utils.common import Batches


@functional_datapipe("batch")
class BatcherMapDataPipe(Batches, MapDataPipe):
    """Batches of neighbouring indices."""

    def __getitem__(self, index):
        batch = []
        try:
            for i in range(index * self.batch_size, (index + 1) * self.batch_size):
                batch.append(self.datapipe[i])
        except IndexError as error:
            if self.drop_last or not batch:
                raise IndexError(f"Index {index} is out of bound.") from error
        return self.wrapper_class(batch)
