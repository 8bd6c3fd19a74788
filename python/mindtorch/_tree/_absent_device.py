"""Makes the modules of devices that this build does not support: their functions raise torch's errors.

A declaration `name(parameters): Purpose` gives a function torch's signature, so that wrong arguments raise first, and
a text for help(). The purpose is optional.
"""

import inspect
import sys

# {parameter: its description in docstrings} for parameters that several functions have
_PARAMETERS = {
    "allocator": "(object): the allocator",
    "device": "(torch.device, int or str, optional): the device; None is the current one",
    "dtype": "(torch.dtype, optional): the type of the elements",
    "enable_timing": "(bool): whether elapsed times can be asked for",
    "fraction": "(float): the share of the device's memory, from 0 to 1",
    "keep_graph": "(bool): whether the recorded graph is kept after it is made executable",
    "mem_ptr": "(int): the address of the memory",
    "msg": "(str): the text of the mark",
    "new_state": "(Tensor): the state, of get_rng_state",
    "peer": "(torch.device or int): the other device",
    "peer_device": "(torch.device or int): the other device",
    "pool": "(tuple or MemPool, optional): the pool of memory that is used",
    "priority": "(int): lower numbers go first",
    "size": "(int): the number of bytes",
    "stream": "(Stream, optional): the stream; None is the current one",
    "stream_ptr": "(int): the handle of the other library's stream",
    "data_ptr": "(int): the handle of the other library's stream",
    "streams": "(list of Stream, optional): a stream for each device",
    "use_on_oom": "(bool): whether the pool serves others when memory runs out",
}


def _split_declaration(declaration: str) -> tuple[str, str, str]:
    """Splits a declaration into name, parameters and purpose."""
    declared, _, purpose = declaration.partition("): ")
    name, _, parameters = declared.removesuffix(")").partition("(")
    return name, parameters, purpose


def _parameters_of(function) -> list[str]:
    """Returns the parameters' names with their stars; inspect.signature would be slow at import."""
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    names = list(code.co_varnames[:count])
    for flag, stars in ((inspect.CO_VARARGS, "*"), (inspect.CO_VARKEYWORDS, "**")):
        if code.co_flags & flag:
            names.append(stars + code.co_varnames[count])
            count += 1
    return [name for name in names if name != "cls"]


def _make_docstring(function, purpose: str, error: type[Exception], text: str) -> str:
    """Returns the docstring: the purpose, that the function always raises, and the parameters; those without a common
    meaning are in one line."""
    always = f"Always raises {error.__name__} here: {text}"
    always += "" if always.endswith(".") else "."
    lines = [purpose, "", always] if purpose else [always]
    parameters = _parameters_of(function)
    known = [f"    {name} {_PARAMETERS[name]}." for name in parameters if name in _PARAMETERS]
    others = [name for name in parameters if name not in _PARAMETERS]
    if others:
        known.append(f"    {', '.join(others)}: as torch has them; not looked at.")
    if known:
        lines += ["", "Args:", *known]
    return "\n".join([*lines, "", "Raises:", f"    {error.__name__}: always."])


def make_refusing_function(module: str, declaration: str, error: type[Exception], text: str):
    """Makes a function that always raises.

    Args:
        module (str): the name of the module that it is for.
        declaration (str): `name(parameters)` or `name(parameters): Purpose`.
        error (type): the type of the error.
        text (str): its text; ``{name}`` is replaced by the function's name.

    Returns:
        Callable: the function.
    """
    name, parameters, purpose = _split_declaration(declaration)
    namespace = {"error": error, "text": text.replace("{name}", name)}
    exec(f"def {name}({parameters}): raise error(text)", namespace)
    function = namespace[name]
    function.__module__ = module
    function.__doc__ = _make_docstring(function, purpose, error, namespace["text"])
    function.__annotations__["return"] = "NoReturn"
    return function


def define_refusing_functions(module: str, declarations, error: type[Exception], text: str) -> None:
    """Defines functions that always raise in a module that is being loaded.

    Args:
        module (str): its name.
        declarations (iterable of str): as of refusing.
        error (type): as of refusing.
        text (str): as of refusing.
    """
    target = vars(sys.modules[module])
    for declaration in declarations:
        target[_split_declaration(declaration)[0]] = make_refusing_function(module, declaration, error, text)


def define_missing_as_refusing(module: str, declarations: dict[str, str]) -> None:
    """Defines functions whose C half a CPU build of torch does not have either: they fail as there.

    Args:
        module (str): the name of the module.
        declarations (dict[str, str]): for each declaration, as of refusing, the name that `_C` lacks.
    """
    for declaration, missing in declarations.items():
        text = f"module 'torch._C' has no attribute '{missing}'"
        define_refusing_functions(module, (declaration,), AttributeError, text)


def make_refusing_class(module: str, declaration: str, error: type[Exception], text: str, bases=()) -> type:
    """Makes a class without instances: for isinstance checks, and refusing to be called.

    Args:
        module (str): the name of the module that it is for.
        declaration (str): `Name(parameters)` of the constructor, or `Name(parameters): Purpose`.
        error (type): what a call raises.
        text (str): its text.
        bases (tuple): its bases. Default: ``()``.

    Returns:
        type: the class.
    """
    name, parameters, purpose = _split_declaration(declaration)
    constructor = make_refusing_function(module, f"__new__(cls, {parameters})", error, text)
    del constructor.__annotations__["return"]  # the __new__ of a subclass may still make instances
    documentation = _make_docstring(constructor, purpose, error, text)
    members = {"__module__": module, "__new__": constructor, "__doc__": documentation}
    return type(name, bases, members)
