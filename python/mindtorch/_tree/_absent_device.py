"""What the modules of devices that this build does not have are made of: functions that refuse as torch's do."""

import sys


def refusing(module: str, name: str, error: type[Exception], text: str):
    """A function that raises, whatever it is given."""

    def refuse(*args, **kwargs):
        raise error(text)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__module__ = module
    refuse.__doc__ = f"Raises {error.__name__}: {text}"
    return refuse


def refuse_all(module: str, names, error: type[Exception], text: str) -> None:
    """Defines refusing functions in a module; `{name}` in the text is filled in."""
    target = vars(sys.modules[module])
    for name in names:
        target[name] = refusing(module, name, error, text.format(name=name))


def refusing_class(module: str, name: str, error: type[Exception], text: str) -> type:
    """A class without instances: for isinstance checks, and refusing to be called."""

    def __new__(cls, *args, **kwargs):
        raise error(text)

    return type(name, (), {"__module__": module, "__new__": __new__, "__doc__": f"Raises {error.__name__}: {text}"})


def refuse_missing(module: str, names) -> None:
    """Functions whose C half a CPU build of torch does not have either: they fail as there."""
    target = vars(sys.modules[module])
    for name, missing in names.items():
        text = f"module 'torch._C' has no attribute '{missing}'"
        target[name] = refusing(module, name, AttributeError, text)
