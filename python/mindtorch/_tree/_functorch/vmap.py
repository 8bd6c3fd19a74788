"""vmap: the function runs once, on batched tensors that hide the dimension it is mapped over."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import _C
from .._root import torch
from ..utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_map_, tree_unflatten

Tensor = torch.Tensor
_add_batch_dim = _C._functorch._add_batch_dim


def _get_name(func):
    if hasattr(func, "__name__"):
        return func.__name__
    if isinstance(func, functools.partial):
        return f"functools.partial({_get_name(func.func)}, ...)"
    return repr(func)


def _check_randomness_arg(randomness: str) -> None:
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")


def _check_out_dims(out_dims, func) -> None:
    def check_out_dim(dim):
        if dim is not None and not isinstance(dim, int):
            raise ValueError(
                f"vmap({_get_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
                "collection of ints representing where in the outputs the vmapped dimension should appear."
            )

    tree_map_(check_out_dim, out_dims)


def _check_in_dim(func, in_dims, arg, dim) -> None:
    prefix = f"vmap({_get_name(func)}, in_dims={in_dims}, ...)(<inputs>): "
    if dim is None:
        return
    if not isinstance(dim, int):
        raise ValueError(
            f"{prefix}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
        )
    if not isinstance(arg, torch.Tensor):
        raise ValueError(
            f"{prefix}Got in_dim={dim} for an input but the input is of type {type(arg)}. We cannot vmap over "
            "non-Tensor arguments, please use None as the respective in_dim"
        )
    if not -arg.dim() <= dim < arg.dim():
        raise ValueError(
            f"{prefix}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {arg.dim()} so "
            f"expected in_dim to satisfy -{arg.dim()} <= in_dim < {arg.dim()}."
        )


def _process_batched_inputs(in_dims, args, func):
    """Returns (batch size, flat in_dims, flat args, spec)."""
    name = _get_name(func)
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially nested) "
            f"tuple matching the structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a "
            "function with no inputs. The latter is unsupported."
        )
    flat_args, spec = tree_flatten(args)
    dims = _broadcast_to_and_flatten(in_dims, spec)
    if dims is None:
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure of `inputs`."
            f" in_dims has structure {tree_flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    for arg, dim in zip(flat_args, dims):
        _check_in_dim(func, in_dims, arg, dim)
    sizes = [arg.size(dim) for arg, dim in zip(flat_args, dims) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return sizes[0], dims, flat_args, spec


def _flatten_out_dims(outputs, spec, out_dims, func):
    if isinstance(outputs, torch.Tensor):
        if out_dims is None or isinstance(out_dims, int):
            return [out_dims]
        found = list(out_dims) if isinstance(out_dims, tuple) and len(out_dims) == 1 else None
    else:
        found = _broadcast_to_and_flatten(out_dims, spec)
    if found is None:
        raise ValueError(
            f"vmap({_get_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the "
            f"structure of `outputs`. out_dims has structure {tree_flatten(out_dims)[1]} but outputs has structure "
            f"{spec}."
        )
    return found


def unwrap_with_mapped_dim_at(tensor, dim):
    """Moves the mapped dimension of a tensor's values to `dim` if they are elsewhere; returns them."""
    values, present = _C._functorch.get_unwrapped(tensor), _C._functorch.maybe_get_bdim(tensor)
    return values if present in (dim, dim + values.dim()) else values.movedim(present, dim)


def _maybe_remove_batch_dim(name, output, level, batch_size, dim):
    """Returns an output with its mapped dimension at `dim`; expands a value that is the same for all slices."""
    if dim is None:
        if isinstance(output, torch.Tensor) and _C._functorch.is_batchedtensor(output):
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return output
    if not isinstance(output, torch.Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(output)}. Did you mean to set "
            "out_dims= to None for output?"
        )
    if _C._functorch.maybe_get_level(output) == level:
        return unwrap_with_mapped_dim_at(output, dim)
    return output.unsqueeze(0).expand(batch_size, *output.shape).movedim(0, dim)


def _create_batched_inputs(flat_in_dims, flat_args, level, spec):
    pairs = zip(flat_args, flat_in_dims)
    return tree_unflatten(
        [arg if dim is None else _add_batch_dim(arg, dim % arg.dim(), level) for arg, dim in pairs], spec
    )


def _unwrap_batched(outputs, out_dims, level, batch_size, func):
    flat, spec = tree_flatten(outputs)
    pairs = zip(flat, _flatten_out_dims(outputs, spec, out_dims, func))
    name = _get_name(func)
    return tree_unflatten([_maybe_remove_batch_dim(name, one, level, batch_size, dim) for one, dim in pairs], spec)


def _run_vmap_over_whole_batch(func, batch_size, in_dims, out_dims, randomness, flat_args, spec, kwargs):
    """Maps all slices at once. Packages may replace the three functions that take arguments and outputs apart."""
    level = _C._functorch._vmap_increment_nesting(batch_size, randomness)
    try:
        outputs = func(*_create_batched_inputs(in_dims, flat_args, level, spec), **kwargs)
        return _unwrap_batched(outputs, out_dims, level, batch_size, func)
    finally:
        _C._functorch._vmap_decrement_nesting()


def _split_arguments(flat_args, in_dims, batch_size, chunk_size):
    """Splits the arguments into pieces of at most `chunk_size` along their mapped dimensions."""
    ends = list(range(chunk_size, batch_size, chunk_size))
    split = [
        [arg] * (len(ends) + 1) if dim is None else arg.tensor_split(ends, dim) for arg, dim in zip(flat_args, in_dims)
    ]
    return zip(*split)


def vmap_impl(
    func: Callable,
    in_dims: int | tuple,
    out_dims: int | tuple[int, ...],
    randomness: str,
    chunk_size: int | None,
    args: Any,
    kwargs: Any,
) -> Any:
    _check_out_dims(out_dims, func)
    batch_size, dims, flat_args, spec = _process_batched_inputs(in_dims, args, func)
    if chunk_size is None:
        return _run_vmap_over_whole_batch(func, batch_size, dims, out_dims, randomness, flat_args, spec, kwargs)
    parts, outputs = [], None
    state = torch.get_rng_state() if randomness == "same" else None
    for piece in _split_arguments(flat_args, dims, batch_size, chunk_size):
        if state is not None:
            torch.set_rng_state(state)
        size = next(arg.size(dim) for arg, dim in zip(piece, dims) if dim is not None)
        outputs = _run_vmap_over_whole_batch(func, size, dims, out_dims, randomness, piece, spec, kwargs)
        parts.append(tree_flatten(outputs)[0])
    out_spec = tree_flatten(outputs)[1]
    chosen = _flatten_out_dims(outputs, out_spec, out_dims, func)
    joined = [values[0] if dim is None else torch.cat(values, dim=dim) for values, dim in zip(zip(*parts), chosen)]
    return tree_unflatten(joined, out_spec)
