"""torch.return_types: the named tuples that operators return; `_C` makes them from the schemas."""

from . import _C

__all__ = ["all_return_types", "pytree_register_structseq"]

all_return_types = []


def pytree_register_structseq(cls):
    """Lets torch.utils._pytree see the fields of a named tuple made in C."""
    from .utils._pytree import SequenceKey, register_pytree_node

    register_pytree_node(
        cls,
        lambda value: (list(value), None),
        lambda values, context: cls(values),
        flatten_with_keys_fn=lambda value: ([(SequenceKey(i), v) for i, v in enumerate(value)], None),
    )


for _name in dir(_C._return_types):
    if not _name.startswith("__"):
        globals()[_name] = getattr(_C._return_types, _name)
        if not _name.startswith("_"):
            __all__.append(_name)
            all_return_types.append(globals()[_name])
del _name
