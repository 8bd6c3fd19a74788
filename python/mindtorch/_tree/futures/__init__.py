"""torch.futures: values that become available later, with callbacks."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

from .._root import torch
from .. import _future

T = TypeVar("T")

__all__ = ["Future", "collect_all", "wait_all"]


class Future(_future.Future, Generic[T]):
    """A value that another thread will give with `set_result` or `set_exception`, and that `wait()` waits for.

    Args:
        devices (list, optional): devices of the value; all of one kind and with indices.

    Example:
        >>> future = torch.futures.Future()
        >>> doubled = future.then(lambda done: 2 * done.value())
        >>> future.set_result(21)
        >>> doubled.wait()
        42
    """

    __module__ = "torch.jit"

    def __init__(self, *, devices: list[int | str | torch.device] | None = None) -> None:
        super().__init__(() if devices is None else devices)

    def set_exception(self, result: T) -> None:
        """Completes the future with an error, which `wait()` and `value()` raise.

        Args:
            result (Exception): the error.

        Raises:
            AssertionError: when it is no exception.
        """
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._set_error(result)


def collect_all(futures: list[Future]) -> Future[list[Future]]:
    """Returns a future of several futures: it completes when all of them are complete.

    Args:
        futures (list of Future): the futures.

    Returns:
        Future: of the list; waiting for it raises the first error of theirs.

    Example:
        >>> future = torch.futures.Future()
        >>> both = torch.futures.collect_all([future, future])
        >>> future.set_result(1)
        >>> [done.value() for done in both.wait()]
        [1, 1]
    """
    if not isinstance(futures, list | tuple) or not all(isinstance(future, _future.Future) for future in futures):
        _future.raise_incompatible_arguments(
            "_collect_all", "(arg0: collections.abc.Sequence[torch._C.Future]) -> torch._C.Future", futures
        )
    futures = list(futures)
    collected = _future.Future([])
    collected._set_unwrap_func(_wait_each)
    if not futures:
        collected.set_result([])
        return collected
    lock = threading.Lock()
    missing = len(futures)

    def count_completed():
        nonlocal missing
        with lock:
            missing -= 1
            last = missing == 0
        if last:
            collected.set_result(futures)

    for future in futures:
        future._call_when_done(count_completed)
    return collected


def _wait_each(futures: list[Future]) -> list:
    return [future.wait() for future in futures]


def wait_all(futures: list[Future]) -> list:
    """Waits for several futures and returns their values.

    Args:
        futures (list of Future): the futures.

    Returns:
        list: the values; the first error in the list's order is raised.

    Example:
        >>> future = torch.futures.Future()
        >>> future.set_result(1)
        >>> torch.futures.wait_all([future])
        [1]
    """
    return _wait_each(collect_all(futures).wait())
