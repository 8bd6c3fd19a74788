"""torch.__config__: how the library was built."""

from . import _C


def show():
    """The build's configuration as text."""
    return _C._show_config()


def _cxx_flags():
    return _C._cxx_flags()


def parallel_info():
    """The settings of parallel execution as text."""
    return _C._parallel_info()
