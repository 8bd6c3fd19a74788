"""Converts a list of samples to a batch of the same structure."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence

from ...._root import torch
from ._containers import is_namedtuple, make_mapping_like, make_sequence_like

np_str_obj_array_pattern = re.compile(r"[SaUO]")
default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def _is_text_array(array) -> bool:
    return np_str_obj_array_pattern.search(array.dtype.str) is not None


def default_convert(data):
    """Converts NumPy arrays and scalars to tensors, at any depth; everything else stays.

    It is the `collate_fn` of loaders without batches. Tuples become lists; arrays of text stay.

    Args:
        data (Any): a sample.

    Returns:
        Any: the converted sample.

    Example:
        >>> import numpy
        >>> torch.utils.data.default_convert({"x": numpy.array([1, 2])})
        {'x': tensor([1, 2])}
    """
    cls = type(data)
    if isinstance(data, torch.Tensor):
        return data
    if cls.__module__ == "numpy" and cls.__name__ not in ("str_", "string_"):
        return data if cls.__name__ == "ndarray" and _is_text_array(data) else torch.as_tensor(data)
    if isinstance(data, Mapping):
        return make_mapping_like(data, {key: default_convert(data[key]) for key in data})
    if is_namedtuple(data):
        return cls(*map(default_convert, data))
    if isinstance(data, tuple):
        return [default_convert(item) for item in data]
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return make_sequence_like(data, [default_convert(item) for item in data])
    return data


def collate(batch, *, collate_fn_map: dict[type | tuple[type, ...], Callable] | None = None):
    """Makes a batch of samples by the type of the first one.

    Args:
        batch (list): the samples.
        collate_fn_map (dict, optional): functions by type, or by tuple of types; containers are
            collated item by item.

    Returns:
        Any: the batch.

    Raises:
        TypeError: when the type is unknown.
        RuntimeError: when sequences differ in length.

    Example:
        >>> from torch.utils.data._utils.collate import collate
        >>> collate(["a", "b"], collate_fn_map={str: lambda batch, collate_fn_map: "".join(batch)})
        'ab'
    """
    first = batch[0]
    cls = type(first)
    if collate_fn_map is not None:
        if collate_fn_map is default_collate_fn_map:
            _register_numpy_types()
        found = collate_fn_map.get(cls)
        if found is None:
            found = next((fn for types, fn in collate_fn_map.items() if isinstance(first, types)), None)
        if found is not None:
            return found(batch, collate_fn_map=collate_fn_map)

    def collate_samples(samples):
        return collate(samples, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        return make_mapping_like(first, {key: collate_samples([sample[key] for sample in batch]) for key in first})
    if is_namedtuple(first):
        return cls(*map(collate_samples, zip(*batch)))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        merged = list(map(collate_samples, zip(*batch)))
        return merged if isinstance(first, tuple) else make_sequence_like(first, merged)
    raise TypeError(default_collate_err_msg_format.format(cls))


def collate_tensor_fn(batch, *, collate_fn_map: dict[type | tuple[type, ...], Callable] | None = None):
    """Stacks dense tensors of one shape; in workers, in shared memory.

    Args:
        batch (list of Tensor): the tensors.
        collate_fn_map (dict, optional): not used. Default: ``None``.

    Returns:
        Tensor: with a new first dimension.

    Raises:
        RuntimeError: if they are sparse or nested, or of several shapes.

    Example:
        >>> from torch.utils.data._utils.collate import collate_tensor_fn
        >>> collate_tensor_fn([torch.tensor(1), torch.tensor(2)])
        tensor([1, 2])
    """
    first = batch[0]
    refused = "nested" if first.is_nested else None if first.layout in _layouts_that_are_not_sparse() else "sparse"
    if refused:
        raise RuntimeError(
            f"Batches of {refused} tensors are not currently supported by the default collate_fn; please provide a "
            "custom collate_fn to handle them appropriately."
        )
    out = None
    from .worker import get_worker_info

    if get_worker_info() is not None and hasattr(torch.UntypedStorage, "_new_shared"):
        # Stacks directly into shared memory, which saves the parent a copy.
        nbytes = sum(sample.numel() for sample in batch) * first.element_size()
        storage = torch.UntypedStorage._new_shared(nbytes, device=first.device)
        out = torch.empty(0, dtype=first.dtype, device=first.device).set_(storage, 0, (len(batch), *first.size()))
    return torch.stack(batch, 0, out=out)


def _layouts_that_are_not_sparse():
    sparse = ("sparse_coo", "sparse_csr", "sparse_bsr", "sparse_csc", "sparse_bsc")
    return _Complement({getattr(torch, name) for name in sparse if hasattr(torch, name)})


class _Complement(frozenset):
    def __contains__(self, item) -> bool:
        return not super().__contains__(item)


def collate_numpy_array_fn(batch, *, collate_fn_map: dict[type | tuple[type, ...], Callable] | None = None):
    """Stacks NumPy arrays of one shape to a tensor.

    Args:
        batch (list of numpy.ndarray): the arrays.
        collate_fn_map (dict, optional): functions by type, for the tensors of them. Default: ``None``.

    Returns:
        Tensor: with a new first dimension.

    Raises:
        TypeError: if they hold text or objects.

    Example:
        >>> import numpy
        >>> from torch.utils.data._utils.collate import collate_numpy_array_fn, default_collate_fn_map
        >>> batch = [numpy.array([1, 2]), numpy.array([3, 4])]
        >>> collate_numpy_array_fn(batch, collate_fn_map=default_collate_fn_map)
        tensor([[1, 2],
                [3, 4]])
    """
    if _is_text_array(batch[0]):
        raise TypeError(default_collate_err_msg_format.format(batch[0].dtype))
    return collate([torch.as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch, *, collate_fn_map: dict[type | tuple[type, ...], Callable] | None = None):
    """Returns the tensor of NumPy's scalars.

    Args:
        batch (list): the scalars.
        collate_fn_map (dict, optional): not used. Default: ``None``.

    Returns:
        Tensor: of one dimension.

    Example:
        >>> import numpy
        >>> from torch.utils.data._utils.collate import collate_numpy_scalar_fn
        >>> collate_numpy_scalar_fn([numpy.float32(1), numpy.float32(2)])
        tensor([1., 2.])
    """
    return torch.as_tensor(batch)


def collate_float_fn(batch, *, collate_fn_map: dict[type | tuple[type, ...], Callable] | None = None):
    """Returns the tensor of floats, in float64.

    Args:
        batch (list of float): the numbers.
        collate_fn_map (dict, optional): not used. Default: ``None``.

    Returns:
        Tensor: of one dimension.

    Example:
        >>> from torch.utils.data._utils.collate import collate_float_fn
        >>> collate_float_fn([1.5, 2.5])
        tensor([1.5000, 2.5000], dtype=torch.float64)
    """
    return torch.tensor(batch, dtype=torch.float64)


def collate_int_fn(batch, *, collate_fn_map: dict[type | tuple[type, ...], Callable] | None = None):
    """Returns the tensor of ints or bools.

    Args:
        batch (list of int): the numbers.
        collate_fn_map (dict, optional): not used. Default: ``None``.

    Returns:
        Tensor: of one dimension.

    Example:
        >>> from torch.utils.data._utils.collate import collate_int_fn
        >>> collate_int_fn([1, 2])
        tensor([1, 2])
    """
    return torch.tensor(batch)


def collate_str_fn(batch, *, collate_fn_map: dict[type | tuple[type, ...], Callable] | None = None):
    """Returns strings as they are.

    Args:
        batch (list of str): the strings.
        collate_fn_map (dict, optional): not used. Default: ``None``.

    Returns:
        list of str: the same list.

    Example:
        >>> from torch.utils.data._utils.collate import collate_str_fn
        >>> collate_str_fn(["a", "b"])
        ['a', 'b']
    """
    return batch


default_collate_fn_map: dict[type | tuple[type, ...], Callable] = {
    torch.Tensor: collate_tensor_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def _register_numpy_types() -> None:
    """Adds NumPy's types once NumPy is loaded: before that, no sample can have one."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not hasattr(numpy, "ndarray") or numpy.ndarray in default_collate_fn_map:
        return
    others = dict(default_collate_fn_map)
    default_collate_fn_map.clear()
    # NumPy's types must precede float and int in the table, because some NumPy scalars are subclasses of these.
    default_collate_fn_map[torch.Tensor] = others.pop(torch.Tensor, collate_tensor_fn)
    default_collate_fn_map[numpy.ndarray] = collate_numpy_array_fn
    default_collate_fn_map[(numpy.bool_, numpy.number, numpy.object_)] = collate_numpy_scalar_fn
    default_collate_fn_map.update(others)


def default_collate(batch):
    """Makes a batch of samples: tensors are stacked, numbers become tensors, containers are collated item by item.

    Floats become float64, ints int64; strings and bytes stay a list. Mappings, named tuples, tuples
    and lists are collated by key or position. In a worker, tensors are stacked in shared memory.

    Args:
        batch (list): the samples, all of one structure.

    Returns:
        Any: structured as a sample.

    Raises:
        TypeError: when a type is not known.
        RuntimeError: when shapes or lengths differ, or tensors are sparse or nested.

    Example:
        >>> torch.utils.data.default_collate([{"x": 1.5, "y": "a"}, {"x": 2.5, "y": "b"}])
        {'x': tensor([1.5000, 2.5000], dtype=torch.float64), 'y': ['a', 'b']}
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
