"""Control of CUDA's own profiler; a build without CUDA raises."""

import contextlib

from .._absent_device import define_refusing_functions

_FUNCTIONS = (
    "init(output_file, flags=None, output_mode='key_value'): Names the profiler's file.",
    "start(): Starts the profiler.",
    "stop(): Stops the profiler.",
)
define_refusing_functions(__name__, _FUNCTIONS, AssertionError, "Torch not compiled with CUDA enabled")


@contextlib.contextmanager
def profile():
    """Would profile a block with CUDA's own profiler: raises AssertionError on entry.

    Returns:
        a context manager.
    """
    start()  # noqa: F821
    yield
