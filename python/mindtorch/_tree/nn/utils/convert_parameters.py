"""Converts parameters to one vector, and back."""

from collections.abc import Iterable

from ... import _C
from ..._root import torch


def parameters_to_vector(parameters: Iterable[torch.Tensor]) -> torch.Tensor:
    """Joins all parameters, flattened, to one vector.

    Args:
        parameters (iterable of Tensor): contiguous, all on one device.

    Returns:
        Tensor: one-dimensional; gradients flow back to the parameters.

    Raises:
        TypeError: for parameters on different devices.

    Example:
        >>> nn.utils.parameters_to_vector(nn.Linear(2, 3).parameters()).shape
        torch.Size([9])
    """
    device = None
    pieces = []
    for param in parameters:
        device = _check_param_device(param, device)
        pieces.append(param.view(-1))
    return torch.cat(pieces)


def vector_to_parameters(vec: torch.Tensor, parameters: Iterable[torch.Tensor]) -> None:
    """Makes each parameter a slice of a vector: undoes `parameters_to_vector`.

    The parameters share memory with the vector afterwards.

    Args:
        vec (Tensor): one-dimensional, with as many elements as all parameters.
        parameters (iterable of Tensor): whose `data` is replaced.

    Raises:
        TypeError: when `vec` is no tensor, or parameters are on different devices.

    Example:
        >>> layer = nn.Linear(1, 1)
        >>> nn.utils.vector_to_parameters(torch.tensor([2.0, 3.0]), layer.parameters())
        >>> layer.weight.item(), layer.bias.item()
        (2.0, 3.0)
    """
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
    """Returns the device's number (-1 for the CPU), which must be the same for all parameters."""
    on_accelerator = param.device.type in ("cuda", _C._get_privateuse1_backend_name())
    number = param.get_device() if on_accelerator else -1
    if old_param_device is not None and number != old_param_device:
        raise TypeError("Found two parameters on different devices, this is currently not supported.")
    return number
