"""torch.fx.operator_schemas: arguments of calls by parameter name."""

import inspect
from typing import NamedTuple

from .. import nn
from .._root import torch
from ._compatibility import compatibility

__all__ = ["ArgsKwargsPair", "normalize_function", "normalize_module"]


@compatibility(is_backward_compatible=False)
class ArgsKwargsPair(NamedTuple):
    """The positional and the named arguments of a call."""

    args: tuple
    kwargs: dict


def _signature_of_schema(schema):
    kinds = inspect.Parameter
    parameters = []
    for argument in schema.arguments:
        kind = kinds.KEYWORD_ONLY if argument.kwarg_only else kinds.POSITIONAL_OR_KEYWORD
        default = argument.default_value if argument.has_default_value() else kinds.empty
        name = "input" if argument.name == "self" else argument.name
        parameters.append(kinds(name, kind, default=default))
    return inspect.Signature(parameters)


def _find_signature(target):
    """Returns the parameters of `target`, or None if they are unknown."""
    if isinstance(target, torch._ops.OpOverload):
        return _signature_of_schema(target._schema)
    try:
        return inspect.signature(inspect.unwrap(target))
    except (TypeError, ValueError):
        return None


def _bind_arguments(signature, args, kwargs, only_kwargs):
    starred = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    if any(parameter.kind in starred for parameter in signature.parameters.values()):
        return None
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    named = dict(bound.arguments)
    if only_kwargs:
        return ArgsKwargsPair((), named)
    count = len(args)
    return ArgsKwargsPair(tuple(args), dict(list(named.items())[count:]))


@compatibility(is_backward_compatible=False)
def normalize_function(target, args, kwargs=None, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False):
    """Returns a call's arguments by parameter name, with defaults filled in; None if the parameters of `target` are
    unknown.

    Supports Python functions and overloads of operators, but not builtin functions, which may have several overloads.
    """
    signature = _find_signature(target)
    if signature is None:
        return None
    return _bind_arguments(signature, args, kwargs or {}, normalize_to_only_use_kwargs)


@compatibility(is_backward_compatible=False)
def normalize_module(root, target, args, kwargs=None, normalize_to_only_use_kwargs=False):
    """As normalize_function, for a call of the submodule `target` of `root`; None unless it is one of torch.nn's."""
    try:
        module = root.get_submodule(target)
    except AttributeError as error:
        raise RuntimeError(
            f"Tried to normalize node with target {target} but root did not have that target!"
        ) from error
    if getattr(nn, type(module).__name__, None) is not type(module):
        return None
    return _bind_arguments(inspect.signature(module.forward), args, kwargs or {}, normalize_to_only_use_kwargs)
