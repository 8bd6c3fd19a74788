"""Metal's tracing; a build without Metal raises."""

import contextlib

from .._absent_device import make_refusing_function

__all__ = ["start", "stop", "profile", "is_capturing_metal", "is_metal_capture_enabled", "metal_capture"]


def _make_refusing_function(declaration: str, method: str):
    return make_refusing_function(
        __name__, declaration, RuntimeError, f"Cannot execute {method}() without MPS backend."
    )


start = _make_refusing_function(
    "start(mode='interval', wait_until_completed=False): Starts the profiler.", "profilerStartTrace"
)
stop = _make_refusing_function("stop(): Stops the profiler.", "profilerStopTrace")


@contextlib.contextmanager
def profile(mode: str = "interval", wait_until_completed: bool = False):
    """Would trace a block for Apple's tools: raises RuntimeError on entry, as this build has no Metal.

    Args:
        mode (str): "interval" or "event"; ignored. Default: ``"interval"``.
        wait_until_completed (bool): not looked at. Default: ``False``.

    Returns:
        a context manager.
    """
    start(mode, wait_until_completed)
    yield


def is_metal_capture_enabled() -> bool:
    """Returns whether Metal can capture.

    Returns:
        bool: False, as this build has no Metal.
    """
    return False


def is_capturing_metal() -> bool:
    """Returns whether Metal is capturing.

    Returns:
        bool: False, as this build has no Metal.
    """
    return False


@contextlib.contextmanager
def metal_capture(fname: str):
    """Would capture a block: raises RuntimeError on entry, as this build has no Metal.

    Args:
        fname (str): the file; not written.

    Returns:
        a context manager.
    """
    start(fname)
    yield
