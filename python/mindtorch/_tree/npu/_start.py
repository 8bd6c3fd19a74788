"""The first use of an NPU: deferred calls, and the error in forked children."""

import threading
import traceback

from .. import _C
from ._backend import NO_DEVICE, backend, has_device


class DeferredNpuCallError(Exception):
    """Raised when a call that was deferred until the first use of an NPU failed."""


_started = False
_starting = threading.local()
_lock = threading.Lock()
_queued_calls: list = []  # (callable, traceback of the request)


def _is_compiled() -> bool:
    """Whether there is a library for NPUs, and a device."""
    return has_device()


def _is_in_bad_fork() -> bool:
    return _C._npu_isInBadFork()


def is_initialized() -> bool:
    """Returns whether a device was used already by this process; never in a child made by fork.

    Returns:
        bool: whether one was.
    """
    return _C._npu_isInitialized() and not _is_in_bad_fork()


def is_available() -> bool:
    """Returns whether an NPU can be used: the vendor's library is installed and finds a device.

    Returns:
        bool: whether one can.
    """
    return has_device()


def device_count() -> int:
    """Returns the number of NPUs; 0 without the vendor's library.

    Returns:
        int: the number.
    """
    return _C._npu_getDeviceCount()


def init() -> None:
    """Starts the current device; every function that needs a device does that itself.

    Raises:
        AssertionError: when there is no device.
        RuntimeError: in a child made by fork, whose parent used a device.
    """
    _lazy_init()


def _lazy_init() -> None:
    global _started
    if (_started and is_initialized()) or getattr(_starting, "now", False):
        return
    if _is_in_bad_fork():
        raise RuntimeError(
            "Cannot re-initialize NPU in forked subprocess. To use NPU with "
            "multiprocessing, you must use the 'spawn' start method"
        )
    if not has_device():
        raise AssertionError(NO_DEVICE)
    with _lock:
        backend._npu_init()
        _starting.now = True
        try:
            _run_queued_calls()
        finally:
            _starting.now = False
        _started = True


def _run_queued_calls() -> None:
    while _queued_calls:
        call, origin = _queued_calls.pop(0)
        try:
            call()
        except Exception as error:
            raise DeferredNpuCallError(
                f"NPU call failed lazily at initialization with error: {error}\n\n"
                f"NPU call was originally invoked at:\n\n{''.join(origin)}"
            ) from error


def _lazy_call(callable, **kwargs) -> None:
    """Calls now if a device is in use, otherwise when one is first used."""
    if is_initialized():
        callable()
    else:
        _queued_calls.append((callable, traceback.format_stack()))
