"""Exchanges tensors with other libraries through DLPack."""

import enum
from typing import Any

from .. import _C
from .._root import torch

__all__ = ["DLDeviceType", "from_dlpack"]


class DLDeviceType(enum.IntEnum):
    """Device kinds, as DLPack numbers them."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17
    kDLTrn = 18


def to_dlpack(tensor):
    """A capsule that any DLPack consumer can take, once."""
    return _C._to_dlpack(tensor)


def _dl_device(device) -> tuple[int, int]:
    if isinstance(device, str):
        device = torch.device(device)
    if not isinstance(device, torch.device):
        raise AssertionError(f"from_dlpack: unsupported device type: {type(device)}")
    return _C._torchDeviceToDLDevice(device)


def from_dlpack(ext_tensor: Any, *, device=None, copy: bool | None = None) -> "torch.Tensor":
    """A tensor over another library's memory; `ext_tensor` is such an array, or a capsule."""
    if not hasattr(ext_tensor, "__dlpack__"):
        if device is not None or copy is not None:
            raise AssertionError(
                "device and copy kwargs not supported when ext_tensor is already a DLPack capsule."
            )
        return _C._from_dlpack(ext_tensor)
    options: dict[str, Any] = {"max_version": (1, 0)}
    if copy is not None:
        options["copy"] = copy
    if device is not None:
        options["dl_device"] = _dl_device(device)
    kind, index = ext_tensor.__dlpack_device__()
    if kind in (DLDeviceType.kDLCUDA, DLDeviceType.kDLROCM):
        # The default stream has a different number in CUDA's DLPack than in ours.
        stream = torch.cuda.current_stream(f"cuda:{index}").cuda_stream
        options["stream"] = 1 if kind == DLDeviceType.kDLCUDA and stream == 0 else stream
    try:
        capsule = ext_tensor.__dlpack__(**options)
    except TypeError:
        # A producer from before DLPack 1.0 knows none of these.
        options.pop("max_version")
        capsule = ext_tensor.__dlpack__(**options)
    return _C._from_dlpack(capsule)
