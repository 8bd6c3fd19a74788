"""torch.fx.operator_schemas: signatures of operators, and arguments of calls by parameter name."""

import inspect
import numbers
import types
import typing
import warnings
from typing import Any, NamedTuple

from .. import _C, nn
from .._root import torch
from ._compatibility import compatibility

__all__ = [
    "ArgsKwargsPair",
    "check_for_mutable_operation",
    "get_signature_for_torch_op",
    "create_type_hint",
    "type_matches",
    "normalize_function",
    "normalize_module",
]


@compatibility(is_backward_compatible=False)
class ArgsKwargsPair(NamedTuple):
    """The positional and the named arguments of a call."""

    args: tuple
    kwargs: dict


def _names_in_schemas():
    """Returns what the names of types in schemas stand for."""
    return {
        "Tensor": torch.Tensor,
        "Device": torch.device,
        "Generator": typing.Generator,  # as in torch, which does not name its own class there
        "Storage": torch.UntypedStorage,
        "number": numbers.Number,
        "List": typing.List,  # noqa: UP006
        "Dict": typing.Dict,  # noqa: UP006
        "Optional": typing.Optional,
        "Tuple": typing.Tuple,  # noqa: UP006
    }


def _python_type(schema_type):
    return eval(str(schema_type), _names_in_schemas())  # noqa: S307


def _signature_of_schema(schema):
    kinds = inspect.Parameter
    parameters = []
    for argument in schema.arguments:
        kind = kinds.KEYWORD_ONLY if argument.kwarg_only else kinds.POSITIONAL_OR_KEYWORD
        default = argument.default_value if argument.has_default_value() else kinds.empty
        name = "input" if argument.name == "self" else argument.name
        parameters.append(kinds(name, kind, default=default, annotation=_python_type(argument.type)))
    returned = tuple(_python_type(result.type) for result in schema.returns)
    return inspect.Signature(parameters, return_annotation=returned[0] if len(returned) == 1 else returned)


def _find_operator(function):
    """Returns the operator that a builtin function of torch calls, or None."""
    name = getattr(function, "__name__", "")
    homes = (torch, _C._nn, _C._fft, _C._linalg, _C._special, _C._VariableFunctions)
    if isinstance(function, types.BuiltinFunctionType) and any(getattr(home, name, None) is function for home in homes):
        return getattr(torch.ops.aten, name, None)
    return None


def _schemas_of(target):
    if isinstance(target, torch._ops.OpOverload):
        return [target._schema]
    operator = target if isinstance(target, torch._ops.OpOverloadPacket) else _find_operator(target)
    if operator is None:
        return None
    schemas = [getattr(operator, overload)._schema for overload in operator.overloads()]
    return sorted(schemas, key=lambda schema: schema.is_mutable)  # forms with out= come last


@compatibility(is_backward_compatible=False)
def get_signature_for_torch_op(op, return_schemas=False):
    """Returns the signatures of an operator's overloads, for a builtin function of torch too; None for other functions.

    Args:
        op (callable): a function of torch, an operator of ``torch.ops``, or one of its overloads.
        return_schemas (bool): also returns the schemas, in the same order.

    Returns:
        list of inspect.Signature, or None; with `return_schemas` a pair of lists.
    """
    schemas = _schemas_of(op)
    if schemas is None:
        return (None, None) if return_schemas else None
    signatures = [_signature_of_schema(schema) for schema in schemas]
    return (signatures, schemas) if return_schemas else signatures


@compatibility(is_backward_compatible=False)
def create_type_hint(x):
    """Returns the type of a list or tuple of types: ``list[int]``; another object as it is.

    Args:
        x (object): a list or tuple of classes, or anything else.

    Returns:
        object: ``list[T]`` or ``tuple[T, ...]`` of the class that contains all others, of Any if there is none.
    """
    if not isinstance(x, (list, tuple)):
        return x
    try:
        common = x[0] if x else Any
        for kind in x:
            if issubclass(kind, common):
                continue
            if not issubclass(common, kind):
                common = Any
                break
            common = kind
    except TypeError:
        warnings.warn(f"We were not able to successfully create type hint from the type {x}", stacklevel=2)
        return x
    return list[common] if isinstance(x, list) else tuple[common, ...]


def _matches_elements(signature_type, argument_type):
    (element,) = typing.get_args(signature_type)
    if not inspect.isclass(element):
        warnings.warn(
            f"Does not support nested parametric types, got {signature_type}. Please file a bug.", stacklevel=3
        )
        return False
    given = [kind for kind in typing.get_args(argument_type) if kind is not Ellipsis]
    is_sequence = typing.get_origin(argument_type) in (list, tuple)
    return is_sequence and all(inspect.isclass(kind) and issubclass(kind, element) for kind in given)


@compatibility(is_backward_compatible=False)
def type_matches(signature_type, argument_type):
    """Returns whether an operator takes an argument of a type where its signature has another.

    Args:
        signature_type (type): of a parameter, as get_signature_for_torch_op gives it.
        argument_type (type): of an argument.

    Returns:
        bool: an int matches a list of ints, and any number a number.
    """
    if signature_type is argument_type:
        return True
    if typing.get_origin(signature_type) is typing.Union and signature_type != argument_type:
        return any(type_matches(kind, argument_type) for kind in typing.get_args(signature_type))
    if signature_type == typing.List[int] and argument_type is int:  # noqa: UP006
        return True
    if typing.get_origin(signature_type) is list:
        return _matches_elements(signature_type, argument_type)
    if signature_type is numbers.Number and argument_type in (int, float):
        return True
    are_classes = inspect.isclass(signature_type) and inspect.isclass(argument_type)
    return are_classes and issubclass(argument_type, signature_type)


def _match_overloads(target, args, kwargs):
    """Returns (signature, schema) of each overload that takes these arguments, by their number and names."""
    signatures, schemas = get_signature_for_torch_op(target, return_schemas=True)
    matches = []
    for signature, schema in zip(signatures or [], schemas or []):
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            continue
        matches.append((signature, schema))
    return matches


@compatibility(is_backward_compatible=False)
def check_for_mutable_operation(target, args, kwargs):
    """Refuses a call of an operator that writes to its arguments, unless several of its overloads take them.

    Args:
        target (callable): a function of torch or an operator.
        args (tuple): positional arguments.
        kwargs (dict): named arguments.
    """
    matches = _match_overloads(target, args, kwargs)
    if len(matches) == 1 and matches[0][1].is_mutable:
        raise RuntimeError(
            f"Tried to trace mutable operation {matches[0][1]}. FX only supports functional code, so operations that "
            "mutate operands in-place (e.g. via `out` arguments) are not supported"
        )


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


def _has_argument_types(signature, arg_types, kwarg_types):
    bound = signature.bind(*arg_types, **kwarg_types)
    parameters = signature.parameters
    return all(type_matches(parameters[name].annotation, kind) for name, kind in bound.arguments.items())


def _choose_signature(target, args, kwargs, arg_types, kwarg_types):
    """Returns the signature of the only overload that takes these arguments, or None."""
    signatures = [signature for signature, _ in _match_overloads(target, args, kwargs)]
    if len(signatures) <= 1:
        return signatures[0] if signatures else None
    if arg_types is not None or kwarg_types is not None:
        given = (arg_types or (), kwarg_types or {})
        return next((signature for signature in signatures if _has_argument_types(signature, *given)), None)
    schemas = "\n".join(str(signature) for signature in signatures)
    raise RuntimeError(
        f"Tried to normalize arguments to {torch.typename(target)} but the schema match was ambiguous! Please provide "
        f"argument types to the normalize_arguments() call. Available schemas:\n{schemas}"
    )


@compatibility(is_backward_compatible=False)
def normalize_function(target, args, kwargs=None, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False):
    """Returns a call's arguments by parameter name, with defaults filled in; None if no signature takes them.

    If several overloads of an operator take the arguments, their types choose one.
    """
    kwargs = kwargs or {}
    if isinstance(target, types.FunctionType):
        signature = inspect.signature(inspect.unwrap(target))
    else:
        signature = _choose_signature(target, args, kwargs, arg_types, kwarg_types)
    return None if signature is None else _bind_arguments(signature, args, kwargs, normalize_to_only_use_kwargs)


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
