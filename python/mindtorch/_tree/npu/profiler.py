"""Control of the device's own profiler, which this backend does not support."""

from __future__ import annotations

import contextlib
from typing import NoReturn

from ._start import _lazy_init


def _raise_missing_profiler_name(name: str):
    _lazy_init()
    raise NotImplementedError(f"torch.npu.profiler.{name} is not supported")


def init(output_file, flags=None, output_mode="key_value") -> NoReturn:
    """Names the file of the device's profiler: unsupported, raises NotImplementedError.

    Args:
        output_file, flags, output_mode: not looked at.
    """
    _raise_missing_profiler_name("init")


def start() -> NoReturn:
    """Starts the device's profiler: unsupported, raises NotImplementedError."""
    _raise_missing_profiler_name("start")


def stop() -> NoReturn:
    """Stops the device's profiler: unsupported, raises NotImplementedError."""
    _raise_missing_profiler_name("stop")


@contextlib.contextmanager
def profile():
    """Profiles a block with the device's profiler: raises NotImplementedError on entry.

    Returns:
        a context manager.
    """
    start()
    yield
