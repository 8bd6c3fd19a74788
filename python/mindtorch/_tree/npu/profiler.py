"""Control of the device's own profiler, which this backend does not reach."""

import contextlib

from ._start import _lazy_init


def _refuse(name: str):
    _lazy_init()
    raise NotImplementedError(f"torch.npu.profiler.{name} is not supported")


def init(output_file, flags=None, output_mode="key_value"):
    """Names the profiler's file: refused."""
    _refuse("init")


def start():
    """Starts the profiler: refused."""
    _refuse("start")


def stop():
    """Stops the profiler: refused."""
    _refuse("stop")


@contextlib.contextmanager
def profile():
    """Profiles a block: refused."""
    start()
    yield
