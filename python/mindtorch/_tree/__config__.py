"""torch.__config__: how the library was built."""

from . import _C


def show():
    """Returns how the library was built.

    Returns:
        str: lines for people.

    Example:
        >>> isinstance(torch.__config__.show(), str)
        True
    """
    return _C._show_config()


def _cxx_flags():
    return _C._cxx_flags()


def parallel_info():
    """Returns the settings of parallel execution.

    Returns:
        str: lines for people.

    Example:
        >>> isinstance(torch.__config__.parallel_info(), str)
        True
    """
    return _C._parallel_info()
