"""Modules and names that are loaded when first asked for: most programs need few of them."""

import sys
from importlib import import_module


def lazy_attributes(name, modules=(), names=None):
    """A `__getattr__` for the module `name`.

    modules: what is asked for by these names are modules of its package.
    names: from other names to the module of its package that each is in.
    """
    package, homes = sys.modules[name].__package__, names or {}

    def __getattr__(attribute):
        if attribute in homes:
            value = getattr(import_module("." + homes[attribute], package), attribute)
        elif attribute in modules:
            value = import_module("." + attribute, package)
        else:
            raise AttributeError(f"module {name!r} has no attribute {attribute!r}")
        setattr(sys.modules[name], attribute, value)
        return value

    return __getattr__
