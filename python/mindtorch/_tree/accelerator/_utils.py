"""Shared by torch.accelerator's functions: the accelerator's own module, and device indices."""

from .. import _C
from .._root import torch


def require_accelerator_module():
    """Returns the accelerator's module; raises torch's error if there is none."""
    if _C._npu_getDeviceCount() == 0:
        raise RuntimeError("Cannot access accelerator device when none is available.")
    return torch.npu


def _index_of(device):
    """Returns the index of a device; None if it has none, or is not a device."""
    if not isinstance(device, torch.device):
        return None
    accelerator = torch.accelerator.current_accelerator()
    if accelerator is None:
        raise RuntimeError("Accelerator expected")
    if accelerator.type != device.type:
        raise ValueError(f"{device.type} doesn't match the current accelerator {accelerator}.")
    return device.index


def _get_device_index(device, optional: bool = False) -> int:
    """Returns the index of a device; None means the current one if `optional`."""
    if isinstance(device, int):
        return device
    device = torch.device(device) if isinstance(device, str) else device
    index = _index_of(device)
    if index is None and optional:
        index = torch.accelerator.current_device_index()
    if index is None:
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
    return index
