"""Which NPU is current, and what each one is."""

import os
import warnings
from typing import Any

from .._root import torch
from ._backend import backend, has_device
from ._start import _lazy_init, device_count


class NpuError(RuntimeError):
    """A code of the device's runtime that is not success."""

    def __init__(self, code: int) -> None:
        super().__init__(f"NPU error {code} ({code})")


class npuStatus:
    """Codes of the device's runtime."""

    SUCCESS: int = 0
    ERROR_NOT_READY: int = 107020  # ACL's "event not complete"


def check_error(res: int) -> None:
    """Raises NpuError for a code that is not success."""
    _lazy_init()
    if res != npuStatus.SUCCESS:
        raise NpuError(res)


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The index that a device stands for; None is the current one where `optional`, and the CPU is -1 where allowed."""
    if isinstance(device, int):
        return device
    if isinstance(device, _Selected):
        return device.idx
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if allow_cpu:
            if device.type not in ("npu", "cpu"):
                raise ValueError(f"Expected a npu or cpu device, but got: {device}")
            if device.type == "cpu":
                return -1
        elif device.type != "npu":
            raise ValueError(f"Expected a npu device, but got: {device}")
        if device.index is not None:
            return device.index
    if not optional:
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
    return current_device()


def _visible_index(device) -> int:
    index = _get_device_index(device, optional=True)
    if index < 0 or index >= device_count():
        raise AssertionError("Invalid device id")
    return index


def current_device() -> int:
    """The index of this thread's NPU."""
    _lazy_init()
    return backend._npu_getDevice()


def set_device(device) -> None:
    """Makes a device this thread's; negative indices change nothing."""
    index = _get_device_index(device, optional=True)
    if index >= 0:
        backend._npu_setDevice(index)


def _exchange_device(device: int) -> int:
    """Makes a device current and gives the previous one; -1 where nothing was asked for."""
    if not has_device():
        raise RuntimeError("PyTorch was compiled without NPU support")
    return backend._npu_exchangeDevice(device)


_maybe_exchange_device = _exchange_device


class device:
    """Makes a device current for a block; None and negative indices leave the current one."""

    def __init__(self, device: Any):
        self.idx = -1 if device is None else _get_device_index(device, optional=True)
        self.prev_idx = -1

    def __enter__(self):
        if self.idx >= 0:
            self.prev_idx = _exchange_device(self.idx)

    def __exit__(self, type: Any, value: Any, traceback: Any):
        if self.idx >= 0:
            self.idx = _maybe_exchange_device(self.prev_idx)
        return False


_Selected = device  # by a name that no parameter hides


class device_of(device):
    """Makes the device of a tensor or storage current; nothing for those elsewhere."""

    def __init__(self, obj):
        super().__init__(obj.get_device() if obj.device.type == "npu" else -1)


class _NPUDeviceProperties:
    """What a device is: name, memory in bytes, cores."""

    def __init__(self, **figures):
        vars(self).update(figures)

    def __setattr__(self, name, value):
        raise AttributeError(f"can't set attribute '{name}'")

    def __repr__(self) -> str:
        mib = 1024 * 1024
        return (
            f"_NPUDeviceProperties(name='{self.name}', total_memory={self.total_memory // mib}MB, "
            f"cube_core_num={self.cube_core_num}, vector_core_num={self.vector_core_num}, "
            f"L2_cache_size={self.L2_cache_size // mib}MB)"
        )


def get_device_properties(device=None) -> _NPUDeviceProperties:
    """What a device is."""
    _lazy_init()
    return _NPUDeviceProperties(**backend._npu_getDeviceProperties(_visible_index(device)))


def get_device_name(device=None) -> str:
    """The name of a device's chip."""
    return get_device_properties(device).name


def get_device_capability(device=None):
    """The (major, minor) that TORCH_NPU_DEVICE_CAPABILITY sets, else None: NPUs have no such number."""
    _lazy_init()
    text = os.environ.get("TORCH_NPU_DEVICE_CAPABILITY")
    if not text:
        warnings.warn(
            "NPUs have no compute capability: set TORCH_NPU_DEVICE_CAPABILITY (as '8.0') if a program asks for one.",
            stacklevel=2,
        )
        return None
    major, _, minor = text.partition(".")
    if not (major.isdecimal() and minor.isdecimal()):
        warnings.warn(f"TORCH_NPU_DEVICE_CAPABILITY should be 'major.minor', not {text!r}.", stacklevel=2)
        return None
    return int(major), int(minor)


def get_arch_list() -> list[str]:
    """The chips that this build has kernels for: none of its own, the vendor's library has them."""
    return []


def get_gencode_flags() -> str:
    """What a compiler would be told of get_arch_list: nothing."""
    return ""


def can_device_access_peer(device, peer_device) -> bool:
    """Whether a device can read another's memory."""
    _lazy_init()
    index = _visible_index(device)
    peer = _get_device_index(peer_device)
    if peer < 0 or peer >= device_count():
        raise AssertionError("Invalid peer device id")
    return backend._npu_canDeviceAccessPeer(index, peer)


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether bfloat16 can be computed with."""
    return has_device()


def is_tf32_supported() -> bool:
    """NPUs have no TF32."""
    return False


def synchronize(device=None) -> None:
    """Waits for all work of a device."""
    _lazy_init()
    with _Selected(device):
        backend._npu_synchronize()


def _refuse_without_interface(what: str):
    _lazy_init()
    raise NotImplementedError(f"torch.npu.{what} is not supported: the device's interface has no such call")


def npurt():
    """Bindings of the vendor's runtime as a module, which this build does not have."""
    _refuse_without_interface("npurt()")


def current_blas_handle():
    """Products on NPUs have no handle."""
    _refuse_without_interface("current_blas_handle()")


def current_solver_handle():
    """Solvers on NPUs have no handle."""
    _refuse_without_interface("current_solver_handle()")


def ipc_collect() -> None:
    """Frees memory that other processes shared: there is none, since device memory cannot be shared here."""
    _lazy_init()


def _figure_of(name: str):
    """A function that asks for a figure of the device which its interface does not give."""

    def figure(device=None) -> int:
        """Raises: npu-smi has this figure."""
        if not has_device():
            raise ModuleNotFoundError("nvidia-ml-py does not seem to be installed or it can't be imported.")
        raise NotImplementedError(f"torch.npu.{name} is not supported: npu-smi has this figure")

    figure.__name__ = figure.__qualname__ = name
    return figure


clock_rate = _figure_of("clock_rate")
device_memory_used = _figure_of("device_memory_used")
memory_usage = _figure_of("memory_usage")
power_draw = _figure_of("power_draw")
temperature = _figure_of("temperature")
utilization = _figure_of("utilization")

_SYNC_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """What a hidden wait for the device does; only "default", nothing, is supported."""
    _lazy_init()
    if isinstance(debug_mode, str):
        if debug_mode not in _SYNC_DEBUG_MODES:
            raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, `error`")
        debug_mode = _SYNC_DEBUG_MODES[debug_mode]
    if debug_mode != 0:
        raise NotImplementedError("torch.npu.set_sync_debug_mode: only the mode 'default' is supported")


def get_sync_debug_mode() -> int:
    """The mode of set_sync_debug_mode: 0, "default"."""
    _lazy_init()
    return 0
