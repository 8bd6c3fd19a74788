"""The DataLoader's iterator with worker processes: assigns batches to workers and orders their results."""

import atexit
import contextlib
import errno
import itertools
import queue
import tempfile
import threading
import warnings
import weakref

from ..._root import torch
from ..._utils import ExceptionWrapper
from . import _utils
from .dataloader import _BaseDataLoaderIter

_persistent_workers_atexit_lock = threading.Lock()
_persistent_workers_atexit: weakref.WeakSet = weakref.WeakSet()


def _shut_down_persistent_workers() -> None:
    with _persistent_workers_atexit_lock:
        iterators = tuple(_persistent_workers_atexit)
    for iterator in iterators:
        iterator._shutdown_workers()


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """A task is a batch's number and its indices; results that arrive early are stored.

    `_task_info` maps the number of each outstanding task to `(worker,)`, or to `(worker, data)` if its result arrived
    early.
    """

    def __init__(self, loader) -> None:
        super().__init__(loader)
        self._prefetch_factor = loader.prefetch_factor
        self._in_order = loader.in_order
        if self._num_workers <= 0:
            raise AssertionError("num_workers must be greater than 0 for MultiProcessingDataLoaderIter")
        if self._prefetch_factor <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        context = loader.multiprocessing_context
        context = torch.multiprocessing if context is None else context
        self._worker_init_fn = _utils.pipes.make_sharding_worker_init(self._dataset, loader.worker_init_fn)
        self._worker_result_queue = context.Queue()
        self._worker_pids_set = False
        self._shutdown = False
        self._workers_done_event = context.Event()
        self._index_queues = []
        self._workers = []
        for worker_id in range(self._num_workers):
            self._start_worker(context, worker_id)
        self._data_queue = self._worker_result_queue
        if self._pin_memory:
            self._start_pinning()
        _utils.signal_handling._set_worker_pids(id(self), tuple(worker.pid for worker in self._workers))
        _utils.signal_handling._set_SIGCHLD_handler()
        self._worker_pids_set = True
        self._reset(loader, first_iter=True)

    def _start_worker(self, context, worker_id) -> None:
        from pickle import PicklingError

        index_queue = context.Queue()
        # Indices that no worker has read from the queue must not delay the exit of this process.
        index_queue.cancel_join_thread()
        queues = self._worker_result_queue, self._workers_done_event
        fetching = self._auto_collation, self._collate_fn, self._drop_last
        given = *queues, *fetching, self._base_seed, self._worker_init_fn, worker_id, self._num_workers
        worker = context.Process(
            target=_utils.worker._worker_loop,
            args=(self._dataset_kind, self._dataset, index_queue, *given, self._persistent_workers, self._shared_seed),
        )
        worker.daemon = True
        try:
            worker.start()
        except (TypeError, AttributeError, PicklingError):
            warnings.warn(
                "Got pickle error when attempting to start a worker Process. This might be because the worker Process "
                "arguments are not picklable. Python 3.14+ changed the multiprocessing start method in non-Mac POSIX "
                "platforms to 'forkserver', which requires the worker Process arguments to be picklable. You can also "
                "try multiprocessing.set_start_method('fork').",
                stacklevel=2,
            )
            raise
        self._index_queues.append(index_queue)
        self._workers.append(worker)

    def _start_pinning(self) -> None:
        self._pin_memory_thread_done_event = threading.Event()
        self._data_queue = queue.Queue()
        self._pin_memory_thread = threading.Thread(
            target=_utils.pin_memory._pin_memory_loop,
            args=(
                self._worker_result_queue,
                self._data_queue,
                torch.accelerator.current_device_index(),
                self._pin_memory_thread_done_event,
                self._pin_memory_device,
            ),
            daemon=True,
        )
        self._pin_memory_thread.start()
        if self._persistent_workers:
            with _persistent_workers_atexit_lock:
                if not _persistent_workers_atexit:
                    atexit.register(_shut_down_persistent_workers)
                _persistent_workers_atexit.add(self)

    def _reset(self, loader, first_iter=False) -> None:
        super()._reset(loader, first_iter)
        workers = range(self._num_workers)
        self._task_info, self._tasks_outstanding = {}, 0
        self._rcvd_idx = self._send_idx = 0
        self._workers_status = [True for _ in workers]
        self._workers_num_tasks = [0 for _ in workers]
        self._worker_queue_idx_cycle = itertools.cycle(workers)
        if not first_iter:
            self._wake_workers()
        for _ in range(self._max_tasks):
            self._try_put_index()

    @property
    def _max_tasks(self) -> int:
        return self._prefetch_factor * self._num_workers

    def _wake_workers(self) -> None:
        """Starts another epoch in persistent workers, and drops their remaining results of the previous one."""
        for index_queue in self._index_queues:
            index_queue.put(_utils.worker._ResumeIteration(self._shared_seed))
        answers = 0
        while answers < self._num_workers:
            reply, data = self._get_data()
            if not isinstance(reply, _utils.worker._ResumeIteration):
                continue
            if data is not None:
                raise AssertionError("Expected return_data to be None when resuming iteration")
            answers += 1

    def _try_get_data(self, timeout=_utils.MP_STATUS_CHECK_INTERVAL):
        try:
            return True, self._data_queue.get(timeout=timeout)
        except Exception as error:
            failed = []
            for worker_id, worker in enumerate(self._workers):
                if self._workers_status[worker_id] and not worker.is_alive():
                    failed.append(str(worker.pid))
                    self._mark_worker_as_unavailable(worker_id)
            if failed:
                raise RuntimeError(f"DataLoader worker (pid(s) {', '.join(failed)}) exited unexpectedly") from error
            if isinstance(error, queue.Empty):
                return False, None
            if _has_no_free_descriptors():
                raise RuntimeError(
                    "Too many open files. Communication with the workers is no longer possible. Please increase the "
                    "limit using `ulimit -n` in the shell or change the sharing strategy by calling "
                    "`torch.multiprocessing.set_sharing_strategy('file_system')` at the beginning of your code"
                ) from None
            raise

    def _get_data(self):
        if self._timeout > 0:
            success, data = self._try_get_data(self._timeout)
            if not success:
                raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
            return data
        while not self._pin_memory or self._pin_memory_thread.is_alive():
            success, data = self._try_get_data()
            if success:
                return data
        raise RuntimeError("Pin memory thread exited unexpectedly")

    def _skip_lost_tasks(self) -> bool:
        """Advances to the next task that has, or can still have, a result; False at the end."""
        while self._rcvd_idx < self._send_idx:
            info = self._task_info.get(self._rcvd_idx)
            if info and (len(info) == 2 or self._workers_status[info[0]]):
                return True
            self._task_info.pop(self._rcvd_idx, None)
            self._rcvd_idx += 1
        return False

    def _next_data(self):
        while self._skip_lost_tasks():
            number = self._rcvd_idx
            if len(self._task_info[number]) == 1:
                arrived = self._receive_result()
                if arrived is None or (self._in_order and arrived != number):
                    continue
                number = arrived
            # A task that completes out of order leaves a gap, which is skipped later.
            self._rcvd_idx += number == self._rcvd_idx
            worker_id, data = self._task_info.pop(number)
            return self._process_data(data, worker_id)
        if not self._persistent_workers:
            self._shutdown_workers()
        raise StopIteration

    def _receive_result(self) -> int | None:
        """Waits for one result and stores it; returns its number, or None if a worker has no more."""
        if self._shutdown or self._tasks_outstanding <= 0:
            raise AssertionError("Invalid iterator state: shutdown or no outstanding tasks when fetching next data")
        number, data = self._get_data()
        self._tasks_outstanding -= 1
        if not isinstance(data, _utils.worker._IterableDatasetStopIteration):
            self._task_info[number] += (data,)
            return number
        if self._persistent_workers:
            self._workers_status[data.worker_id] = False
        else:
            self._mark_worker_as_unavailable(data.worker_id)
        self._try_put_index()
        return None

    def _choose_worker(self):
        """Returns the worker for the next task; None if all active ones have enough tasks, or none is active."""
        for worker_id in itertools.islice(self._worker_queue_idx_cycle, self._num_workers):
            if not self._workers_status[worker_id]:
                continue
            # Without ordering, a slow worker must not accumulate tasks.
            share = self._max_tasks // sum(self._workers_status)
            if self._in_order or self._workers_num_tasks[worker_id] < share:
                return worker_id
        return None

    def _try_put_index(self) -> None:
        """Sends a worker the indices of the next batch, if both exist."""
        if self._tasks_outstanding >= self._max_tasks:
            raise AssertionError("Number of outstanding tasks exceeded maximum allowed tasks")
        try:
            index = self._next_index()
        except StopIteration:
            return
        worker_id = self._choose_worker()
        if worker_id is not None:
            number, self._send_idx = self._send_idx, self._send_idx + 1
            self._task_info[number] = (worker_id,)
            self._workers_num_tasks[worker_id] += 1
            self._tasks_outstanding += 1
            self._index_queues[worker_id].put((number, index))

    def _process_data(self, data, worker_idx):
        """Returns a worker's result, or raises its error; submits another task first."""
        self._workers_num_tasks[worker_idx] -= 1
        self._try_put_index()
        return data.reraise() if isinstance(data, ExceptionWrapper) else data

    def _mark_worker_as_unavailable(self, worker_id, shutdown=False) -> None:
        if not self._workers_status[worker_id] and not (self._persistent_workers and shutdown):
            raise AssertionError("Worker status inconsistent when marking worker as unavailable")
        self._index_queues[worker_id].put(None)
        self._workers_status[worker_id] = False
        if self._workers_done_event.is_set() != shutdown:
            raise AssertionError("_workers_done_event state does not match shutdown flag")

    def _stop_pinning(self) -> None:
        if hasattr(self, "_pin_memory_thread"):
            self._pin_memory_thread_done_event.set()
            self._worker_result_queue.put((None, None))
            self._pin_memory_thread.join()
            self._worker_result_queue.cancel_join_thread()
            self._worker_result_queue.close()

    def _shutdown_workers(self) -> None:
        # At interpreter exit, workers end by themselves (daemons), and queues may be gone.
        if _utils is None or _utils.python_exit_status is not False or self._shutdown:
            return
        self._shutdown = True
        try:
            self._stop_pinning()
            self._workers_done_event.set()
            for worker_id in range(len(self._workers)):
                if self._persistent_workers or self._workers_status[worker_id]:
                    self._mark_worker_as_unavailable(worker_id, shutdown=True)
            for worker in self._workers:
                worker.join(timeout=_utils.MP_STATUS_CHECK_INTERVAL)
            for index_queue in self._index_queues:
                index_queue.cancel_join_thread()
                index_queue.close()
        finally:
            if self._worker_pids_set:
                _utils.signal_handling._remove_worker_pids(id(self))
                self._worker_pids_set = False
            for worker in self._workers:
                if worker.is_alive():
                    worker.terminate()

    def __del__(self) -> None:
        if hasattr(self, "_workers_status"):
            self._shutdown_workers()


def _has_no_free_descriptors() -> bool:
    try:
        with contextlib.ExitStack() as stack:
            for _ in range(10):
                stack.enter_context(tempfile.NamedTemporaryFile())
    except OSError as error:
        return error.errno == errno.EMFILE
    return False


_MultiProcessingDataLoaderIter.__module__ = _BaseDataLoaderIter.__module__
