"""The loop that a DataLoader worker process runs."""

import importlib.util
import os
import queue
import random
from dataclasses import dataclass
from typing import Any

from ...._root import torch
from ...._utils import ExceptionWrapper
from . import MP_STATUS_CHECK_INTERVAL, pipes, signal_handling


class ManagerWatchdog:
    """Checks whether the process that started this one is alive."""

    def __init__(self) -> None:
        self.manager_pid = os.getppid()
        self.manager_dead = False

    def is_alive(self) -> bool:
        """Returns whether the process that started this one is alive.

        Returns:
            bool: whether it does.
        """
        self.manager_dead = self.manager_dead or os.getppid() != self.manager_pid
        return not self.manager_dead


@dataclass(frozen=True, slots=True)
class _RNG:
    random_generator: random.Random
    torch_generator: Any
    numpy_generator: object | None = None


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """Facts about a worker of a DataLoader, which `torch.utils.data.get_worker_info` returns in it.

    Args:
        id (int): number of the worker.
        num_workers (int): number of workers.
        seed (int): seed of the worker.
        dataset (Dataset): the worker's copy.
        rng (optional): generators of a worker thread.
        worker_method (str, optional): ``"multiprocessing"`` or ``"thread"``.

    Example:
        >>> from torch.utils.data._utils.worker import WorkerInfo
        >>> info = WorkerInfo(id=0, num_workers=2, seed=1, dataset=None)
        >>> info.id, info.num_workers
        (0, 2)
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: _RNG | None = None
    worker_method: str | None = "multiprocessing"


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Returns facts about the DataLoader worker that calls it.

    Returns:
        WorkerInfo or None: `id`, `num_workers`, `seed` and `dataset` (the worker's copy); None in the
            main
        process.

    Example:
        >>> torch.utils.data.get_worker_info() is None
        True
    """
    return _worker_info


@dataclass(frozen=True)
class _IterableDatasetStopIteration:
    """A message: a worker's share of an iterable dataset is exhausted."""

    worker_id: int


@dataclass(frozen=True)
class _ResumeIteration:
    """A message: asks a persistent worker to begin another epoch."""

    seed: int | None = None


def _generate_state(base_seed, worker_id):
    """Returns four 32-bit words for NumPy's legacy generator, expanded as NumPy's own SeedSequence does."""
    from numpy.random import SeedSequence

    entropy = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return SeedSequence(entropy).generate_state(4).tolist()


def _seed_everything(base_seed, worker_id) -> int:
    seed = base_seed + worker_id
    random.seed(seed)
    torch.manual_seed(seed)
    if importlib.util.find_spec("numpy") is not None:
        import numpy

        numpy.random.seed(_generate_state(base_seed, worker_id))
    return seed


class _Worker:
    """One worker's state between index requests."""

    def __init__(self, dataset, make_fetcher, worker_id, is_iterable) -> None:
        self.dataset = dataset
        self.make_fetcher = make_fetcher
        self.worker_id = worker_id
        self.is_iterable = is_iterable
        self.fetcher = None
        self.startup_error = None
        self.iteration_end = False

    def start(self, init_fn) -> None:
        try:
            if init_fn is not None:
                init_fn(self.worker_id)
            self.fetcher = self.make_fetcher(self.dataset)
        except Exception:
            self.startup_error = self.wrap_error()

    def wrap_error(self):
        return ExceptionWrapper(where=f"in DataLoader worker process {self.worker_id}")

    def resume(self, seed) -> None:
        self.iteration_end = False
        if seed is not None:
            self.dataset = pipes.apply_shared_seed(self.dataset, seed)
        self.fetcher = self.make_fetcher(self.dataset)

    def fetch(self, index):
        if self.startup_error is not None:
            error, self.startup_error = self.startup_error, None
            return error
        try:
            return self.fetcher.fetch(index)
        except Exception as error:
            if isinstance(error, StopIteration) and self.is_iterable:
                self.iteration_end = True
                return _IterableDatasetStopIteration(self.worker_id)
            # Wrapped while the exception is current: tracebacks cannot be sent to other processes.
            return self.wrap_error()


def _serve_indices(worker: _Worker, index_queue, data_queue, done_event) -> None:
    watchdog = ManagerWatchdog()
    while watchdog.is_alive():
        try:
            request = index_queue.get(timeout=MP_STATUS_CHECK_INTERVAL)
        except queue.Empty:
            continue
        if isinstance(request, _ResumeIteration):
            data_queue.put((request, None))
            worker.resume(request.seed)
        elif request is None:
            if not done_event.is_set() and not worker.iteration_end:
                raise AssertionError("Received final signal but neither done_event nor iteration_end is set")
            return
        elif not done_event.is_set() and not worker.iteration_end:
            data_queue.put((request[0], worker.fetch(request[1])))
        del request


def _worker_loop(
    dataset_kind,
    dataset,
    index_queue,
    data_queue,
    done_event,
    auto_collation,
    collate_fn,
    drop_last,
    base_seed,
    init_fn,
    worker_id,
    num_workers,
    persistent_workers,
    shared_seed,
) -> None:
    from ..dataloader import _DatasetKind

    try:
        signal_handling._set_worker_signal_handlers()
        torch.set_num_threads(1)
        seed = _seed_everything(base_seed, worker_id)
        if shared_seed is not None:
            dataset = pipes.apply_shared_seed(dataset, shared_seed)

        global _worker_info
        _worker_info = WorkerInfo(id=worker_id, num_workers=num_workers, seed=seed, dataset=dataset)

        def make_fetcher(source):
            return _DatasetKind.create_fetcher(dataset_kind, source, auto_collation, collate_fn, drop_last)

        worker = _Worker(dataset, make_fetcher, worker_id, dataset_kind == _DatasetKind.Iterable)
        worker.start(init_fn)
        _serve_indices(worker, index_queue, data_queue, done_event)
    except KeyboardInterrupt:
        # The main process reports the interrupt.
        pass
    if done_event.is_set():
        data_queue.cancel_join_thread()
        data_queue.close()
