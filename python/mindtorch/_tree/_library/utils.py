"""Questions about operators and their schemas, for code that registers or checks operators."""

import sys

from .. import _C
from .._root import torch
from . import kernels

_TENSOR_LISTS = (
    "List[Tensor]",
    "List[Optional[Tensor]]",
    "Optional[List[Tensor]]",
    "Optional[List[Optional[Tensor]]]",
)


def get_source(stacklevel: int) -> str:
    """Returns "file:line" of a caller; level 1 is the function that calls this one."""
    frame = sys._getframe(stacklevel)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def parse_namespace(qualname: str) -> tuple[str, str]:
    """Splits "namespace::name"."""
    namespace, found, name = qualname.partition("::")
    if not found or "::" in name:
        raise ValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}. The qualname passed to the '
            "torch.library APIs must consist of a namespace and a name, e.g. aten::sin"
        )
    return namespace, name


def lookup_op(qualname: str):
    """Returns the OpOverload with a name, "namespace::name" or "namespace::name.overload"."""
    namespace, name = parse_namespace(qualname)
    base, overload = kernels.split(name)
    return getattr(getattr(getattr(torch.ops, namespace), base), overload or "default")


def is_builtin(op) -> bool:
    """Whether the operator came with the library."""
    return op.namespace in {"aten", "prim", "prims"}


def is_out(op) -> bool:
    """Whether the operator writes to an argument for results."""
    return any(argument.is_out for argument in op._schema.arguments)


def is_inplace(op) -> bool:
    """Whether the operator is the in-place form of another, by its name."""
    name = op._opname
    return name.endswith("_") and not name.endswith("__")


def _parse_schema_if_text(schema):
    """Accepts the text of a schema, or another library's object that prints as one, where an object is expected."""
    return schema if isinstance(schema, _C.FunctionSchema) else _C.parse_schema(str(schema))


def is_functional_schema(schema, *, allow_valid_view: bool = False) -> bool:
    """Whether an operator gives new results and writes nothing.

    Args:
        schema (FunctionSchema, str or object that prints as a schema): the operator's types.
        allow_valid_view (bool): also accepts views of the first argument only. Default: ``False``.
    """
    schema = _parse_schema_if_text(schema)
    if schema.is_mutable or not schema.returns:
        return False
    aliases = [result for result in schema.returns if result.alias_info is not None and result.alias_info.before_set]
    if not aliases:
        return True
    first, *others = schema.arguments or (None,)
    return (
        allow_valid_view
        and first is not None
        and is_tensor_like_type(first.type)
        and first.alias_info is not None
        and all(argument.alias_info is None for argument in others)
        and all(result.alias_info.before_set == first.alias_info.before_set for result in aliases)
    )


def is_tensorlist_like_type(typ) -> bool:
    """Whether an argument of a schema is a list of tensors."""
    return str(typ) in _TENSOR_LISTS


def is_tensor_like_type(typ) -> bool:
    """Whether an argument of a schema is a tensor, or may be one."""
    return str(typ) in ("Tensor", "Optional[Tensor]")


def mutates_and_returns_first_arg(op) -> bool:
    """Whether an operator writes to its first argument only, and returns it."""
    if op.namespace != "aten":
        return False
    arguments, returns = op._schema.arguments, op._schema.returns
    if len(returns) != 1 or returns[0].alias_info is None or not arguments:
        return False
    written = arguments[0].alias_info
    alone = all(argument.alias_info is None for argument in arguments[1:])
    return alone and written is not None and written.is_write and returns[0].alias_info.after_set == written.after_set


def fill_defaults(schema, args, kwargs):
    """Returns the arguments of a call with the defaults of those that it leaves out."""
    named = [argument for argument in schema.arguments if argument.kwarg_only]
    positional = [argument for argument in schema.arguments if not argument.kwarg_only]
    rest = [kwargs.get(argument.name, argument.default_value) for argument in positional[len(args) :]]
    return (*args, *rest), {argument.name: kwargs.get(argument.name, argument.default_value) for argument in named}


def zip_schema(schema, args, kwargs):
    """Yields (argument of the schema, value) for what a call gives."""
    yield from zip(schema.arguments, args, strict=False)
    for argument in schema.arguments[len(args) :]:
        if argument.name in kwargs:
            yield argument, kwargs[argument.name]


def has_kwarg_only_args(schema) -> bool:
    """Whether some arguments can only be given by name."""
    return any(argument.kwarg_only for argument in schema.arguments)


def has_kwarg_only_tensors(schema) -> bool:
    """Whether tensors, or lists of them, can only be given by name."""
    named = [argument.type for argument in schema.arguments if argument.kwarg_only]
    return any(is_tensor_like_type(kind) or is_tensorlist_like_type(kind) for kind in named)


def has_tensor_arg(schema) -> bool:
    """Whether an argument is a tensor or a list of them."""
    kinds = [argument.type for argument in schema.arguments]
    return any(is_tensor_like_type(kind) or is_tensorlist_like_type(kind) for kind in kinds)


def get_device_arg_index(schema) -> int | None:
    """Returns the position of the argument that is named "device"; None if there is none."""
    places = [i for i, a in enumerate(schema.arguments) if a.name == "device" and str(a.type) == "Device"]
    return places[0] if places else None


def iter_tensors(args, kwargs, allowed_nesting: int = 1):
    """Yields the tensors among arguments, also those in lists and tuples as deep as allowed."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, torch.Tensor):
            yield value
        elif allowed_nesting > 0 and isinstance(value, (tuple, list)):
            yield from iter_tensors(tuple(value), {}, allowed_nesting - 1)


def mutated_args_kwargs(schema) -> tuple[list[int], list[str]]:
    """Returns which arguments a call writes to: positions, and names of those given by name only."""
    written = [(i, a) for i, a in enumerate(schema.arguments) if a.alias_info is not None and a.alias_info.is_write]
    return [i for i, a in written if not a.kwarg_only], [a.name for _, a in written if a.kwarg_only]
