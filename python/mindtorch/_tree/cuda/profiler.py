"""Control of CUDA's own profiler, which a build without CUDA refuses."""

import contextlib

from .._absent_device import refuse_all

refuse_all(__name__, ("init", "start", "stop"), AssertionError, "Torch not compiled with CUDA enabled")


@contextlib.contextmanager
def profile():
    start()  # noqa: F821
    yield
