"""Collectives as operators, as programs register rules for them; defined when a program first names one.

The functional ones run. Those of `c10d`, which take a group as an object of TorchScript, are names only.
"""

from .._query_operators import has_operator, make_library
from . import _functional_collectives as functional
from ._world import _world


def _gather(input, group_size, group_name):
    return functional.all_gather_single(input, 0, group_name)


def _reduce_pieces(input, reduce_op, group_size, group_name):
    return functional.reduce_scatter_single(input, reduce_op, 0, group_name)


def _exchange(input, output_split_sizes, input_split_sizes, group_name):
    return functional.all_to_all_single(input, output_split_sizes, input_split_sizes, group_name)


def _map(function):
    return lambda inputs, *options: [function(one, *options) for one in inputs]


def _write(function):
    """Returns the form of a collective that writes its result to its argument."""
    return lambda input, *options: input.copy_(function(input, *options))


def _write_out(function):
    return lambda input, *options, out: out.copy_(function(input, *options))


def _write_all(function):
    return lambda inputs, *options: [one.copy_(function(one, *options)) for one in inputs]


def _by_ranks(function):
    """Returns the older form of a collective, which gets a tag and the ranks of the group instead of its name."""

    def kernel(*arguments):
        *own, _, ranks, _ = arguments
        for group, members in _world.pg_group_ranks.items():
            if list(members) == list(ranks):
                return function(*own, group)
        raise ValueError(f"no group has the ranks {list(ranks)}")

    return kernel


def _make_refusing(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"c10d::{name}: collectives are functions of torch.distributed here, not operators")

    return refuse


_reduce, _broadcast = functional.all_reduce, functional.broadcast
_GATHER = "int group_size, str group_name"
_REDUCE = "str reduce_op, str group_name"
_PIECES = "str reduce_op, int group_size, str group_name"
_SPLITS = "SymInt[] output_split_sizes, SymInt[] input_split_sizes, str group_name"
_FUNCTIONAL = {
    f"all_gather_into_tensor(Tensor input, {_GATHER}) -> Tensor": _gather,
    f"all_gather_into_tensor_out(Tensor input, {_GATHER}, *, Tensor(a!) out) -> Tensor(a!)": _write_out(_gather),
    f"all_gather_into_tensor_coalesced(Tensor[] inputs, {_GATHER}) -> Tensor[]": _map(_gather),
    f"all_reduce(Tensor input, {_REDUCE}) -> Tensor": _reduce,
    f"all_reduce_(Tensor(a!) input, {_REDUCE}) -> Tensor(a!)": _write(_reduce),
    f"all_reduce_coalesced(Tensor[] inputs, {_REDUCE}) -> Tensor[]": _map(_reduce),
    f"all_reduce_coalesced_(Tensor(a!)[] inputs, {_REDUCE}) -> Tensor(a!)[]": _write_all(_reduce),
    f"all_to_all_single(Tensor input, {_SPLITS}) -> Tensor": _exchange,
    "broadcast(Tensor input, int src, str group_name) -> Tensor": _broadcast,
    "broadcast_(Tensor(a!) input, int src, str group_name) -> Tensor(a!)": _write(_broadcast),
    f"reduce_scatter_tensor(Tensor input, {_PIECES}) -> Tensor": _reduce_pieces,
    f"reduce_scatter_tensor_out(Tensor input, {_PIECES}, *, Tensor(a!) out) -> Tensor(a!)": (
        _write_out(_reduce_pieces)
    ),
    f"reduce_scatter_tensor_coalesced(Tensor[] inputs, {_PIECES}) -> Tensor[]": _map(_reduce_pieces),
    "wait_tensor(Tensor tensor) -> Tensor": functional.wait_tensor,
}
_WITH_GRADIENT = {
    f"all_gather_into_tensor(Tensor input, {_GATHER}) -> Tensor": (
        lambda input, size, group: functional.all_gather_tensor_autograd(input, 0, group)
    ),
    f"all_to_all_single(Tensor input, {_SPLITS}) -> Tensor": functional.all_to_all_single_autograd,
    f"reduce_scatter_tensor(Tensor input, {_PIECES}) -> Tensor": (
        lambda input, operation, size, group: functional.reduce_scatter_tensor_autograd(input, operation, 0, group)
    ),
}
_RANKS = "str tag, int[] ranks, int group_size"
_OLDER_FUNCTIONAL = {
    f"all_gather_into_tensor(Tensor shard, {_RANKS}) -> Tensor": _by_ranks(
        lambda input, group: functional.all_gather_single(input, 0, group)
    ),
    f"all_gather_into_tensor_coalesced(Tensor[] input, {_RANKS}) -> Tensor[]": _by_ranks(
        _map(lambda input, group: functional.all_gather_single(input, 0, group))
    ),
    f"all_reduce(Tensor self, str reduceOp, {_RANKS}) -> Tensor": _by_ranks(_reduce),
    f"all_reduce_coalesced(Tensor[] self, str reduceOp, {_RANKS}) -> Tensor[]": _by_ranks(_map(_reduce)),
    "all_to_all_single(Tensor input, SymInt[]? output_split_sizes, SymInt[]? input_split_sizes, "
    f"{_RANKS}) -> Tensor": _by_ranks(_exchange),
    f"broadcast(Tensor self, int src, {_RANKS}) -> Tensor": _by_ranks(_broadcast),
    f"reduce_scatter_tensor(Tensor input, str reduceOp, {_RANKS}) -> Tensor": _by_ranks(
        lambda input, operation, group: functional.reduce_scatter_single(input, operation, 0, group)
    ),
    f"reduce_scatter_tensor_coalesced(Tensor[] inputs, str reduceOp, {_RANKS}) -> Tensor[]": _by_ranks(
        _map(lambda input, operation, group: functional.reduce_scatter_single(input, operation, 0, group))
    ),
    "wait_tensor(Tensor self) -> Tensor": functional.wait_tensor,
}
_OPTIONS = "bool async_op=True, int timeout=-1"
# Any stands for lists of lists, groups, reductions and works.
_OBJECT_SCHEMAS = (
    "_allgather_base_(Tensor output_tensor, Tensor input_tensor, Any process_group, {}) -> (Tensor, Any)",
    "_reduce_scatter_base_(Tensor output_tensor, Tensor input_tensor, Any process_group, Any reduce_op, {}) -> "
    "(Tensor, Any)",
    "allgather_(Any output_tensors, Tensor[] input_tensors, Any process_group, {}) -> (Any, Any)",
    "allgather_into_tensor_coalesced_(Tensor[] outputs, Tensor[] inputs, Any process_group, bool async_op=True) -> Any",
    "allreduce_(Tensor[] tensors, Any process_group, Any reduce_op, Tensor? sparse_indices, {}) -> (Tensor[], Any)",
    "allreduce_coalesced_(Tensor[] tensors, Any process_group, Any reduce_op, {}) -> Any",
    "alltoall_(Tensor[] output_tensors, Tensor[] input_tensors, Any process_group, {}) -> (Tensor[], Any)",
    "alltoall_base_(Tensor output, Tensor input, Any process_group, int[] output_split_sizes, "
    "int[] input_split_sizes, {}) -> Any",
    "barrier(Tensor tensor, Any process_group, int[] device_ids, {}) -> Any",
    "broadcast_(Tensor[] tensors, Any process_group, int root_rank, int root_tensor, {}) -> (Tensor[], Any)",
    "gather_(Any output_tensors, Tensor[] input_tensors, Any process_group, int root_rank, {}) -> Any",
    "recv_(Tensor[] tensors, Any process_group, int src, int tag) -> Any",
    "recv_any_source_(Tensor[] tensors, Any process_group, int tag) -> Any",
    "reduce_(Tensor[] tensors, Any process_group, Any reduce_op, int root_rank, int root_tensor, {}) -> Any",
    "reduce_scatter_(Tensor[] output_tensors, Any input_tensors, Any process_group, Any reduce_op, {}) -> "
    "(Tensor[], Any)",
    "scatter_(Tensor[] output_tensors, Any input_tensors, Any process_group, int root_rank, {}) -> (Tensor[], Any)",
    "send(Tensor[] tensors, Any process_group, int dst, int tag) -> Any",
)
_IMPLICIT, _EXPLICIT = "CompositeImplicitAutograd", "CompositeExplicitAutograd"
_KERNELS = {
    "_c10d_functional": [
        (_FUNCTIONAL, _EXPLICIT),
        ({"_wrap_tensor_autograd(Tensor input) -> Tensor": functional.wait_tensor}, _IMPLICIT),
    ],
    "_c10d_functional_autograd": [(_WITH_GRADIENT, _IMPLICIT)],
    "c10d_functional": [(_OLDER_FUNCTIONAL, _EXPLICIT)],
    "c10d": [
        (
            {schema.format(_OPTIONS): _make_refusing(schema.partition("(")[0]) for schema in _OBJECT_SCHEMAS},
            _EXPLICIT,
        )
    ],
}
_libraries: dict = {}  # from namespace to the Libraries that keep its operators


def define(namespace, name):
    """Defines the operators of a namespace, if one of them has this name.

    Args:
        namespace (str): one of collectives.
        name (str): the operator's name.

    Returns:
        bool: whether there is such an operator, new or not.
    """
    parts = _KERNELS[namespace]
    if not any(has_operator(kernels, name) for kernels, _ in parts):
        return False
    if namespace not in _libraries:
        _libraries[namespace] = [make_library(namespace, kernels, key) for kernels, key in parts]
    return True
