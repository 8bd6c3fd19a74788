"""Metal's tracing, which a build without Metal refuses."""

import contextlib

from .._absent_device import refusing

__all__ = ["start", "stop", "profile", "is_capturing_metal", "is_metal_capture_enabled", "metal_capture"]


def _refusing(declaration: str, method: str):
    return refusing(__name__, declaration, RuntimeError, f"Cannot execute {method}() without MPS backend.")


start = _refusing("start(mode='interval', wait_until_completed=False)", "profilerStartTrace")
stop = _refusing("stop()", "profilerStopTrace")


@contextlib.contextmanager
def profile(mode: str = "interval", wait_until_completed: bool = False):
    """Raises: no MPS here."""
    start(mode, wait_until_completed)
    yield


def is_metal_capture_enabled() -> bool:
    """Whether Metal can capture: False."""
    return False


def is_capturing_metal() -> bool:
    """Whether Metal captures now: False."""
    return False


@contextlib.contextmanager
def metal_capture(fname: str):
    """A block captured to `fname`; raises: no Metal here."""
    start(fname)
    yield
