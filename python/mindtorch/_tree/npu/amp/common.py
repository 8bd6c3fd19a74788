"""Whether automatic mixed precision on NPUs can be ruled out."""

from .._start import is_available

__all__ = ["amp_definitely_not_available"]


def amp_definitely_not_available():
    """Whether no NPU is there."""
    return not is_available()
