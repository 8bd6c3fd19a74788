"""torch.classes: custom C++ classes; none can be registered with this library."""

import sys
import types

torch = sys.modules[__package__]


class _ClassNamespace(types.ModuleType):
    def __init__(self, name):
        super().__init__("torch.classes" + name)
        self.name = name

    def __getattr__(self, attr):
        if attr.startswith("__"):
            raise AttributeError(attr)
        raise RuntimeError(
            f"Tried to instantiate class '{self.name}.{attr}', but it does not exist! "
            "Ensure that it is registered via torch::class_"
        )


class _Classes(types.ModuleType):
    __file__ = "_classes.py"

    def __init__(self):
        super().__init__("torch.classes")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        namespace = _ClassNamespace(name)
        setattr(self, name, namespace)
        return namespace

    @property
    def loaded_libraries(self):
        return torch.ops.loaded_libraries

    def load_library(self, path):
        """Loads a shared library."""
        torch.ops.load_library(path)


classes = _Classes()
