"""torch's process-wide settings: default dtype and device, determinism, precision, warnings."""

import functools
import sys
import threading
import warnings

from . import _C

torch = sys.modules[__package__]

_GLOBAL_DEVICE_CONTEXT = threading.local()


def get_default_device():
    """The device that factories use: the innermost `with torch.device(...)`, else the one set, else the CPU."""
    from .overrides import _get_current_function_mode_stack
    from .utils._device import DeviceContext

    modes = [mode for mode in _get_current_function_mode_stack() if isinstance(mode, DeviceContext)]
    context = modes[-1] if modes else getattr(_GLOBAL_DEVICE_CONTEXT, "device_context", None)
    if context is None:
        return torch.device("cpu")
    return context.device if context.device.index is not None else torch.tensor([]).device


def set_default_device(device):
    """Makes factories without `device=` allocate on `device`; None takes it back."""
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


def set_default_tensor_type(t, /):
    """Sets default dtype and device from a tensor type such as torch.DoubleTensor, or its name (deprecated)."""
    _warn_of_tensor_types()
    if isinstance(t, str):
        t = torch._utils._import_dotted_name(t)
    _C._set_default_tensor_type(t)


def set_default_dtype(d, /):
    """Sets the floating point dtype of factories and of Python numbers in them."""
    _C._set_default_dtype(d)


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Makes operations without a deterministic algorithm raise, or warn."""
    _C._set_deterministic_algorithms(mode, warn_only=warn_only)


def are_deterministic_algorithms_enabled():
    """Whether use_deterministic_algorithms(True) is in force."""
    return _C._get_deterministic_algorithms()


def is_deterministic_algorithms_warn_only_enabled():
    """Whether use_deterministic_algorithms only warns."""
    return _C._get_deterministic_algorithms_warn_only()


_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


def set_deterministic_debug_mode(debug_mode):
    """use_deterministic_algorithms by level: 0 "default", 1 "warn", 2 "error"."""
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _DEBUG_MODES:
            raise RuntimeError(
                "invalid value of debug_mode, expected one of `default`, "
                f"`warn`, `error`, but got {debug_mode}"
            )
        debug_mode = _DEBUG_MODES[debug_mode]
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    _C._set_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode():
    """The level of set_deterministic_debug_mode."""
    if not _C._get_deterministic_algorithms():
        return 0
    return 1 if _C._get_deterministic_algorithms_warn_only() else 2


def get_float32_matmul_precision():
    """The internal precision of float32 products: "highest", "high" or "medium"."""
    return _C._get_float32_matmul_precision()


def set_float32_matmul_precision(precision):
    """Allows float32 products to be computed less precisely."""
    _C._set_float32_matmul_precision(precision)


def set_warn_always(b, /):
    """Makes warnings that are given once per process be given every time."""
    _C._set_warnAlways(b)


def is_warn_always_enabled():
    """Whether set_warn_always(True) is in force."""
    return _C._get_warnAlways()


@functools.cache
def get_device_module(device=None):
    """The module of a device type, as torch.cuda for "cuda"; without an argument the accelerator's, or torch.cpu."""
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
            f"The runtime module of '{device_type}' has already "
            f"been registered with '{getattr(torch, device_type)}'"
        )
    setattr(torch, device_type, module)
    sys.modules[f"{torch.__name__}.{device_type}"] = module
