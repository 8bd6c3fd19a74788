"""torch._dispatch: kernels of Python for single keys of the dispatcher."""

from .._lazy import lazy_attributes

__getattr__ = lazy_attributes(__name__, ("python",))
