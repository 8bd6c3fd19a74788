"""torch.return_types: the named tuples that operators return; `_C` makes them from the schemas."""

from . import _C

__all__ = ["all_return_types", "pytree_register_structseq"]

all_return_types = []

_TEXT = """What `{operator}` returns{how}: the tuple ({fields}), with its fields' names.

``result.{first}`` is ``result[0]``. Operators make it; a program rarely needs to.

Args:
    iterable (Sequence): the values of the {count} fields, in their order.

Example:
    >>> result = torch.return_types.{name}({values})
    >>> result.{last} is result[{place}]
    True
"""


def pytree_register_structseq(cls):
    """Registers a named tuple of an operator with `torch.utils._pytree`, so that its fields are visited.

    Args:
        cls (type): the class of the named tuple.

    Returns:
        None.

    Example:
        >>> from torch.utils import _pytree
        >>> _pytree.tree_leaves(torch.max(torch.tensor([1, 5]), 0))
        [tensor(5), tensor(1)]
    """
    from .utils._pytree import SequenceKey, register_pytree_node

    register_pytree_node(
        cls,
        lambda value: (list(value), None),
        lambda values, context: cls(values),
        flatten_with_keys_fn=lambda value: ([(SequenceKey(i), v) for i, v in enumerate(value)], None),
    )


def _describe_class(cls):
    name, fields = cls.__name__, cls.__match_args__
    operator = name.removesuffix("_out")
    prefix = next((p for p in ("linalg", "special", "fft") if operator.startswith(f"{p}_")), "")
    cls.__doc__ = _TEXT.format(
        operator=f"torch.{prefix}.{operator.removeprefix(prefix + '_')}" if prefix else f"torch.{operator}",
        how=" with `out`" if name.endswith("_out") else "",
        fields=", ".join(fields),
        first=fields[0],
        last=fields[-1],
        count=len(fields),
        place=len(fields) - 1,
        name=name,
        values=list(range(len(fields))),
    )


for _name in dir(_C._return_types):
    if not _name.startswith("__"):
        globals()[_name] = getattr(_C._return_types, _name)
        if not _name.startswith("_"):
            __all__.append(_name)
            all_return_types.append(globals()[_name])
            _describe_class(globals()[_name])
del _name
