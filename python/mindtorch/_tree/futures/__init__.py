"""torch.futures: a value that is not there yet, with callbacks."""

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

__all__ = ["Future", "collect_all", "wait_all"]


class Future(Generic[T]):
    def __init__(self, *, devices=None):
        if devices:
            raise ValueError("Cannot pass devices to a Future on a build without accelerators")
        self._lock = threading.Lock()
        self._event = threading.Event()
        self._result: Any = None
        self._exception: BaseException | None = None
        self._callbacks: list[Callable] = []

    def done(self) -> bool:
        return self._event.is_set()

    def wait(self) -> T:
        """Waits, then gives the value or raises the error."""
        self._event.wait()
        return self.value()

    def value(self) -> T:
        if self._exception is not None:
            raise self._exception
        return self._result

    def _complete(self, result, exception) -> None:
        with self._lock:
            if self._event.is_set():
                raise RuntimeError("Future can only be marked complete once" if exception is None else
                                   "Error already set on this Future")
            self._result, self._exception = result, exception
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(self)

    def set_result(self, result: T) -> None:
        self._complete(result, None)

    def set_exception(self, result) -> None:
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._complete(None, result)

    def add_done_callback(self, callback: Callable[["Future[T]"], None]) -> None:
        with self._lock:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback: Callable):
        """A future of what `callback` makes of this one."""
        following: Future = Future()

        def run(completed):
            try:
                following.set_result(callback(completed))
            except Exception as error:
                following.set_exception(error)

        self.add_done_callback(run)
        return following


def collect_all(futures: list[Future]) -> Future[list[Future]]:
    """Completes with the list once all in it are complete."""
    collected: Future = Future()
    if not futures:
        collected.set_result([])
        return collected
    lock = threading.Lock()
    missing = len(futures)

    def count(_):
        nonlocal missing
        with lock:
            missing -= 1
            last = missing == 0
        if last:
            collected.set_result(futures)

    for future in futures:
        future.add_done_callback(count)
    return collected


def wait_all(futures: list[Future]) -> list:
    return [future.wait() for future in collect_all(futures).wait()]
