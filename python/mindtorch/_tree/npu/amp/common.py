"""Whether automatic mixed precision on NPUs is certainly unavailable."""

from __future__ import annotations

from .._start import is_available

__all__ = ["amp_definitely_not_available"]


def amp_definitely_not_available() -> bool:
    """Returns whether automatic mixed precision cannot work, as there is no NPU.

    Returns:
        bool: whether there is none.
    """
    return not is_available()
