"""Datasets in MDS shards of a local folder, with the interface of MosaicML's StreamingDataset; no NumPy, no
downloads."""

import json
import os
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from . import _proxy

torch = _proxy.load()

__all__ = ["StreamingDataset"]

_DECODERS = {"json": json.loads, "str_decimal": Decimal, "str_int": int}


class StreamingDataset(torch.utils.data.IterableDataset):
    """Samples of a folder of MDS shards (``index.json`` of version 2), compressed with zstd or not.

    A sample is a dict from the names of columns to values: int, float, str, bytes, what JSON holds, and tensors
    for arrays; images stay the bytes that they are stored as. Iterating goes through all samples once, each in
    one process of `torch.distributed` and in one worker of a DataLoader: with `batch_size`, workers take whole
    batches in turn, so that the loader gives batches in the same order with any number of workers.

    Args:
        local (str): the folder.
        remote (str, optional): for programs that name it; nothing is downloaded, so it is None or `local`.
        split (str, optional): a folder inside. Default: none.
        shuffle (bool): whether each epoch has another random order. Default: ``False``.
        shuffle_seed (int): the seed of random orders. Default: ``9176``.
        shuffle_block_size (int): how many consecutive samples of shuffled shards are mixed. Default: ``262144``.
        batch_size (int, optional): the DataLoader's. Default: ``1``.

    Raises:
        ValueError: when a remote is named, or a column holds pickles.
        RuntimeError: when the folder has no index, or files are damaged.

    Example:
        >>> from mindtorch.streaming import StreamingDataset
        >>> dataset = StreamingDataset(local="data/train", shuffle=True, batch_size=8)  # doctest: +SKIP
        >>> loader = torch.utils.data.DataLoader(dataset, batch_size=8, num_workers=2)  # doctest: +SKIP
    """

    def __init__(
        self,
        *,
        local: str,
        remote: str | None = None,
        split: str | None = None,
        shuffle: bool = False,
        shuffle_seed: int = 9176,
        shuffle_block_size: int = 1 << 18,
        batch_size: int | None = None,
    ) -> None:
        super().__init__()
        if remote not in (None, local):
            raise ValueError(f"nothing is downloaded here: remote has to be None, got {remote!r}")
        if batch_size is not None and batch_size < 1:
            raise ValueError(f"batch_size has to be positive, got {batch_size}")
        self.local, self.split = os.fspath(local), split
        self.shuffle, self.shuffle_seed, self.shuffle_block_size = shuffle, shuffle_seed, shuffle_block_size
        self.batch_size = batch_size
        self.next_epoch = 0
        self._start = 0  # processed samples of the next epoch, set by load_state_dict
        self._open()

    def _open(self):
        folder = os.path.join(self.local, self.split) if self.split else self.local
        self._data = torch._C._Dataset(folder)
        self._columns = [(name, _DECODERS.get(encoding)) for name, encoding in self._data.columns]

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name not in ("_data", "_columns")}

    def __setstate__(self, state):
        vars(self).update(state)
        self._open()

    @property
    def size(self) -> int:
        """The number of samples in all processes."""
        return len(self._data)

    def __len__(self) -> int:
        """The number of samples that this process gets."""
        return -(-len(self._data) // _ranks()[1])

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Returns a sample by its number; negative ones count from the end."""
        values = self._data.read(index + len(self._data) if index < 0 else index)
        return {
            name: decode(value) if decode else value
            for (name, decode), value in zip(self._columns, values, strict=True)
        }

    def __iter__(self) -> Iterator[dict[str, Any]]:
        order = self._order(self.next_epoch)[self._start :]
        self.next_epoch, self._start = self.next_epoch + 1, 0
        rank, ranks = _ranks()
        if order and len(order) % ranks:  # all processes get equally many samples
            order = [*order, *order[: ranks - len(order) % ranks]]
        for index in self._select_for_worker(order[rank::ranks]):
            yield self[index]

    def _order(self, epoch):
        if not self.shuffle:
            return range(len(self._data))
        return self._data.shuffle(self.shuffle_seed + epoch, self.shuffle_block_size)

    def _select_for_worker(self, order):
        worker = torch.utils.data.get_worker_info()
        if worker is None:
            yield from order
            return
        batch = self.batch_size or 1
        for begin in range(worker.id * batch, len(order), worker.num_workers * batch):
            yield from order[begin : begin + batch]

    def state_dict(self, num_samples: int, from_beginning: bool) -> dict[str, Any]:
        """Returns the state of the epoch after `num_samples` samples of all processes.

        Args:
            num_samples (int): how many.
            from_beginning (bool): counted from the epoch's beginning instead of where it went on last.

        Returns:
            dict: for `load_state_dict`.
        """
        return {
            "epoch": max(self.next_epoch - 1, 0),
            "sample_in_epoch": num_samples if from_beginning else self._start + num_samples,
            "shuffle_seed": self.shuffle_seed,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continues from `state_dict`'s position."""
        self.next_epoch, self._start = state["epoch"], state["sample_in_epoch"]
        self.shuffle_seed = state["shuffle_seed"]


def _ranks():
    """Returns this process's number, and the number of processes."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return 0, 1
