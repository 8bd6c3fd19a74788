"""Modules and names that load on first use, because most programs need few of them."""

import sys
from importlib import import_module


def lazy_attributes(name, modules=(), names=None):
    """Returns a module's ``__getattr__``, which imports submodules and names on first use.

    Args:
        name (str): name of the module.
        modules (sequence of str): its submodules.
        names (dict, optional): from name to the submodule that has it.

    Returns:
        callable: the ``__getattr__``.

    Example:
        >>> from torch.utils import lazy_attributes
        >>> get = lazy_attributes("torch.utils", ("bundled_inputs",))
        >>> get("nothing_of_this_name")
        Traceback (most recent call last):
        AttributeError: module 'torch.utils' has no attribute 'nothing_of_this_name'
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
