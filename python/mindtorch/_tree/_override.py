"""Passes calls of functions written in Python to `__torch_function__`."""

from .overrides import handle_torch_function


def override(function, relevant, given):
    """Passes a call to the override; `given` is the function's `locals()` at entry.

    As in torch, arguments without a default are positional, the others keywords.
    """
    declaration = getattr(function, "_declaration", function)
    code = declaration.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    required = code.co_argcount - len(declaration.__defaults__ or ())
    positional = [given[name] for name in names[:required]]
    by_name = {name: given[name] for name in names[required:]}
    return handle_torch_function(function, relevant, *positional, **by_name)
