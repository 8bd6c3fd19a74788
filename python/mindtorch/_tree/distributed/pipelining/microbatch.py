"""Splits a batch into micro-batches, and merges the results."""

from typing import Any, NamedTuple

from ... import Tensor, cat, tensor_split
from ...utils._pytree import tree_flatten, tree_unflatten

__all__ = ["TensorChunkSpec", "split_args_kwargs_into_chunks", "merge_chunks"]


class TensorChunkSpec:
    """The dimension along which a tensor is split into micro-batches, or merged from them.

    Args:
        split_dim (int): the dimension.

    Example:
        >>> from torch.distributed.pipelining.microbatch import TensorChunkSpec
        >>> TensorChunkSpec.from_tuple((0, 1))[1].split_dim
        1
    """

    split_dim: int

    def __init__(self, split_dim: int) -> None:
        self.split_dim = split_dim

    def __repr__(self) -> str:
        return f"{type(self).__module__}.{type(self).__name__}({self.split_dim})"

    def __str__(self) -> str:
        return f"TensorChunkSpec({self.split_dim})"

    @staticmethod
    def from_tuple(chunk_dims: tuple[int, ...]) -> "tuple[TensorChunkSpec, ...]":
        """Returns a spec for each dimension.

        Args:
            chunk_dims (tuple[int, ...]): the dimensions.

        Returns:
            tuple[TensorChunkSpec, ...]: the specs.
        """
        return tuple(map(TensorChunkSpec, chunk_dims))

    @staticmethod
    def from_dict(chunk_dims: dict[str, int]) -> "dict[str, TensorChunkSpec]":
        """Returns a spec for each named dimension.

        Args:
            chunk_dims (dict[str, int]): the dimensions by name.

        Returns:
            dict[str, TensorChunkSpec]: the specs by name.
        """
        return {name: TensorChunkSpec(dim) for name, dim in chunk_dims.items()}


class _Replicate:
    """The spec of a value that every micro-batch gets whole."""


class _CustomReducer:
    """The spec of results that a function combines, beginning with a value."""

    def __init__(self, init_value, reduce_fn):
        self.init_value, self.reduce_fn = init_value, reduce_fn


class _LossReducer(_CustomReducer):
    pass


sum_reducer = _LossReducer(0, lambda total, loss: total + loss)


class _Leaves(NamedTuple):
    """The values of a batch with their specs, in the order of the tree's leaves."""

    values: list[Any]
    specs: list[Any]
    tree: Any


def _is_chunk_spec(value):
    return isinstance(value, (TensorChunkSpec, _Replicate, _CustomReducer))


def _pair_leaves_with_specs(batch, specs) -> _Leaves:
    if set(batch) != set(specs):
        raise AssertionError(f"args_dict.keys() = {list(batch.keys())} args_chunk_spec.keys() = {list(specs.keys())}")
    values, tree = tree_flatten(batch)
    return _Leaves(values, tree_flatten({name: specs[name] for name in batch}, is_leaf=_is_chunk_spec)[0], tree)


def _split_into_microbatches(batch, specs, chunks):
    """Splits a dictionary of values into at most `chunks` dictionaries."""
    values, specs, tree = _pair_leaves_with_specs(batch, specs)
    for value, spec in zip(values, specs, strict=True):
        if isinstance(value, Tensor) and not isinstance(spec, (TensorChunkSpec, _Replicate)):
            raise AssertionError(f"Expected TensorChunkSpec, got {type(spec)}")
        if not isinstance(value, Tensor) and isinstance(spec, TensorChunkSpec):
            raise ValueError(f"Unsupported chunk spec: {spec} and value: {value} combination.")
    sizes = [value.size(spec.split_dim) for value, spec in zip(values, specs) if isinstance(spec, TensorChunkSpec)]
    count = min(*sizes, chunks) if sizes else chunks
    columns = [
        tensor_split(value, count, spec.split_dim) if isinstance(spec, TensorChunkSpec) else [value] * count
        for value, spec in zip(values, specs)
    ]
    return [tree_unflatten([column[chunk] for column in columns], tree) for chunk in range(count)]


def _make_default_chunk_specs(value):
    leaves, tree = tree_flatten(value)
    return tree_unflatten([TensorChunkSpec(0) if isinstance(leaf, Tensor) else _Replicate() for leaf in leaves], tree)


def split_args_kwargs_into_chunks(
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    chunks: int,
    args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None,
    kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
) -> tuple[list[tuple], list[dict]]:
    """Splits the arguments of a call into those of several calls.

    Tensors are split along their first dimension unless a spec says otherwise; every call gets the other values.
    There are fewer calls if a tensor has fewer rows.

    Args:
        args (tuple): positional arguments.
        kwargs (dict, optional): keyword arguments.
        chunks (int): the number of calls.
        args_chunk_spec (tuple, optional): specs of `args`, in its structure.
        kwargs_chunk_spec (dict, optional): specs of `kwargs`, in its structure.

    Returns:
        tuple: the list of positional arguments and the list of keyword arguments, one of each per call.

    Raises:
        AssertionError: when specs and arguments have different structures.

    Example:
        >>> import torch
        >>> from torch.distributed.pipelining.microbatch import split_args_kwargs_into_chunks
        >>> args, kwargs = split_args_kwargs_into_chunks((torch.arange(4),), {"scale": 2}, 2)
        >>> args, kwargs
        ([(tensor([0, 1]),), (tensor([2, 3]),)], [{'scale': 2}, {'scale': 2}])
    """
    kwargs = kwargs or {}
    args_specs = _make_default_chunk_specs(args) if args_chunk_spec is None else args_chunk_spec
    kwargs_specs = _make_default_chunk_specs(kwargs) if kwargs_chunk_spec is None else kwargs_chunk_spec
    args_chunks = _split_into_microbatches(dict(enumerate(args)), dict(enumerate(args_specs)), chunks)
    kwargs_chunks = _split_into_microbatches(kwargs, kwargs_specs, len(args_chunks))
    if len(kwargs_chunks) < len(args_chunks):  # a keyword argument has the fewest rows
        args_chunks = _split_into_microbatches(dict(enumerate(args)), dict(enumerate(args_specs)), len(kwargs_chunks))
    return [tuple(chunk[position] for position in range(len(args))) for chunk in args_chunks], kwargs_chunks


def merge_chunks(chunks: list[Any], chunk_spec) -> Any:
    """Merges the results of micro-batches.

    Args:
        chunks (list): the results, all of one structure.
        chunk_spec (optional): the spec of each value, in that structure. Default: concatenates along the first
            dimension.

    Returns:
        object: the merged result.

    Raises:
        ValueError: when a result has another structure than the specs.

    Example:
        >>> import torch
        >>> from torch.distributed.pipelining.microbatch import TensorChunkSpec, merge_chunks
        >>> merge_chunks([torch.zeros(1, 2), torch.ones(1, 1)], TensorChunkSpec(1))
        tensor([[0., 0., 1.]])
    """
    first, tree = tree_flatten(chunks[0])
    specs = (
        [TensorChunkSpec(0)] * len(first) if chunk_spec is None else tree_flatten(chunk_spec, is_leaf=_is_chunk_spec)[0]
    )
    rows = []
    for chunk in chunks:
        rows.append(tree_flatten(chunk)[0])
        if len(rows[-1]) != len(specs):
            raise ValueError(f"Chunk {chunk} did not match chunk spec {chunk_spec}")
    merged = []
    for values, spec in zip(zip(*rows), specs):
        if isinstance(spec, TensorChunkSpec):
            merged.append(cat(values, dim=spec.split_dim))
        elif isinstance(spec, _CustomReducer):
            total = spec.init_value
            for value in values:
                total = spec.reduce_fn(total, value)
            merged.append(total)
        else:
            for value in values:
                if value is not values[0] and value != values[0]:
                    raise AssertionError(f"Expected {values[0]}, got {value}")
            merged.append(values[0])
    return tree_unflatten(merged, tree)
