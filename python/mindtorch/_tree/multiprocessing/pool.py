"""A process pool whose queues pass tensors, and whose workers free shared memory before they end."""

import gc
import multiprocessing.pool

from .queue import SimpleQueue


def clean_worker(*args, **kwargs):
    """A pool's worker; frees shared storages at its end."""
    multiprocessing.pool.worker(*args, **kwargs)
    # Collects reference cycles, which may still hold storages in shared memory.
    gc.collect()


class Pool(multiprocessing.pool.Pool):
    """A process pool that shares tensors instead of copying them."""

    def _setup_queues(self):
        tasks, results = SimpleQueue(), SimpleQueue()
        self._inqueue, self._quick_put = tasks, tasks._writer.send
        self._outqueue, self._quick_get = results, results._reader.recv

    def _repopulate_pool(self):
        given = (
            self._inqueue, self._outqueue, self._initializer, self._initargs, self._maxtasksperchild,
            self._wrap_exception,
        )
        for _ in range(self._processes - len(self._pool)):
            worker = self.Process(self._ctx, target=clean_worker, args=given)
            self._pool.append(worker)
            worker.name = worker.name.replace("Process", "PoolWorker")
            worker.daemon = True
            worker.start()
