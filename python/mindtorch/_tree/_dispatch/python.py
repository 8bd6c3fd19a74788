"""Contexts of kernels in Python. Such kernels are always active here, so the contexts change nothing."""

import contextlib

from .. import _C


def enable_python_dispatcher():
    """Returns a context in which kernels of Python are called."""
    return _C._EnablePythonDispatcher()


@contextlib.contextmanager
def no_python_dispatcher():
    """Does nothing."""
    yield


@contextlib.contextmanager
def suspend_functionalization():
    """Does nothing: functions inside of functionalize() see no other tensors."""
    yield
