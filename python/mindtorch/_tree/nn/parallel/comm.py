"""Copies and sums of tensors across the accelerators of one process."""

import warnings

from ..._root import torch
from ..._utils import _get_device_index


def _device(index):
    kind = torch.accelerator.current_accelerator()
    if kind is None:
        raise RuntimeError("no available devices were found")
    return torch.device(kind.type, index)


def broadcast(tensor, devices=None, *, out=None):
    """Copies of `tensor` on each device, or in each tensor of `out`."""
    if (devices is None) == (out is None):
        raise RuntimeError(
            f"Exactly one of 'devices' and 'out' must be specified, but got devices={devices} and out={out}"
        )
    if out is not None:
        return tuple(t.copy_(tensor, non_blocking=True) for t in out)
    return tuple(tensor.to(_device(_get_device_index(d)), non_blocking=True) for d in devices)


def broadcast_coalesced(tensors, devices, buffer_size=10485760):
    """Per device, a list of copies of all tensors."""
    return [[tensor.to(_device(_get_device_index(d)), non_blocking=True) for tensor in tensors] for d in devices]


def reduce_add(inputs, destination=None):
    """The sum of tensors on several devices, on `destination`."""
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
    """`reduce_add` of each position of several lists of tensors."""
    return tuple(reduce_add(list(same), destination) for same in zip(*inputs, strict=True))


def scatter(tensor, devices=None, chunk_sizes=None, dim=0, streams=None, *, out=None):
    """Pieces of `tensor` along `dim`, one per device."""
    if out is not None:
        for name, value in (("devices", devices), ("chunk_sizes", chunk_sizes)):
            if value is not None:
                raise RuntimeError(f"'{name}' must not be specified when 'out' is specified, but got {name}={value}")
        pieces = tensor.split([t.size(dim) for t in out], dim)
        return tuple(t.copy_(piece, non_blocking=True) for t, piece in zip(out, pieces, strict=True))
    devices = [_get_device_index(d) for d in devices]
    pieces = tensor.chunk(len(devices), dim) if chunk_sizes is None else tensor.split(list(chunk_sizes), dim)
    return tuple(piece.to(_device(d), non_blocking=True) for piece, d in zip(pieces, devices, strict=False))


def gather(tensors, dim=0, destination=None, *, out=None):
    """Tensors of several devices joined along `dim`."""
    if out is not None:
        if destination is not None:
            raise RuntimeError(
                f"'destination' must not be specified when 'out' is specified, but got destination={destination}"
            )
        return torch.cat([t.to(out.device) for t in tensors], dim, out=out)
    if destination == -1:
        warnings.warn(
            "Using -1 to represent CPU tensor is deprecated. Please use a "
            'device object or string instead, e.g., "cpu".',
            FutureWarning,
            stacklevel=2,
        )
    destination = _get_device_index(destination, allow_cpu=True, optional=True)
    target = torch.device("cpu") if destination == -1 else _device(destination)
    return torch.cat([t.to(target, non_blocking=True) for t in tensors], dim)
