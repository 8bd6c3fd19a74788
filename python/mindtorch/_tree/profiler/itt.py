"""Ranges for Intel's tools, which this build does not speak to."""

from contextlib import contextmanager
from typing import NoReturn

__all__ = ["is_available", "range_push", "range_pop", "mark", "range"]


def is_available():
    """False: no Intel's ITT here."""
    return False


def _fail(*_) -> NoReturn:
    raise RuntimeError("ITT functions not installed. Are you sure you have a ITT build?")


def range_push(msg):
    """Raises: no ITT here."""
    _fail()


def range_pop():
    """Raises: no ITT here."""
    _fail()


def mark(msg):
    """Raises: no ITT here."""
    _fail()


@contextmanager
def range(msg, *args, **kwargs):
    """Raises: no ITT here."""
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
