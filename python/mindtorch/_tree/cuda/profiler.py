"""Control of CUDA's own profiler, which a build without CUDA refuses."""

import contextlib

from .._absent_device import refuse_all

_FUNCTIONS = ("init(output_file, flags=None, output_mode='key_value')", "start()", "stop()")
refuse_all(__name__, _FUNCTIONS, AssertionError, "Torch not compiled with CUDA enabled")


@contextlib.contextmanager
def profile():
    """Raises: no CUDA here."""
    start()  # noqa: F821
    yield
