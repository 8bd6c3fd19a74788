"""Fetchers: read the data of an index, or of a batch of them, and collate."""


class _BaseDatasetFetcher:
    """Reads and collates the data of one index or a batch of them; subclasses define how to read."""

    def __init__(self, dataset, auto_collation, collate_fn, drop_last) -> None:
        self.dataset, self.collate_fn = dataset, collate_fn
        self.auto_collation, self.drop_last = auto_collation, drop_last

    def fetch(self, possibly_batched_index):
        read = self._read_batch if self.auto_collation else self._read_one
        return self.collate_fn(read(possibly_batched_index))

    def _read_one(self, index):
        raise NotImplementedError

    def _read_batch(self, indices):
        raise NotImplementedError


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    """The indices only determine the number of samples."""

    def __init__(self, dataset, auto_collation, collate_fn, drop_last) -> None:
        super().__init__(dataset, auto_collation, collate_fn, drop_last)
        self.dataset_iter, self.ended = iter(dataset), False

    def _read_one(self, index):
        return next(self.dataset_iter)

    def _read_batch(self, indices):
        if self.ended:
            raise StopIteration
        batch = [sample for _, sample in zip(indices, self.dataset_iter)]
        self.ended = is_short = len(batch) < len(indices)
        if not batch or (is_short and self.drop_last):
            raise StopIteration
        return batch


class _MapDatasetFetcher(_BaseDatasetFetcher):
    def _read_one(self, index):
        return self.dataset[index]

    def _read_batch(self, indices):
        read_all = getattr(self.dataset, "__getitems__", None)
        return read_all(indices) if read_all else [self.dataset[index] for index in indices]
