"""Copies and sums of tensors across the accelerators of one process."""

from __future__ import annotations

import warnings

from ..._root import torch
from ..._utils import _get_device_index


def _find_device(index):
    kind = torch.accelerator.current_accelerator()
    if kind is None:
        raise RuntimeError("no available devices were found")
    return torch.device(kind.type, index)


def broadcast(tensor, devices=None, *, out=None):
    """Copies a tensor to several devices.

    Give one of `devices` and `out`.

    Args:
        tensor (Tensor): the tensor.
        devices (iterable of int or torch.device, optional): the devices. Default: ``None``.
        out (sequence of Tensor, optional): take the copies. Default: ``None``.

    Returns:
        tuple of Tensor: the copies.

    Raises:
        RuntimeError: when none or both are given.

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.broadcast(torch.ones(2), out=[torch.empty(2)])
        (tensor([1., 1.]),)
    """
    if (devices is None) == (out is None):
        raise RuntimeError(
            f"Exactly one of 'devices' and 'out' must be specified, but got devices={devices} and out={out}"
        )
    if out is not None:
        return tuple(t.copy_(tensor, non_blocking=True) for t in out)
    return tuple(tensor.to(_find_device(_get_device_index(d)), non_blocking=True) for d in devices)


def broadcast_coalesced(tensors, devices, buffer_size=10485760):
    """Copies several tensors to several devices.

    Args:
        tensors (sequence of Tensor): the tensors.
        devices (iterable of int or torch.device): the devices.
        buffer_size (int): has no effect. Default: ``10485760``.

    Returns:
        list of lists of Tensor: the copies on each device.

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.broadcast_coalesced([torch.ones(2)], [])
        []
    """
    return [[tensor.to(_find_device(_get_device_index(d)), non_blocking=True) for tensor in tensors] for d in devices]


def reduce_add(inputs, destination=None):
    """Adds tensors of several devices up.

    Args:
        inputs (sequence of Tensor): tensors of one shape, each on an accelerator.
        destination (int, optional): the device of the sum, one of theirs. Default: ``None``,
            the current one.

    Returns:
        Tensor: the sum.

    Raises:
        AssertionError: for a tensor on the CPU.
        ValueError: when shapes differ.

    Example:
        >>> from torch.nn.parallel import comm
        >>> if torch.accelerator.is_available():
        ...     assert comm.reduce_add([torch.ones(2, device="cuda")]).shape == (2,)
    """
    destination = _get_device_index(destination, optional=True)
    size = inputs[0].size()
    root = None
    for i, tensor in enumerate(inputs):
        if tensor.device.type == "cpu":
            raise AssertionError(f"reduce_add expects all inputs to be on GPUs, but input {i} is on CPU")
        if tensor.get_device() == destination:
            root = i
        if tensor.size() != size:
            got, expected = ("x".join(str(n) for n in s) for s in (tensor.size(), size))
            raise ValueError(f"input {i} has invalid size: got {got}, but expected {expected}")
    if root is None:
        raise RuntimeError("reduce_add expects destination to be on the same GPU with one of the tensors")
    if len(inputs) == 1:
        return inputs[0]
    total = inputs[root]
    for i, tensor in enumerate(inputs):
        if i != root:
            total = total + tensor.to(total.device, non_blocking=True)
    return total


def reduce_add_coalesced(inputs, destination=None, buffer_size=10485760):
    """Adds lists of tensors of several devices up, position by position.

    Args:
        inputs (sequence of sequences of Tensor): the tensors of each device.
        destination (int, optional): the device of the sums. Default: ``None``, the current one.
        buffer_size (int): has no effect. Default: ``10485760``.

    Returns:
        tuple of Tensor: the sums.

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.reduce_add_coalesced([])
        ()
    """
    return tuple(reduce_add(list(same), destination) for same in zip(*inputs, strict=True))


def scatter(tensor, devices=None, chunk_sizes=None, dim=0, streams=None, *, out=None):
    """Splits a tensor over devices.

    Args:
        tensor (Tensor): the tensor.
        devices (iterable of int or torch.device, optional): the devices. Default: ``None``,
            with `out`.
        chunk_sizes (iterable of int, optional): size of each part. Default: ``None``, equal ones.
        dim (int): the dimension along which. Default: ``0``.
        streams (sequence, optional): has no effect. Default: ``None``.
        out (sequence of Tensor, optional): take the parts, in place of `devices`. Default:
            ``None``.

    Returns:
        tuple of Tensor: the parts.

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.scatter(torch.arange(3), out=[torch.empty(1), torch.empty(2)])
        (tensor([0.]), tensor([1., 2.]))
    """
    if out is not None:
        for name, value in (("devices", devices), ("chunk_sizes", chunk_sizes)):
            if value is not None:
                raise RuntimeError(f"'{name}' must not be specified when 'out' is specified, but got {name}={value}")
        pieces = tensor.split([t.size(dim) for t in out], dim)
        return tuple(t.copy_(piece, non_blocking=True) for t, piece in zip(out, pieces, strict=True))
    devices = [_get_device_index(d) for d in devices]
    pieces = tensor.chunk(len(devices), dim) if chunk_sizes is None else tensor.split(list(chunk_sizes), dim)
    return tuple(piece.to(_find_device(d), non_blocking=True) for piece, d in zip(pieces, devices, strict=False))


def gather(tensors, dim=0, destination=None, *, out=None):
    """Joins tensors of several devices.

    Args:
        tensors (iterable of Tensor): equal in size but for `dim`.
        dim (int): the dimension along which. Default: ``0``.
        destination (torch.device, str or int, optional): the device of the result. Default:
            ``None``, the current device.
        out (Tensor, optional): takes the result, in place of `destination`. Default: ``None``.

    Returns:
        Tensor: the joined tensor.

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.gather([torch.ones(1), torch.zeros(1)], destination="cpu")
        tensor([1., 0.])
    """
    if out is not None:
        if destination is not None:
            raise RuntimeError(
                f"'destination' must not be specified when 'out' is specified, but got destination={destination}"
            )
        return torch.cat([t.to(out.device) for t in tensors], dim, out=out)
    if destination == -1:
        warnings.warn(
            "Using -1 to represent CPU tensor is deprecated. Please use a device object or string instead, "
            'e.g., "cpu".',
            FutureWarning,
            stacklevel=2,
        )
    destination = _get_device_index(destination, allow_cpu=True, optional=True)
    target = torch.device("cpu") if destination == -1 else _find_device(destination)
    return torch.cat([t.to(target, non_blocking=True) for t in tensors], dim)
