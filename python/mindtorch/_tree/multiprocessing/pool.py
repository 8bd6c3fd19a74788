"""A process pool whose queues carry tensors, and whose workers free shared memory before they end."""

import gc
import multiprocessing.pool

from .queue import SimpleQueue


def clean_worker(*args, **kwargs):
    """A pool's worker; frees shared storages at its end."""
    multiprocessing.pool.worker(*args, **kwargs)
    # Cycles may still hold shared storages.
    gc.collect()


class Pool(multiprocessing.pool.Pool):
    """A process pool that shares tensors instead of copying them."""

    def _setup_queues(self):
        self._inqueue = SimpleQueue()
        self._outqueue = SimpleQueue()
        self._quick_put = self._inqueue._writer.send
        self._quick_get = self._outqueue._reader.recv

    def _repopulate_pool(self):
        for _ in range(self._processes - len(self._pool)):
            worker = self.Process(
                self._ctx,
                target=clean_worker,
                args=(
                    self._inqueue,
                    self._outqueue,
                    self._initializer,
                    self._initargs,
                    self._maxtasksperchild,
                    self._wrap_exception,
                ),
            )
            self._pool.append(worker)
            worker.name = worker.name.replace("Process", "PoolWorker")
            worker.daemon = True
            worker.start()
