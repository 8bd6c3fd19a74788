"""How a function written in Python offers its call to `__torch_function__`."""

from .overrides import handle_torch_function


def override(function, relevant, given):
    """Hands a call over; `given` is the function's `locals()` at entry.

    As torch does, arguments without a default travel by position, the others by keyword.
    """
    declaration = getattr(function, "_declaration", function)
    code = declaration.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    required = code.co_argcount - len(declaration.__defaults__ or ())
    positional = [given[name] for name in names[:required]]
    by_name = {name: given[name] for name in names[required:]}
    return handle_torch_function(function, relevant, *positional, **by_name)
