"""DataLoader: batches from a dataset, loaded in this process or by worker processes."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Generic, Self, TypeVar

from ..._lazy import lazy_attributes
from ..._root import torch
from . import _utils
from ._utils.pipes import is_pipe, draw_epoch_seed, shard_by_replica
from .dataset import Dataset, IterableDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "get_worker_info", "default_collate", "default_convert"]

_T_co = TypeVar("_T_co", covariant=True)
_T = TypeVar("_T")
_worker_init_fn_t = Callable[[int], None]
_collate_fn_t = Callable[[list[_T]], Any]

default_collate = _utils.collate.default_collate
default_convert = _utils.collate.default_convert
get_worker_info = _utils.worker.get_worker_info

_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _DatasetKind:
    """Whether the data is read by indices or by iteration."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(kind, dataset, auto_collation, collate_fn, drop_last):
        fetch = _utils.fetch
        cls = fetch._MapDatasetFetcher if kind == _DatasetKind.Map else fetch._IterableDatasetFetcher
        return cls(dataset, auto_collation, collate_fn, drop_last)


class _InfiniteConstantSampler(Sampler):
    """Replaces indices if a dataset is iterated."""

    def __iter__(self):
        while True:
            yield None


def _find_wrong_worker_option(num_workers, timeout, prefetch_factor, persistent_workers) -> str | None:
    """Returns the error in the options that concern workers, or None."""
    if num_workers < 0:
        return "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
    if timeout < 0:
        return "timeout option should be non-negative"
    if prefetch_factor is not None:
        if num_workers == 0:
            return (
                "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
                "multiprocessing, otherwise set prefetch_factor to None."
            )
        if prefetch_factor < 0:
            return "prefetch_factor option should be non-negative"
    if persistent_workers and num_workers == 0:
        return "persistent_workers option needs num_workers > 0"
    return None


def _check_order_options(batch_size, shuffle, sampler, batch_sampler, drop_last) -> None:
    """Raises for options that both choose the samples of a batch."""
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is None:
        if batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
    elif batch_size != 1 or shuffle or sampler is not None or drop_last:
        raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")


def _refuse_order_of_iterable(**options) -> None:
    """Raises for options that choose samples if the dataset's own iteration does."""
    for option, value in options.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {option} option, but got {option}={value}"
            )


class DataLoader(Generic[_T_co]):
    """Gives batches of a dataset, fetched in this process or by worker processes.

    Datasets with ``__getitem__`` are visited by a sampler, IterableDatasets in their own order. A
    batch is the list of samples after `collate_fn`, by default tensors with a new first dimension
    (`default_collate`).

    With ``num_workers > 0`` each worker holds a copy of the dataset and is `prefetch_factor` batches
    ahead; it seeds torch, random and NumPy with the pass's base seed plus its number. Where processes
    are spawned, dataset and functions have to be picklable, and programs need ``if __name__ ==
    "__main__":``.

    Args:
        dataset (Dataset): the dataset.
        batch_size (int, optional): samples per batch; None gives single samples. Default: ``1``.
        shuffle (bool, optional): visits the samples in random order. Default: False.
        sampler (Sampler or iterable, optional): gives the indices; excludes `shuffle`.
        batch_sampler (Sampler or iterable, optional): gives lists of indices; excludes `batch_size`,
            `shuffle`, `sampler` and `drop_last`.
        num_workers (int): number of worker processes; 0 for none. Default: ``0``.
        collate_fn (callable, optional): makes a batch of a list of samples.
        pin_memory (bool): copies batches to pinned memory; needs an accelerator. Default: ``False``.
        drop_last (bool): leaves out a last batch that is smaller. Default: ``False``.
        timeout (float): seconds to wait for a batch of a worker; 0 for no limit. Default: ``0``.
        worker_init_fn (callable, optional): called in each worker with its number, after seeding.
        multiprocessing_context (str or context, optional): how workers are started.
        generator (torch.Generator, optional): source of the order and of base seeds.
        prefetch_factor (int, optional): batches ahead per worker. Default: 2 with workers.
        persistent_workers (bool): keeps workers for the next pass. Default: ``False``.
        pin_memory_device (str): deprecated.
        in_order (bool): gives batches in the order of the sampler, not as they are ready. Default:
            ``True``.

    Raises:
        ValueError: when options exclude each other or are out of range.

    Example:
        >>> loader = torch.utils.data.DataLoader(torch.arange(5), batch_size=2)
        >>> len(loader), list(loader)
        (3, [tensor([0, 1]), tensor([2, 3]), tensor([4])])
    """

    dataset: Dataset[_T_co]
    batch_size: int | None
    num_workers: int
    pin_memory: bool
    drop_last: bool
    timeout: float
    sampler: Sampler | Iterable
    pin_memory_device: str
    prefetch_factor: int | None
    _iterator: "Any | None"
    __initialized = False

    def __init__(
        self, dataset: Dataset[_T_co], batch_size: int | None = 1, shuffle: bool | None = None,
        sampler: Sampler | Iterable | None = None, batch_sampler: Sampler[list] | Iterable[list] | None = None,
        num_workers: int = 0, collate_fn: Callable[[list], Any] | None = None, pin_memory: bool = False,
        drop_last: bool = False, timeout: float = 0, worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context=None, generator=None, *, prefetch_factor: int | None = None,
        persistent_workers: bool = False, pin_memory_device: str = "", in_order: bool = True,
    ) -> None:
        if wrong := _find_wrong_worker_option(num_workers, timeout, prefetch_factor, persistent_workers):
            raise ValueError(wrong)
        self.num_workers, self.persistent_workers, self.timeout = num_workers, persistent_workers, timeout
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.multiprocessing_context, self.worker_init_fn = multiprocessing_context, worker_init_fn
        self.in_order, self.generator = in_order, generator
        self.pin_memory, self.pin_memory_device = pin_memory, pin_memory_device
        self.dataset = _utils.pipes.wrapped(dataset, shuffle)
        self._set_sampling_order(batch_size, shuffle, sampler, batch_sampler, drop_last)
        default = default_collate if self._auto_collation else default_convert
        self.collate_fn = default if collate_fn is None else collate_fn
        self._iterator = self._IterableDataset_len_called = None
        self.__initialized = True
        self.check_worker_number_rationality()

    def _set_sampling_order(self, batch_size, shuffle, sampler, batch_sampler, drop_last) -> None:
        """Sets what determines the order and grouping of samples: the dataset's kind, the samplers, the batch size."""
        is_iterable = isinstance(self.dataset, IterableDataset)
        self._dataset_kind = _DatasetKind.Iterable if is_iterable else _DatasetKind.Map
        if is_iterable:
            # A pipe shuffles itself.
            refused = None if is_pipe(self.dataset, "IterDataPipe") else shuffle or None
            _refuse_order_of_iterable(shuffle=refused, sampler=sampler, batch_sampler=batch_sampler)
        _check_order_options(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if sampler is None:
            sampler = self._make_own_sampler(shuffle)
        if batch_sampler is not None:
            batch_size, drop_last = None, False
        elif batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.sampler, self.batch_sampler = sampler, batch_sampler
        self.batch_size, self.drop_last = batch_size, drop_last

    def _make_own_sampler(self, shuffle) -> Sampler:
        if self._dataset_kind == _DatasetKind.Iterable:
            return _InfiniteConstantSampler()
        return RandomSampler(self.dataset, generator=self.generator) if shuffle else SequentialSampler(self.dataset)

    def _get_iterator(self):
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        from ._multiprocess_iter import _MultiProcessingDataLoaderIter

        return _MultiProcessingDataLoaderIter(self)

    @property
    def multiprocessing_context(self):
        """How workers are started: set by name or as a context."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, multiprocessing_context) -> None:
        context = multiprocessing_context
        if context is not None:
            if self.num_workers <= 0:
                raise ValueError(
                    "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                    f"num_workers={self.num_workers}"
                )
            import multiprocessing

            if isinstance(context, str):
                methods = multiprocessing.get_all_start_methods()
                if context not in methods:
                    raise ValueError(
                        "multiprocessing_context option should specify a valid start method in "
                        f"{methods!r}, but got multiprocessing_context={context!r}"
                    )
                context = torch.multiprocessing.get_context(context)
            if not isinstance(context, multiprocessing.context.BaseContext):
                raise TypeError(
                    "multiprocessing_context option should be a valid context object or a string specifying the start "
                    f"method, but got multiprocessing_context={context}"
                )
        self.__multiprocessing_context = context

    def __setattr__(self, attr, val) -> None:
        if self.__initialized and attr in _FIXED:
            raise ValueError(f"{attr} attribute should not be set after {self.__class__.__name__} is initialized")
        super().__setattr__(attr, val)

    def __iter__(self) -> _BaseDataLoaderIter:
        if not self.persistent_workers or self.num_workers == 0:
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    @property
    def _auto_collation(self):
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self) -> int:
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        # Stored to warn if the dataset yields more.
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        whole, rest = divmod(length, self.batch_size)
        return whole + (0 if self.drop_last else rest > 0)

    def check_worker_number_rationality(self) -> None:
        """Warns if there are more workers than processors that this process may use."""
        if not self.num_workers:
            return
        with contextlib.suppress(AttributeError):
            suggested = len(os.sched_getaffinity(0))
            if self.num_workers > suggested:
                warnings.warn(
                    f"This DataLoader will create {self.num_workers} worker processes in total. Our suggested max "
                    f"number of worker in current system is {suggested}, which is smaller than what this DataLoader is "
                    "going to create. Please be aware that excessive worker creation might get DataLoader running slow "
                    "or even freeze, lower the worker number to avoid potential slowness/freeze if necessary.",
                    stacklevel=3,
                )


# Copies the loader's options, which may change during an epoch.
_KEPT_OF_LOADER = (
    "_dataset_kind", "_IterableDataset_len_called", "_auto_collation", "_index_sampler", "drop_last", "num_workers",
    "timeout", "collate_fn", "persistent_workers",
)


class _BaseDataLoaderIter:
    """One epoch over the data; subclasses fetch."""

    def __init__(self, loader: DataLoader) -> None:
        self._dataset, self._shared_seed = draw_epoch_seed(loader)
        for option in _KEPT_OF_LOADER:
            setattr(self, f"_{option.lstrip('_')}", getattr(loader, option))
        self._choose_pinning(loader)
        self._num_yielded, self._sampler_iter = 0, iter(self._index_sampler)
        self._base_seed = torch.empty((), dtype=torch.int64).random_(generator=loader.generator).item()
        self._profile_name = f"enumerate(DataLoader)#{self.__class__.__name__}.__next__"

    def _choose_pinning(self, loader) -> None:
        self._pin_memory, self._pin_memory_device = False, None
        if not loader.pin_memory:
            return
        if loader.pin_memory_device:
            warnings.warn(
                "pin_memory_device is deprecated, the current accelerator will be used as the device,"
                f"ignore pin_memory_device='{loader.pin_memory_device}'.",
                stacklevel=2,
            )
        if not torch.accelerator.is_available():
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                "used.",
                stacklevel=2,
            )
            return
        self._pin_memory = True
        self._pin_memory_device = torch.accelerator.current_accelerator().type

    def __iter__(self) -> Self:
        return self

    def _reset(self, loader, first_iter=False) -> None:
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._dataset, self._shared_seed = draw_epoch_seed(loader)

    def _next_index(self):
        return next(self._sampler_iter)

    def _next_data(self):
        raise NotImplementedError

    def __next__(self) -> Any:
        with torch.autograd.profiler.record_function(self._profile_name):
            data = self._next_data()
        self._num_yielded += 1
        if self._dataset_kind == _DatasetKind.Iterable:
            self._warn_of_excess(self._IterableDataset_len_called)
        return data

    def _warn_of_excess(self, promised) -> None:
        if promised is None or self._num_yielded <= promised:
            return
        advice = (
            "For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset "
            "replica at each worker. Please see "
            "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
        )
        warnings.warn(
            f"Length of IterableDataset {self._dataset} was reported to be {promised}(when accessing len(dataloader)), "
            f"but {self._num_yielded} samples have been fetched. {advice if self._num_workers else ''}",
            stacklevel=3,
        )

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __getstate__(self):
        raise NotImplementedError("{} cannot be pickled", self.__class__.__name__)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    def __init__(self, loader) -> None:
        super().__init__(loader)
        for option in ("timeout", "num_workers"):
            if getattr(loader, option) != 0:
                raise AssertionError(f"_SingleProcessDataLoaderIter requires {option} == 0")
        self._dataset = shard_by_replica(self._dataset)
        self._dataset_fetcher = _DatasetKind.create_fetcher(
            self._dataset_kind, self._dataset, self._auto_collation, self._collate_fn, self._drop_last
        )

    def _next_data(self):
        data = self._dataset_fetcher.fetch(self._next_index())
        return _utils.pin_memory.pin_memory(data, self._pin_memory_device) if self._pin_memory else data


__getattr__ = lazy_attributes(__name__, names={"_MultiProcessingDataLoaderIter": "_multiprocess_iter"})
