"""Unsupported modules of torch.distributed: programs import their names and use them in isinstance checks."""

import sys

from .._absent_device import define_refusing_functions, make_refusing_class


def define_names_that_raise_when_used(module: str, classes: str = "", functions: str = "") -> None:
    """Defines names of a module whose use raises NotImplementedError.

    Args:
        module (str): the module's name.
        classes (str): names of classes, divided by spaces. Default: none.
        functions (str): names of functions, likewise. Default: none.
    """
    text = f"{module.replace(__name__.partition('.')[0], 'torch', 1)}.{{name}} is not in this build"
    for name in classes.split():
        made = make_refusing_class(module, f"{name}(*args, **kwargs)", NotImplementedError, text.format(name=name))
        setattr(sys.modules[module], name, made)
    define_refusing_functions(
        module, [f"{name}(*args, **kwargs)" for name in functions.split()], NotImplementedError, text
    )
