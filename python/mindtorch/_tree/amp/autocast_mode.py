"""autocast: inside the block some operators run in a narrower dtype. The dispatcher does the casting."""

import functools
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from .. import _C
from .._root import torch

__all__ = ["autocast_decorator", "autocast", "is_autocast_available", "custom_fwd", "custom_bwd"]


def is_autocast_available(device_type: str) -> bool:
    """Returns whether autocast exists for a kind of device.

    Args:
        device_type (str): the kind, such as ``"cpu"``.

    Returns:
        bool: True for the CPU.

    Example:
        >>> torch.amp.is_autocast_available("cpu")
        True
    """
    return _C._is_autocast_available(device_type)


def autocast_decorator(autocast_instance, func):
    """Wraps a function so that it runs in an autocast region.

    Args:
        autocast_instance (autocast): the region.
        func (callable): the function.

    Returns:
        callable: the wrapped function.

    Example:
        >>> from torch.amp.autocast_mode import autocast_decorator
        >>> f = autocast_decorator(torch.autocast("cpu"), torch.mm)
        >>> f(torch.ones(1, 1), torch.ones(1, 1)).dtype
        torch.bfloat16
    """

    @functools.wraps(func)
    def decorate_autocast(*args, **kwargs):
        with autocast_instance:
            return func(*args, **kwargs)

    decorate_autocast.__script_unsupported = "@autocast() decorator is not supported in script mode"
    return decorate_autocast


def _require_device_name(device_type) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


class autocast:
    """Runs chosen operators in a narrower dtype inside a block or a decorated function.

    Matrix products and convolutions cast their float32 inputs to `dtype`; operators that need range
    or precision (losses, norms, exp, ...) run in float32; others take what they get, the wider of
    mixed inputs where they join several. Backward runs in the dtypes that forward chose; call it
    outside. Casts of leaves that need gradients are cached until the outermost region ends. Regions
    nest, and ``enabled=False`` switches casting off inside.

    Args:
        device_type (str): ``"cpu"``, or another kind of device.
        dtype (torch.dtype, optional): ``torch.bfloat16`` or ``torch.float16``. Default: the device's
            autocast dtype, bfloat16 on the CPU.
        enabled (bool): whether to cast. Default: ``True``.
        cache_enabled (bool, optional): whether casts are cached. Default: as set.

    Raises:
        RuntimeError: when the device has no autocast.
        ValueError: when `device_type` is no str.

    Example:
        >>> with torch.autocast("cpu"):
        ...     product = torch.ones(2, 2) @ torch.ones(2, 2)
        >>> product.dtype
        torch.bfloat16
    """

    def __init__(
        self,
        device_type: str,
        dtype: torch.dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ):
        _require_device_name(device_type)
        self.fast_dtype = _C.get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = _C.is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        self._enabled = enabled and self._is_supported()

    def _is_supported(self) -> bool:
        """Warns if the region can only run without casting."""
        if self.device == "cuda":
            from ..cuda.amp.common import amp_definitely_not_available

            if amp_definitely_not_available():
                warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=3)
                return False
            return True
        supported = [torch.bfloat16, torch.float16]
        if self.device == "npu":
            if not torch.npu.is_available():
                warnings.warn("NPU is not available or torch_xla is imported. Disabling autocast.", stacklevel=3)
                return False
            supported = torch.npu.get_amp_supported_dtype()
        if self.fast_dtype in supported:
            return True
        name = self.device.upper()
        warnings.warn(
            f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
            f"{name} Autocast only supports dtypes of {', '.join(map(str, supported))} currently.",
            stacklevel=3,
        )
        return False

    def __enter__(self):
        self.prev_cache_enabled = _C.is_autocast_cache_enabled()
        self.prev = _C.is_autocast_enabled(self.device)
        self.prev_fastdtype = _C.get_autocast_dtype(self.device)
        _C.set_autocast_enabled(self.device, self._enabled)
        _C.set_autocast_dtype(self.device, self.fast_dtype)
        _C.autocast_increment_nesting()
        _C.set_autocast_cache_enabled(self._cache_enabled)
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any):
        # Cached casts of parameters live as long as the outermost region.
        if _C.autocast_decrement_nesting() == 0:
            _C.clear_autocast_cache()
        _C.set_autocast_enabled(self.device, self.prev)
        _C.set_autocast_dtype(self.device, self.prev_fastdtype)
        _C.set_autocast_cache_enabled(self.prev_cache_enabled)
        return False

    def __call__(self, func):
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Did you mean to use autocast as "
                "a context manager? For example:\n    with torch.autocast(device_type=...):\n"
                "        output = model(input)"
            )
        return autocast_decorator(self, func)


class _UnmanagedAutocast(autocast):
    pass


def _enter_autocast(*vals):
    mode = _UnmanagedAutocast(*vals)
    mode.__enter__()
    return mode


def _exit_autocast(mode):
    mode.__exit__(None, None, None)


def _is_array(value) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def _cast(value, device_type: str, dtype):
    """Casts the floating-point tensors of a device at any depth, except float64."""
    if isinstance(value, torch.Tensor):
        eligible = value.is_floating_point() and value.device.type == device_type and value.dtype is not torch.float64
        return value.to(dtype) if eligible else value
    if isinstance(value, (str, bytes)) or _is_array(value):
        return value
    if isinstance(value, Mapping):
        return {_cast(key, device_type, dtype): _cast(item, device_type, dtype) for key, item in value.items()}
    if isinstance(value, Iterable):
        items = (_cast(item, device_type, dtype) for item in value)
        return type(value)(items) if isinstance(value, (list, tuple)) else items
    return value


def custom_fwd(fwd=None, *, device_type: str, cast_inputs: torch.dtype | None = None):
    """Decorates `forward` of a custom autograd Function for use under autocast.

    With `cast_inputs`, inside an autocast region floating-point inputs (not float64) are cast and
    forward runs without autocast; without it forward runs as is, and `custom_bwd` repeats its state.

    Args:
        fwd (callable, optional): the function; without one the result is a decorator.
        device_type (str): the kind of device.
        cast_inputs (torch.dtype, optional): dtype that inputs are cast to. Default: ``None``.

    Returns:
        callable: the wrapped function, or a decorator.

    Raises:
        ValueError: when `device_type` is no str.

    Example:
        >>> class Double(torch.autograd.Function):
        ...     @staticmethod
        ...     @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        ...     def forward(ctx, x):
        ...         return 2 * x
        >>> with torch.autocast("cpu"):
        ...     print(Double.apply(torch.ones(1, dtype=torch.bfloat16)).dtype)
        torch.float32
    """
    _require_device_name(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorate_fwd(*args, **kwargs):
        ctx = args[0]
        ctx._dtype = _C.get_autocast_dtype(device_type)
        in_autocast = _C.is_autocast_enabled(device_type)
        ctx._fwd_used_autocast = in_autocast and cast_inputs is None
        if cast_inputs is None or not in_autocast:
            return fwd(*args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorate_fwd


def custom_bwd(bwd=None, *, device_type: str):
    """Decorates `backward` of a custom autograd Function: runs it in the autocast state that forward saw.

    Args:
        bwd (callable, optional): the function; without one the result is a decorator.
        device_type (str): the kind of device.

    Returns:
        callable: the wrapped function, or a decorator.

    Raises:
        ValueError: when `device_type` is no str.

    Example:
        >>> class Double(torch.autograd.Function):
        ...     @staticmethod
        ...     @torch.amp.custom_fwd(device_type="cpu")
        ...     def forward(ctx, x):
        ...         return 2 * x
        ...     @staticmethod
        ...     @torch.amp.custom_bwd(device_type="cpu")
        ...     def backward(ctx, grad):
        ...         return 2 * grad
        >>> x = torch.ones(1, requires_grad=True)
        >>> Double.apply(x).backward()
        >>> x.grad
        tensor([2.])
    """
    _require_device_name(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorate_bwd(*args, **kwargs):
        ctx = args[0]
        with autocast(device_type=device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(*args, **kwargs)

    return decorate_bwd
