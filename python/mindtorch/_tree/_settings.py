"""torch's process-wide settings: default dtype and device, determinism, precision, warnings."""

from __future__ import annotations

import functools
import sys
import threading
import warnings

from . import _C

torch = sys.modules[__package__]

_GLOBAL_DEVICE_CONTEXT = threading.local()


def get_default_device() -> torch.device:
    """Returns the device that factory functions use where none is given.

    Returns:
        torch.device: that of the innermost ``with torch.device(...)`` block, else the one set, else
            the CPU.

    Example:
        >>> torch.get_default_device()
        device(type='cpu')
    """
    from .overrides import _get_current_function_mode_stack
    from .utils._device import DeviceContext

    modes = [mode for mode in _get_current_function_mode_stack() if isinstance(mode, DeviceContext)]
    context = modes[-1] if modes else getattr(_GLOBAL_DEVICE_CONTEXT, "device_context", None)
    if context is None:
        return torch.device("cpu")
    return context.device if context.device.index is not None else torch.tensor([]).device


def set_default_device(device: torch.types.Device) -> None:
    """Makes factory functions without `device` allocate on a device, in this thread.

    Functions that get data from elsewhere keep theirs. The setting costs a little on every call;
    ``with torch.device(...)`` does the same for a block.

    Args:
        device (torch.device, str, int or None): the device; None takes the setting back.

    Example:
        >>> torch.set_default_device("meta")
        >>> torch.empty(2).device
        device(type='meta')
        >>> torch.set_default_device(None)
    """
    previous = getattr(_GLOBAL_DEVICE_CONTEXT, "device_context", None)
    if previous is not None:
        previous.__exit__(None, None, None)
    context = None
    if device is not None:
        from .utils._device import DeviceContext

        context = DeviceContext(device)
        context.__enter__()
    _GLOBAL_DEVICE_CONTEXT.device_context = context


@functools.cache
def _warn_of_tensor_types():
    warnings.warn(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives.",
        stacklevel=3,
    )


def set_default_tensor_type(t: type[torch.Tensor] | str, /) -> None:
    """Sets default dtype and device from a tensor type; deprecated, see `set_default_dtype`.

    Args:
        t (type or str): such as ``torch.DoubleTensor``, or its name.

    Raises:
        TypeError: when the type is not a floating-point tensor type.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     torch.set_default_tensor_type(torch.FloatTensor)
    """
    _warn_of_tensor_types()
    if isinstance(t, str):
        t = torch._utils._import_dotted_name(t)
    _C._set_default_tensor_type(t)


def set_default_dtype(d: torch.dtype, /) -> None:
    """Sets the dtype of factory functions and of Python floats in tensors; complex ones follow it.

    Args:
        d (torch.dtype): a floating-point dtype; float32 at first.

    Raises:
        TypeError: when the dtype is not floating-point.

    Example:
        >>> torch.set_default_dtype(torch.float64)
        >>> torch.tensor([1.0]).dtype
        torch.float64
        >>> torch.set_default_dtype(torch.float32)
    """
    _C._set_default_dtype(d)


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Makes operations without a deterministic algorithm raise, or warn, where one would be needed.

    Operations that have both kinds use the deterministic one. Fresh memory of `torch.empty` is filled
    with NaN or the largest integer while it is on (`torch.utils.deterministic`).

    Args:
        mode (bool): whether results have to be deterministic.
        warn_only (bool): warns instead of raising. Default: ``False``.

    Example:
        >>> torch.use_deterministic_algorithms(True)
        >>> torch.are_deterministic_algorithms_enabled()
        True
        >>> torch.use_deterministic_algorithms(False)
    """
    _C._set_deterministic_algorithms(mode, warn_only=warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Returns whether deterministic algorithms are demanded (`use_deterministic_algorithms`).

    Returns:
        bool: the setting.

    Example:
        >>> torch.are_deterministic_algorithms_enabled()
        False
    """
    return _C._get_deterministic_algorithms()


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Returns whether `use_deterministic_algorithms` only warns.

    Returns:
        bool: the setting.

    Example:
        >>> torch.is_deterministic_algorithms_warn_only_enabled()
        False
    """
    return _C._get_deterministic_algorithms_warn_only()


_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Sets `use_deterministic_algorithms` by a level.

    Args:
        debug_mode (int or str): 0 or ``"default"`` for off, 1 or ``"warn"``, 2 or ``"error"``.

    Raises:
        TypeError: when it is neither int nor str.
        RuntimeError: when the level is unknown.

    Example:
        >>> torch.set_deterministic_debug_mode("warn")
        >>> torch.get_deterministic_debug_mode()
        1
        >>> torch.set_deterministic_debug_mode("default")
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _DEBUG_MODES:
            raise RuntimeError(
                f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
            )
        debug_mode = _DEBUG_MODES[debug_mode]
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    _C._set_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode() -> int:
    """Returns the level of `set_deterministic_debug_mode`.

    Returns:
        int: 0 for off, 1 for warnings, 2 for errors.

    Example:
        >>> torch.get_deterministic_debug_mode()
        0
    """
    if not _C._get_deterministic_algorithms():
        return 0
    return 1 if _C._get_deterministic_algorithms_warn_only() else 2


def get_float32_matmul_precision() -> str:
    """Returns the internal precision of float32 matrix products.

    Returns:
        str: ``"highest"``, ``"high"`` or ``"medium"``.

    Example:
        >>> torch.get_float32_matmul_precision()
        'highest'
    """
    return _C._get_float32_matmul_precision()


def set_float32_matmul_precision(precision: str) -> None:
    """Allows float32 matrix products to be computed less precisely inside, where a device is faster so.

    Args:
        precision (str): ``"highest"`` for float32, ``"high"`` for about 16 bits of significand,
            ``"medium"`` for bfloat16.

    Example:
        >>> torch.set_float32_matmul_precision("highest")
        >>> torch.get_float32_matmul_precision()
        'highest'
    """
    _C._set_float32_matmul_precision(precision)


def set_warn_always(b: bool, /) -> None:
    """Makes warnings that are given once per process be given every time.

    Args:
        b (bool): whether to repeat them.

    Example:
        >>> torch.set_warn_always(False)
    """
    _C._set_warnAlways(b)


def is_warn_always_enabled() -> bool:
    """Returns whether warnings are repeated (`set_warn_always`).

    Returns:
        bool: the setting.

    Example:
        >>> torch.is_warn_always_enabled()
        False
    """
    return _C._get_warnAlways()


@functools.cache
def get_device_module(device=None):
    """Returns the module of a kind of device, such as `torch.cpu` for ``"cpu"``.

    Args:
        device (torch.device or str, optional): the device. Default: the accelerator, or the CPU.

    Returns:
        module: the module.

    Raises:
        RuntimeError: when the device has no module, or is given by something else.

    Example:
        >>> torch.get_device_module("cpu").__name__
        'torch.cpu'
    """
    if isinstance(device, torch.device):
        name = device.type
    elif isinstance(device, str):
        name = torch.device(device).type
    elif device is None:
        name = torch._C._get_accelerator().type
    else:
        raise RuntimeError(f"Invalid value of device '{device}', expect torch.device, str, or None")
    module = getattr(torch, name, None)
    if module is None:
        raise RuntimeError(f"Device '{name}' does not have a corresponding module registered as 'torch.{name}'.")
    return module


def _register_device_module(device_type, module):
    """Makes `module` torch.<device_type>."""
    device_type = torch.device(device_type).type
    if hasattr(torch, device_type):
        raise RuntimeError(
            f"The runtime module of '{device_type}' has already been registered with '{getattr(torch, device_type)}'"
        )
    setattr(torch, device_type, module)
    sys.modules[f"{torch.__name__}.{device_type}"] = module
