"""Converts a function's annotations to an operator's schema."""

import collections.abc
import inspect
import typing

from .._root import torch

__all__ = ["infer_schema"]


def _list_sequence_annotations(base):
    """Accepted annotations of sequences, in the order in which torch lists them."""
    return [typing.Sequence[base], typing.List[base], collections.abc.Sequence[base], list[base]]  # noqa: UP006


def _map_parameter_annotations_to_schema_types():
    number = typing.Union[int, float, bool]  # noqa: UP007
    table = {}
    for base, text, optional, sequence, optional_sequence, sequence_of_optional in (
        (torch.Tensor, "Tensor", True, True, False, True),
        (int, "SymInt", True, True, True, False),
        (float, "float", True, True, True, False),
        (bool, "bool", True, True, True, False),
        (str, "str", True, False, False, False),
        (number, "Scalar", True, True, False, False),
        (torch.dtype, "ScalarType", True, False, False, False),
        (torch.device, "Device", True, False, False, False),
    ):
        table[base] = text
        if optional:
            table[typing.Optional[base]] = f"{text}?"
        if sequence:
            table.update(dict.fromkeys(_list_sequence_annotations(base), f"{text}[]"))
        if sequence_of_optional:
            table.update(dict.fromkeys(_list_sequence_annotations(typing.Optional[base]), f"{text}?[]"))
        if optional_sequence:
            table.update({typing.Optional[kind]: f"{text}[]?" for kind in _list_sequence_annotations(base)})
    return table


def _map_return_annotations_to_schema_types():
    return {
        torch.Tensor: "Tensor",
        typing.List[torch.Tensor]: "Tensor[]",  # noqa: UP006
        list[torch.Tensor]: "Tensor[]",
        int: "SymInt",
        float: "float",
        bool: "bool",
        int | float | bool: "Scalar",
    }


SUPPORTED_PARAM_TYPES = _map_parameter_annotations_to_schema_types()
SUPPORTED_RETURN_TYPES = _map_return_annotations_to_schema_types()


def tuple_to_list(tuple_type):
    """Returns the type of a list for that of a tuple: ``list[int]`` for ``tuple[int, int]``."""
    items = list(dict.fromkeys(item for item in typing.get_args(tuple_type) if item is not ...))
    return list[typing.Union[tuple(items)]] if items else list


def infer_schema(prototype_function, /, *, mutates_args, op_name: str | None = None, tags=()) -> str:
    """Returns the schema of a function with annotations.

    Args:
        prototype_function (callable): every parameter and the result need an annotation.
        mutates_args (iterable of str or str): names of the tensors that it writes to, or ``"unknown"``.
        op_name (str, optional): name to put in front.
        tags: ignored.

    Returns:
        str: such as ``"(Tensor x, float y) -> Tensor"``.

    Raises:
        ValueError: when an annotation is missing, or is of a type that an operator cannot take.

    Example:
        >>> def f(x: torch.Tensor, y: float = 1.0) -> torch.Tensor:
        ...     return x * y
        >>> torch.library.infer_schema(f, mutates_args=())
        '(Tensor x, float y=1.0) -> Tensor'
    """
    signature = inspect.signature(prototype_function)

    def raise_schema_error(what):
        raise ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    def resolve_annotation(annotation):
        return eval(annotation, prototype_function.__globals__) if isinstance(annotation, str) else annotation

    types, parts, seen, keyword_only = SUPPORTED_PARAM_TYPES, [], set(), False
    for index, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise_schema_error("We do not support positional-only args, varargs, or varkwargs.")
        if parameter.kind == parameter.KEYWORD_ONLY and not keyword_only:
            parts.append("*")
            keyword_only = True
        if parameter.annotation is parameter.empty:
            raise_schema_error(f"Parameter {name} must have a type annotation.")
        annotation = resolve_annotation(parameter.annotation)
        text = types.get(annotation)
        if text is None:
            raise_schema_error(_describe_unsupported(name, parameter.annotation, annotation, types))
        if isinstance(mutates_args, str) and mutates_args != "unknown":
            raise ValueError(
                "mutates_args must either be a sequence of the names of the arguments that are mutated or the string "
                "'unknown'. "
            )
        written = text.startswith("Tensor") if mutates_args == "unknown" else name in mutates_args
        if written:
            if not text.startswith("Tensor"):
                raise_schema_error(
                    f"Parameter {name} is in mutable_args but only Tensors or collections of Tensors can be mutated"
                )
            text = f"Tensor(a{index}!){text.removeprefix('Tensor')}"
            seen.add(name)
        default = (
            ""
            if parameter.default is parameter.empty
            else f"={_format_default_for_schema(name, parameter.default, raise_schema_error)}"
        )
        parts.append(f"{text} {name}{default}")
    missing = set() if mutates_args == "unknown" else set(mutates_args) - set(signature.parameters)
    if missing:
        raise_schema_error(
            f"{missing} in mutates_args were not found in the custom op's signature. mutates_args should contain the "
            "names of all args that the custom op mutates, or just the string 'unknown' if you don't know."
        )
    if signature.return_annotation is inspect.Signature.empty:
        raise_schema_error("No return type annotation was provided. Please add one.")
    returns = _describe_returns(resolve_annotation(signature.return_annotation), raise_schema_error)
    return f"{op_name or ''}({', '.join(parts)}) -> {returns}"


def _describe_unsupported(name, written, annotation, types):
    hint = ""
    if typing.get_origin(annotation) is tuple:
        items = {item for item in typing.get_args(annotation) if item is not ...}
        example = f"For example, {list[items.pop()]}.\n\n" if len(items) == 1 else ""
        hint = (
            "We do not support Tuple inputs in schema. As a workaround, please try to use List instead. " + example
        )
    return f"Parameter {name} has unsupported type {written}. {hint}The valid types are: {types.keys()}."


def _format_default_for_schema(name, value, fail):
    if value is None or isinstance(value, (int, float, bool)):
        return str(value)
    if isinstance(value, (str, torch.device)):
        return f'"{value}"'
    if isinstance(value, torch.dtype):
        return str(value).split(".")[1]
    return fail(
        f"Parameter {name} has an unsupported default value type {type(value)}. Please file an issue on GitHub so we "
        "can prioritize this."
    )


def _describe_returns(annotation, fail):
    types = SUPPORTED_RETURN_TYPES
    if annotation is None:
        return "()"
    if annotation in types:
        return types[annotation]
    if typing.get_origin(annotation) is not tuple:
        fail(f"Return has unsupported type {annotation}. The valid types are: {types}.")
    items = typing.get_args(annotation)
    for item in items:
        if item not in types:
            fail(
                f"Return has unsupported type {annotation}. The valid types are: {types}."
            )
    texts = [types[item] for item in items]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
