"""Datasets in MDS shards of a local folder, with the interfaces of MosaicML's StreamingDataset and MDSWriter; no NumPy,
no downloads."""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from . import _proxy

torch = _proxy.load()

__all__ = ["MDSWriter", "StreamingDataset"]

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
        return -(-len(self._data) // _rank_and_world_size()[1])

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Returns a sample by its number; negative ones count from the end."""
        values = self._data.read(index + len(self._data) if index < 0 else index)
        return {
            name: decode(value) if decode else value
            for (name, decode), value in zip(self._columns, values, strict=True)
        }

    def __iter__(self) -> Iterator[dict[str, Any]]:
        order = self._order_of_epoch(self.next_epoch)[self._start :]
        self.next_epoch, self._start = self.next_epoch + 1, 0
        rank, ranks = _rank_and_world_size()
        if order and len(order) % ranks:  # all processes get equally many samples
            order = [*order, *order[: ranks - len(order) % ranks]]
        for index in self._select_for_worker(order[rank::ranks]):
            yield self[index]

    def _order_of_epoch(self, epoch):
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


class MDSWriter:
    """Writes a folder of MDS shards and its index, for `StreamingDataset` and for MosaicML's package.

    Use it in a ``with`` statement, or call `finish`. Shards are written when they are full, the index at the end: until
    then, and after an exception in the ``with`` statement, the folder is no dataset.

    Args:
        columns (dict): the encoding of each column: ``int``, ``float32`` and the other numbers by their dtype, ``str``,
            ``bytes``, ``json``, ``str_int``, ``str_float``, ``str_decimal``, ``ndarray``, ``ndarray:DTYPE`` or
            ``ndarray:DTYPE:SIZE,SIZE``; ``jpeg``, ``png`` and ``pil`` take bytes that are encoded already.
        out (str): the folder.
        keep_local (bool): for programs that pass it; nothing is uploaded, so the folder stays.
        compression (str, optional): ``zstd`` or ``zstd:LEVEL`` with a level of 1 to 22. Default: none.
        hashes (list, optional): for programs that name it; no hashes are written, so it has to be empty.
        size_limit (int or str, optional): bytes of a shard before compression, also as text like ``"100kb"``; None: one
            shard. Default: ``1 << 26``.
        exist_ok (bool): empties the folder if it has files, instead of raising. Default: ``False``.

    Raises:
        FileExistsError: when the folder has files.
        ValueError: when an encoding or an option is unknown.

    Example:
        >>> import tempfile
        >>> from mindtorch.streaming import MDSWriter, StreamingDataset
        >>> folder = tempfile.mkdtemp()
        >>> with MDSWriter(columns={"text": "str", "label": "int"}, out=folder, compression="zstd") as writer:
        ...     writer.write({"text": "a river", "label": 1})
        >>> StreamingDataset(local=folder)[0]
        {'label': 1, 'text': 'a river'}
    """

    def __init__(
        self,
        *,
        columns: dict[str, str],
        out: str,
        keep_local: bool = False,
        compression: str | None = None,
        hashes: list[str] | None = None,
        size_limit: int | str | None = 1 << 26,
        exist_ok: bool = False,
    ) -> None:
        if not isinstance(out, (str, os.PathLike)):
            raise ValueError(f"nothing is uploaded here: out has to be a folder, got {out!r}")
        if hashes:
            raise NotImplementedError(f"no hashes are written here, got {hashes!r}")
        folder = os.fspath(out)
        if os.path.isdir(folder) and os.listdir(folder):
            if not exist_ok:
                raise FileExistsError(f"the folder {folder} has files; exist_ok=True removes them")
            shutil.rmtree(folder)
        self.columns = dict(columns)
        self._encoders = [(name, _ENCODERS.get(kind.split(":")[0])) for name, kind in columns.items()]
        limit = -1 if size_limit is None else _parse_size(size_limit)
        self._writer = torch._C._DatasetWriter(
            folder, tuple(text for pair in columns.items() for text in pair), compression, limit
        )

    def write(self, sample: Mapping[str, Any]) -> None:
        """Adds a sample, which needs a value for every column."""
        values = ((sample[name], encode) for name, encode in self._encoders)
        self._writer.write(tuple(encode(value) if encode else value for value, encode in values))

    def finish(self) -> None:
        """Writes the last shard and the index."""
        self._writer.finish()

    def __enter__(self) -> "MDSWriter":
        return self

    def __exit__(self, kind, error, traceback) -> None:
        if kind is None:
            self.finish()


def _as_tensor(value):
    return value if isinstance(value, torch.Tensor) else torch.as_tensor(value)


def _make_type_check(kind):
    """Returns a function that refuses other types."""

    def check_column_type(value):
        if not isinstance(value, kind):
            raise TypeError(f"the column takes {kind.__name__}, got {type(value).__name__}")
        return value

    return check_column_type


_ENCODERS = {
    "ndarray": _as_tensor,
    "str": _make_type_check(str),
    "json": json.dumps,
    "str_int": lambda value: str(int(value)),
    "str_float": lambda value: str(float(value)),
    "str_decimal": lambda value: str(_make_type_check(Decimal)(value)),
    **dict.fromkeys(("bytes", "pil", "jpeg", "png", "jpeg_array", "jpegarray"), _make_type_check(bytes)),
    **dict.fromkeys(("float16", "float32", "float64"), float),
    **dict.fromkeys(("int", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))), int),
}
_UNITS = {"": 1, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}


def _parse_size(size):
    """Returns bytes for a number, or for text like "64mb"."""
    if isinstance(size, int):
        count = size
    else:
        text = size.strip().lower()
        digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
        unit = text[len(digits) :].strip()
        if unit not in _UNITS or not digits.replace(".", "", 1).isdecimal():
            raise ValueError(f'size_limit has to be a number of bytes, or text like "64mb", got {size!r}')
        count = int(float(digits) * _UNITS[unit])
    if not 0 < count < 1 << 32:
        raise ValueError(f"size_limit has to be at least 1 and below 2**32 bytes, got {size!r}")
    return count


def _rank_and_world_size():
    """Returns this process's number, and the number of processes."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return 0, 1
