"""torch.backends.mps: not part of this build."""

from ..._absent_device import define_missing_as_refusing, make_refusing_function

__all__ = ["get_core_count", "get_name", "is_built", "is_available", "is_macos13_or_newer", "is_macos_or_newer"]


def is_built() -> bool:
    """Returns whether this build has MPS: False.

    Returns:
        bool: always False here.
    """
    return False


def is_available() -> bool:
    """Returns whether MPS is available: False.

    Returns:
        bool: always False here.
    """
    return False


_NO_MPS = "Cannot execute isOnMacOSorNewer() without MPS backend."
is_macos_or_newer = make_refusing_function(__name__, "is_macos_or_newer(major, minor)", RuntimeError, _NO_MPS)
is_macos13_or_newer = make_refusing_function(__name__, "is_macos13_or_newer(minor=0)", RuntimeError, _NO_MPS)
define_missing_as_refusing(__name__, {"get_core_count()": "_mps_get_core_count", "get_name()": "_mps_get_name"})
