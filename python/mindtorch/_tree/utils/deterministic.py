"""Whether deterministic mode also fills uninitialised memory, so that reading it is noticed."""

import sys
import types

from .. import _C


class _Deterministic(types.ModuleType):
    @property
    def fill_uninitialized_memory(self):
        return _C._get_deterministic_fill_uninitialized_memory()

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode):
        _C._set_deterministic_fill_uninitialized_memory(mode)


sys.modules[__name__].__class__ = _Deterministic
