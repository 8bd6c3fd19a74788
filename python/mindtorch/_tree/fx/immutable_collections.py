"""torch.fx.immutable_collections: the list and dict types of a node's arguments."""

from ..utils import _pytree
from ._compatibility import compatibility

__all__ = ["immutable_list", "immutable_dict"]

_ADVICE = (
    "If you are attempting to modify the kwargs or args of a torch.fx.Node object,\n"
    "instead create a new copy of it and assign the copy to the node:\n\n"
    "    new_args = ...  # copy and mutate args\n"
    "    node.args = new_args"
)


def _no_mutation(self, *args, **kwargs):
    raise TypeError(f"{type(self).__name__!r} object does not support mutation. {_ADVICE}")


def _make_frozen(cls, *methods):
    for method in methods:
        setattr(cls, method, _no_mutation)
    return compatibility(is_backward_compatible=True)(cls)


class immutable_list(list):
    """A list that refuses in-place changes; its hash is that of the tuple of its elements."""

    def __hash__(self):
        return hash(tuple(self))

    def __reduce__(self):
        return type(self), (tuple(self),)


class immutable_dict(dict):
    """A dict that refuses in-place changes; its hash does not depend on the order of its items."""

    def __hash__(self):
        return hash(frozenset(self.items()))

    def __reduce__(self):
        return type(self), (tuple(self.items()),)


_make_frozen(
    immutable_list,
    *("__delitem__", "__iadd__", "__imul__", "__setitem__", "append", "clear"),
    *("extend", "insert", "pop", "remove", "reverse", "sort"),
)
_make_frozen(immutable_dict, "__delitem__", "__ior__", "__setitem__", "clear", "pop", "popitem", "setdefault", "update")

_pytree.register_pytree_node(
    immutable_list,
    _pytree._list_flatten,
    lambda values, context: immutable_list(values),
    serialized_type_name="torch.fx.immutable_collections.immutable_list",
    flatten_with_keys_fn=_pytree._list_flatten_with_keys,
)
_pytree.register_pytree_node(
    immutable_dict,
    _pytree._dict_flatten,
    lambda values, context: immutable_dict(zip(context, values, strict=True)),
    serialized_type_name="torch.fx.immutable_collections.immutable_dict",
    flatten_with_keys_fn=_pytree._dict_flatten_with_keys,
)
