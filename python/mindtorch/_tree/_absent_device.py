"""What the modules of devices that this build does not have are made of: functions that refuse as torch's do.

Each is declared as `name(parameters)`, so that its signature is torch's and wrong arguments are told first.
"""

import sys


def _split(declaration: str) -> tuple[str, str]:
    name, _, parameters = declaration.partition("(")
    return name, parameters.removesuffix(")")


def refusing(module: str, declaration: str, error: type[Exception], text: str):
    """A function that raises."""
    name, _ = _split(declaration)
    namespace = {"error": error, "text": text.replace("{name}", name)}
    exec(f"def {declaration}: raise error(text)", namespace)
    function = namespace[name]
    function.__module__ = module
    function.__doc__ = f"Raises {error.__name__}: {namespace['text']}"
    return function


def refuse_all(module: str, declarations, error: type[Exception], text: str) -> None:
    """Defines refusing functions in a module; `{name}` in the text is filled in."""
    target = vars(sys.modules[module])
    for declaration in declarations:
        target[_split(declaration)[0]] = refusing(module, declaration, error, text)


def refuse_missing(module: str, declarations: dict[str, str]) -> None:
    """Functions whose C half a CPU build of torch does not have either: they fail as there."""
    for declaration, missing in declarations.items():
        text = f"module 'torch._C' has no attribute '{missing}'"
        refuse_all(module, (declaration,), AttributeError, text)


def refusing_class(module: str, declaration: str, error: type[Exception], text: str, bases=()) -> type:
    """A class without instances: for isinstance checks, and refusing to be called."""
    name, parameters = _split(declaration)
    constructor = refusing(module, f"__new__(cls, {parameters})", error, text)
    members = {"__module__": module, "__new__": constructor, "__doc__": f"Raises {error.__name__}: {text}"}
    return type(name, bases, members)
