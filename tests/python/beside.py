"""Runs one expression on real torch and on mindtorch and describes the outcomes, so that tests can compare them as
text."""

import warnings

from outcomes import normalise


def outcome(torch, expression, values=None, **names):
    """The type and repr of an expression's value, or its error, and the warnings, without addresses and root names."""
    scope = {"torch": torch, **(values or {}), **{name: eval(text, {"torch": torch}) for name, text in names.items()}}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = eval(expression, scope)
            text = f"{type(value).__name__} {value!r}"
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
    return normalise(text), [normalise(str(item.message)) for item in caught]


def repr_after_statement(torch, statement, **names):
    """The repr of `t` after a statement, or the statement's error."""
    scope = {"torch": torch, **{name: eval(text, {"torch": torch}) for name, text in names.items()}}
    try:
        exec(statement, scope)
        return normalise(repr(scope["t"]))
    except Exception as error:
        return normalise(f"{type(error).__name__}: {error}")
