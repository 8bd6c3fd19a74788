"""mindtorch: a light stub that loads the tree on first use, as `mindtorch` or, once installed, as `torch`."""

from . import _proxy
from ._proxy import install
from .version import __version__


def __getattr__(name):
    if (name.startswith("__") and name != "__all__") or name in _proxy.OWN_MODULES or _proxy.is_loading():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")  # loads nothing: only a probe
    return getattr(_proxy.load(), name)


def __dir__():
    return sorted({*globals(), *dir(_proxy.load())})
