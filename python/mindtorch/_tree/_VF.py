"""torch._VF: operators that a function written in Python hides in torch's own namespace."""

from . import _C


def __getattr__(name):
    return getattr(_C._VariableFunctions, name)
