"""torch.futures: a value that is not there yet, with callbacks."""

import threading
from typing import Generic, TypeVar

from .. import _future

T = TypeVar("T")

__all__ = ["Future", "collect_all", "wait_all"]


class Future(_future.Future, Generic[T]):
    """A value that another thread may give, with set_result or set_exception, and that wait() waits for."""

    __module__ = "torch.jit"

    def __init__(self, *, devices=None) -> None:
        super().__init__(() if devices is None else devices)

    def set_exception(self, result) -> None:
        """Completes the future with an error, which wait() and value() raise."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._fail(result)


def collect_all(futures: list[Future]) -> Future[list[Future]]:
    """Completes with the list once all in it are complete; waiting for it raises the first error of theirs."""
    if not isinstance(futures, list | tuple) or not all(isinstance(future, _future.Future) for future in futures):
        _future.refuse("_collect_all", "(arg0: collections.abc.Sequence[torch._C.Future]) -> torch._C.Future", futures)
    futures = list(futures)
    collected = _future.Future([])
    collected._set_unwrap_func(_wait_each)
    if not futures:
        collected.set_result([])
        return collected
    lock = threading.Lock()
    missing = len(futures)

    def count():
        nonlocal missing
        with lock:
            missing -= 1
            last = missing == 0
        if last:
            collected.set_result(futures)

    for future in futures:
        future._when_done(count)
    return collected


def _wait_each(futures: list[Future]) -> list:
    return [future.wait() for future in futures]


def wait_all(futures: list[Future]) -> list:
    """Waits for all and gives their values; raises the first error in the list's order."""
    return _wait_each(collect_all(futures).wait())
