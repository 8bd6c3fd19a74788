"""vmap by a loop: the function runs once for each slice, and the results are stacked.

Values and gradients are those of a vectorised map; the cost is that of the calls.
"""

import functools

from .._root import torch
from ..utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_map_, tree_unflatten


def _get_name(func):
    if hasattr(func, "__name__"):
        return func.__name__
    if isinstance(func, functools.partial):
        return f"functools.partial({_get_name(func.func)}, ...)"
    return repr(func)


def _check_randomness_arg(randomness: str) -> None:
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )


def _check_out_dims(out_dims, func) -> None:
    def check(dim):
        if dim is not None and not isinstance(dim, int):
            raise ValueError(
                f"vmap({_get_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
                "collection of ints representing where in the outputs the vmapped dimension should appear."
            )

    tree_map_(check, out_dims)


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


def _process_inputs(in_dims, args, func):
    """(batch size, flat in_dims, flat args, spec)"""
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


def _flat_out_dims(outputs, spec, out_dims, func):
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


def _stack(name, results, dim):
    """One output's values over the batch, along its out_dim; without one, a value that is the same for all."""
    if dim is None:
        return results[0]
    if not isinstance(results[0], torch.Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(results[0])}. Did you mean to set "
            "out_dims= to None for output?"
        )
    return torch.stack(results, dim=dim)


def vmap_impl(func, in_dims, out_dims, randomness, args, kwargs):
    _check_out_dims(out_dims, func)
    batch_size, dims, flat_args, spec = _process_inputs(in_dims, args, func)
    if batch_size == 0:
        raise NotImplementedError("vmap over a dimension of size 0 is not available")
    slices = [
        [arg] * batch_size if dim is None else arg.unbind(dim)
        for arg, dim in zip(flat_args, dims)
    ]
    state = torch.get_rng_state() if randomness != "different" else None
    flat_results, out_spec, first = [], None, None
    for values in zip(*slices):
        if randomness == "same":
            torch.set_rng_state(state)
        outputs = func(*tree_unflatten(list(values), spec), **kwargs)
        flat, out_spec = tree_flatten(outputs)
        first = outputs if first is None else first
        flat_results.append(flat)
    if randomness == "error" and not torch.equal(state, torch.get_rng_state()):
        raise RuntimeError(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
            "'different' randomness flags on vmap or perform the randomness operation out of vmap"
        )
    name = _get_name(func)
    chosen = _flat_out_dims(first, out_spec, out_dims, func)
    stacked = [_stack(name, results, dim) for results, dim in zip(zip(*flat_results), chosen)]
    return tree_unflatten(stacked, out_spec)
