"""Ranges for Intel's tools, which this build does not support."""

from contextlib import contextmanager
from typing import NoReturn

__all__ = ["is_available", "range_push", "range_pop", "mark", "range"]


def is_available():
    """Returns whether ranges for Intel's ITT can be marked.

    Returns:
        bool: always False here.
    """
    return False


def _fail(*_) -> NoReturn:
    raise RuntimeError("ITT functions not installed. Are you sure you have a ITT build?")


def range_push(msg):
    """Raises RuntimeError: this build has no ITT.

    Args:
        msg (str): name of the range.

    Returns:
        int: in torch, how many ranges are open.

    Raises:
        RuntimeError: always.

    Example:
        >>> torch.profiler.itt.is_available()
        False
    """
    _fail()


def range_pop():
    """Raises RuntimeError: this build has no ITT.

    Returns:
        int: in torch, how many ranges are open.
    """
    _fail()


def mark(msg):
    """Raises RuntimeError: this build has no ITT.

    Args:
        msg (str): name of the mark.

    Returns:
        None: in torch.

    Raises:
        RuntimeError: always.

    Example:
        >>> torch.profiler.itt.is_available()
        False
    """
    _fail()


@contextmanager
def range(msg, *args, **kwargs):
    """Raises RuntimeError on entry: this build has no ITT.

    Args:
        msg (str): name of the range, formatted with `args` and `kwargs`.
        *args, **kwargs: for the format.

    Returns:
        A context manager.

    Example:
        >>> torch.profiler.itt.is_available()
        False
    """
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
