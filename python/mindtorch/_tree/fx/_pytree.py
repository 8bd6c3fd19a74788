"""torch.fx._pytree: flattens nested values by a spec that was made from another value."""

from collections import namedtuple

from ..utils import _pytree as pytree

SUPPORTED_NODES: dict = {}
SUPPORTED_NODES_EXACT_MATCH: dict = {}


def register_pytree_flatten_spec(cls, flatten_fn_spec, flatten_fn_exact_match_spec=None):
    """`flatten_fn_spec(value, spec)` lists the children of a `cls`; the other function checks their number."""
    SUPPORTED_NODES[cls] = flatten_fn_spec
    SUPPORTED_NODES_EXACT_MATCH[cls] = flatten_fn_exact_match_spec


def tree_flatten_spec(tree, spec):
    """Returns the values of `tree` at the positions of the leaves of `spec`."""
    if spec.is_leaf():
        return [tree]
    if spec.type in SUPPORTED_NODES:
        children = SUPPORTED_NODES[spec.type](tree, spec)
        return [leaf for child, part in zip(children, spec.children()) for leaf in tree_flatten_spec(child, part)]
    leaves, real_spec = pytree.tree_flatten(tree)
    if spec != real_spec:
        raise RuntimeError(
            f"Real spec {real_spec} of object {tree} is different from expected spec {spec}. "
            f"Please file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml"
        )
    return leaves


def _dict_flatten_spec(value, spec):
    return [value[key] for key in spec.context]


def _sequence_flatten_spec(value, spec):
    return [value[place] for place in range(spec.num_children)]


def _has_exact_length(value, spec):
    return len(value) == spec.num_children


_list_flatten_spec = _tuple_flatten_spec = _namedtuple_flatten_spec = _sequence_flatten_spec

register_pytree_flatten_spec(dict, _dict_flatten_spec, _has_exact_length)
for _cls in (list, tuple, namedtuple):
    register_pytree_flatten_spec(_cls, _sequence_flatten_spec, _has_exact_length)
