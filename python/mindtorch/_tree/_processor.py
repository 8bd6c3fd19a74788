"""torch._C._cpu: what torch's C++ half knows about the processor."""

from types import ModuleType

from . import _C


def _get_cpu_capability():
    """Returns the processor's instruction sets, name, caches and cores."""
    from .cpu import get_capabilities

    return get_capabilities()


_C._cpu = ModuleType(f"{_C.__name__}._cpu")
_C._cpu._get_cpu_capability = _get_cpu_capability
