"""Exchanges tensors with other libraries through DLPack."""

from __future__ import annotations

import enum
from typing import Any

from .. import _C
from .._root import torch

__all__ = ["DLDeviceType", "from_dlpack"]


class DLDeviceType(enum.IntEnum):
    """Device types, with DLPack's numbers."""

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
    """Returns a DLPack capsule of a tensor; memory is shared.

    Args:
        tensor (Tensor): the tensor.

    Returns:
        capsule: for one use by `from_dlpack` of any library.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> torch.from_dlpack(torch.utils.dlpack.to_dlpack(x))
        tensor([1., 2.])
    """
    return _C._to_dlpack(tensor)


def _dl_device(device) -> tuple[int, int]:
    if isinstance(device, str):
        device = torch.device(device)
    if not isinstance(device, torch.device):
        raise AssertionError(f"from_dlpack: unsupported device type: {type(device)}")
    return _C._torchDeviceToDLDevice(device)


def from_dlpack(
    ext_tensor: Any, *, device: torch.device | str | int | None = None, copy: bool | None = None
) -> "torch.Tensor":
    """Returns a tensor over the memory of another library's array.

    Args:
        ext_tensor (object or capsule): has ``__dlpack__`` and ``__dlpack_device__``, or is a DLPack
            capsule, which can be used once.
        device (torch.device, str or int, optional): where the result has to be; not for capsules.
        copy (bool, optional): True forces a copy, False forbids one; not for capsules.

    Returns:
        Tensor: shares the memory, unless it was copied.

    Raises:
        BufferError: when the array cannot be exported as requested.
        AssertionError: for options together with a capsule.

    Example:
        >>> import numpy
        >>> array = numpy.array([1.0, 2.0])
        >>> x = torch.from_dlpack(array)
        >>> array[0] = 5.0
        >>> x
        tensor([5., 2.], dtype=torch.float64)
    """
    if not hasattr(ext_tensor, "__dlpack__"):
        if device is not None or copy is not None:
            raise AssertionError("device and copy kwargs not supported when ext_tensor is already a DLPack capsule.")
        return _C._from_dlpack(ext_tensor)
    options: dict[str, Any] = {"max_version": (1, 0)}
    if copy is not None:
        options["copy"] = copy
    if device is not None:
        options["dl_device"] = _dl_device(device)
    kind, index = ext_tensor.__dlpack_device__()
    if kind in (DLDeviceType.kDLCUDA, DLDeviceType.kDLROCM):
        # CUDA's default stream is 1 in DLPack and 0 here.
        stream = torch.cuda.current_stream(f"cuda:{index}").cuda_stream
        options["stream"] = 1 if kind == DLDeviceType.kDLCUDA and stream == 0 else stream
    try:
        capsule = ext_tensor.__dlpack__(**options)
    except TypeError:
        # Producers older than DLPack 1.0 do not accept `max_version`.
        options.pop("max_version")
        capsule = ext_tensor.__dlpack__(**options)
    return _C._from_dlpack(capsule)
