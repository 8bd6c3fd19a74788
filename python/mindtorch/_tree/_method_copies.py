"""Base classes that torch does not have: error texts must name their subclasses instead."""

import types


def copies_methods(*names):
    """Decorates a base class: its subclasses get their own copies of the named methods, as in torch.

    So an invalid call reports `Conv2d.__init__() missing 2 required positional arguments`. A subclass of a class
    without an underscore inherits that class's methods under that class's name.
    """

    def decorate(base):
        lent = {name: vars(base)[name].__code__ for name in names}

        def __init_subclass__(cls, **kwargs):
            super(base, cls).__init_subclass__(**kwargs)
            for name, code in lent.items():
                method = getattr(cls, name)
                is_ours = getattr(method, "__code__", None) is code and method.__qualname__.startswith("_")
                if is_ours and name not in vars(cls):
                    setattr(cls, name, copy_under_name(method, f"{cls.__qualname__}.{name}"))

        base.__init_subclass__ = classmethod(__init_subclass__)
        return base

    return decorate


def copy_under_name(function, qualname):
    """Copies a function under another name, including the function that a decorator has wrapped: it binds the
    arguments."""
    closure = function.__closure__
    wrapped = getattr(function, "__wrapped__", None)
    if wrapped is not None:
        inner = copy_under_name(wrapped, qualname)
        closure = tuple(types.CellType(inner) if cell.cell_contents is wrapped else cell for cell in closure)
    copy = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, closure
    )
    copy.__dict__.update(function.__dict__)
    if wrapped is not None:
        copy.__wrapped__ = inner
    copy.__kwdefaults__, copy.__annotations__ = function.__kwdefaults__, function.__annotations__
    copy.__doc__, copy.__module__, copy.__qualname__ = function.__doc__, function.__module__, qualname
    return copy
