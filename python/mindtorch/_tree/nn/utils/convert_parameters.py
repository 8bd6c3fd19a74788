"""Parameters as one vector, and back."""

from ... import _C
from ..._root import torch


def parameters_to_vector(parameters):
    """All parameters, flattened and joined."""
    device = None
    pieces = []
    for param in parameters:
        device = _check_param_device(param, device)
        pieces.append(param.view(-1))
    return torch.cat(pieces)


def vector_to_parameters(vec, parameters):
    """Gives each parameter its slice of `vec` as data; the slices share memory with it."""
    if not isinstance(vec, torch.Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {torch.typename(vec)}")
    device = None
    start = 0
    for param in parameters:
        device = _check_param_device(param, device)
        count = param.numel()
        param.data = vec[start : start + count].view_as(param).data
        start += count


def _check_param_device(param, old_param_device):
    """The device's number (-1 for the CPU), which must be the same for all parameters."""
    on_accelerator = param.device.type in ("cuda", _C._get_privateuse1_backend_name())
    number = param.get_device() if on_accelerator else -1
    if old_param_device is not None and number != old_param_device:
        raise TypeError("Found two parameters on different devices, this is currently not supported.")
    return number
