"""mindtorch: a light stub that loads the tree on first use, as `mindtorch` or, once installed, as `torch`."""

from . import _proxy
from ._proxy import install
from .version import __version__


def __getattr__(name):
    if name.startswith("__") and name != "__all__":  # probes by inspect, copy and the import system load nothing
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_proxy.load(), name)


def __dir__():
    return sorted({*globals(), *dir(_proxy.load())})
