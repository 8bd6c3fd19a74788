"""The current NPU, and properties of each one."""

from __future__ import annotations

import os
import warnings
from typing import Any, NoReturn

from .._root import torch
from ._backend import backend, has_device
from ._start import _lazy_init, device_count


class NpuError(RuntimeError):
    """Raised for a code of the device's runtime that is not success.

    Args:
        code (int): the code.
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"NPU error {code} ({code})")


class npuStatus:
    """Codes of the device's runtime."""

    SUCCESS: int = 0
    ERROR_NOT_READY: int = 107020  # ACL's "event not complete"


def check_error(res: int) -> None:
    """Raises NpuError for a code of the device's runtime that is not success.

    Args:
        res (int): the code.
    """
    _lazy_init()
    if res != npuStatus.SUCCESS:
        raise NpuError(res)


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """Returns the index of a device; None means the current one if `optional`, and the CPU is -1 if allowed."""
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


def _check_visible_index(device) -> int:
    index = _get_device_index(device, optional=True)
    if index < 0 or index >= device_count():
        raise AssertionError("Invalid device id")
    return index


def current_device() -> int:
    """Returns the index of the NPU that is current in this thread.

    Returns:
        int: the index, 0 at the start of a thread.

    Raises:
        AssertionError: when there is no device.
    """
    _lazy_init()
    return backend._npu_getDevice()


def set_device(device) -> None:
    """Makes a device current for this thread; `device` and StreamContext do so for a block.

    Args:
        device (torch.device, str or int): the device; negative indices change nothing.

    Raises:
        AttributeError: when there is no device.
    """
    index = _get_device_index(device, optional=True)
    if index >= 0:
        backend._npu_setDevice(index)


def _exchange_device(device: int) -> int:
    """Makes a device current and returns the previous one; -1 if none was requested."""
    if not has_device():
        raise RuntimeError("PyTorch was compiled without NPU support")
    return backend._npu_exchangeDevice(device)


_maybe_exchange_device = _exchange_device


class device:
    """Makes a device current for a block, and the former one at its end.

    Args:
        device (torch.device, str or int): the device; None and negative indices leave the current one.
    """

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


_Selected = device  # under a name that no parameter hides


class device_of(device):
    """Makes the device of a tensor or storage current for a block.

    Args:
        obj (Tensor or Storage): the object; one that is on no NPU changes nothing.
    """

    def __init__(self, obj):
        super().__init__(obj.get_device() if obj.device.type == "npu" else -1)


class _NPUDeviceProperties:
    """The properties of a device: name, memory in bytes, cores."""

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
    """Returns what a device is.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        an object with `name`, `total_memory` and `L2_cache_size` (bytes), `cube_core_num` and
        `vector_core_num`.

    Raises:
        AssertionError: when there is no such device.
    """
    _lazy_init()
    return _NPUDeviceProperties(**backend._npu_getDeviceProperties(_check_visible_index(device)))


def get_device_name(device=None) -> str:
    """Returns the name of a device's chip.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        str: the name, as "Ascend910B".
    """
    return get_device_properties(device).name


def get_device_capability(device=None):
    """Returns the (major, minor) that the variable TORCH_NPU_DEVICE_CAPABILITY has.

    NPUs have no such number. Without the variable, or with a malformed one, it warns and returns None.

    Args:
        device (torch.device, str or int, optional): not looked at.

    Returns:
        tuple[int, int] or None: the numbers of "major.minor".
    """
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
    """Returns the chips that this build has kernels for: none, since the vendor's library has them.

    Returns:
        list[str]: empty.
    """
    return []


def get_gencode_flags() -> str:
    """Returns a compiler's options for get_arch_list: none.

    Returns:
        str: "".
    """
    return ""


def can_device_access_peer(device, peer_device) -> bool:
    """Tells whether a device can read the memory of another.

    Args:
        device (torch.device, str or int): the reading device.
        peer_device (torch.device, str or int): the other one.

    Returns:
        bool: whether it can.

    Raises:
        AssertionError: when an index is not that of a device.
    """
    _lazy_init()
    index = _check_visible_index(device)
    peer = _get_device_index(peer_device)
    if peer < 0 or peer >= device_count():
        raise AssertionError("Invalid peer device id")
    return backend._npu_canDeviceAccessPeer(index, peer)


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Tells whether the device computes with bfloat16, as every NPU does.

    Args:
        including_emulation (bool): not looked at. Default: ``True``.

    Returns:
        bool: whether there is a device.
    """
    return has_device()


def is_tf32_supported() -> bool:
    """Tells whether the device has TF32: NPUs do not.

    Returns:
        bool: False.
    """
    return False


def synchronize(device=None) -> None:
    """Waits until all work of all streams of a device is done.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Raises:
        RuntimeError: when work on the device failed.
    """
    _lazy_init()
    with _Selected(device):
        backend._npu_synchronize()


def _raise_interface_unavailable(what: str):
    _lazy_init()
    raise NotImplementedError(f"torch.npu.{what} is not supported: the device's interface has no such call")


def npurt() -> NoReturn:
    """Would return the vendor's runtime as a module: raises NotImplementedError, as this build has none."""
    _raise_interface_unavailable("npurt()")


def current_blas_handle() -> NoReturn:
    """Would return a handle of the device's BLAS: raises NotImplementedError, as NPUs have none."""
    _raise_interface_unavailable("current_blas_handle()")


def current_solver_handle() -> NoReturn:
    """Would return a handle of the device's solver: raises NotImplementedError, as NPUs have none."""
    _raise_interface_unavailable("current_solver_handle()")


def ipc_collect() -> None:
    """Frees memory that other processes shared: does nothing here."""
    _lazy_init()


def _make_missing_property(name: str, what: str):
    """Makes a function for a property that the device's interface does not provide."""

    def read_property(device=None) -> int:
        if not has_device():
            raise ModuleNotFoundError("nvidia-ml-py does not seem to be installed or it can't be imported.")
        raise NotImplementedError(f"torch.npu.{name} is not supported: npu-smi has this figure")

    read_property.__name__ = read_property.__qualname__ = name
    read_property.__doc__ = f"""Would return {what}: raises, since the device's interface has no such call.

Args:
    device (torch.device, str or int, optional): not looked at.

Returns:
    int: nothing, since it always raises.

Raises:
    ModuleNotFoundError: when there is no device.
    NotImplementedError: when there is one; npu-smi shows the figure.
"""
    return read_property


clock_rate = _make_missing_property("clock_rate", "the clock rate in Hz")
device_memory_used = _make_missing_property("device_memory_used", "the bytes in use on a device by all processes")
memory_usage = _make_missing_property("memory_usage", "the percentage of time in which memory was accessed")
power_draw = _make_missing_property("power_draw", "the power in mW")
temperature = _make_missing_property("temperature", "the temperature in degrees Celsius")
utilization = _make_missing_property("utilization", "the percentage of time in which the device worked")

_SYNC_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Says what a hidden wait for the device does; only nothing is supported.

    Args:
        debug_mode (int or str): 0 or "default"; 1 ("warn") and 2 ("error") raise NotImplementedError.

    Raises:
        RuntimeError: when the name is none of these.
    """
    _lazy_init()
    if isinstance(debug_mode, str):
        if debug_mode not in _SYNC_DEBUG_MODES:
            raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, `error`")
        debug_mode = _SYNC_DEBUG_MODES[debug_mode]
    if debug_mode != 0:
        raise NotImplementedError("torch.npu.set_sync_debug_mode: only the mode 'default' is supported")


def get_sync_debug_mode() -> int:
    """Returns the mode of set_sync_debug_mode.

    Returns:
        int: 0, "default".
    """
    _lazy_init()
    return 0
