"""Metal's tracing, which a build without Metal refuses."""

import contextlib

from .._absent_device import refusing

__all__ = ["start", "stop", "profile", "is_capturing_metal", "is_metal_capture_enabled", "metal_capture"]

start = refusing(__name__, "start", RuntimeError, "Cannot execute profilerStartTrace() without MPS backend.")
stop = refusing(__name__, "stop", RuntimeError, "Cannot execute profilerStopTrace() without MPS backend.")


@contextlib.contextmanager
def profile(mode: str = "interval", wait_until_completed: bool = False):
    start(mode, wait_until_completed)
    yield


def is_metal_capture_enabled() -> bool:
    return False


def is_capturing_metal() -> bool:
    return False


@contextlib.contextmanager
def metal_capture(fname: str):
    start(fname)
    yield
