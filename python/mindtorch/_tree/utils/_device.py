"""`with torch.device(...)` and set_default_device: a function mode that fills in the device of factories."""

from __future__ import annotations

import functools

from .. import _C
from .._C import _len_torch_function_stack
from .._root import torch
from ..overrides import TorchFunctionMode, _pop_mode, _push_mode
from ._contextlib import context_decorator

CURRENT_DEVICE = None

# Take data of any kind, so no schema says that they are factories.
_FROM_DATA = ("tensor", "as_tensor", "asarray", "sparse_coo_tensor", "sparse_compressed_tensor", "sparse_csr_tensor")


@functools.lru_cache(1)
def _device_constructors():
    """Every function that makes a tensor from no tensor, as the operators' schemas say."""
    names = (*_C._mt_factory_names(), *_FROM_DATA)
    found = {getattr(torch, name) for name in names if hasattr(torch, name)}
    found.update(getattr(torch.fft, name) for name in ("fftfreq", "rfftfreq") if hasattr(torch.fft, name))
    return found


class DeviceContext(TorchFunctionMode):
    """At most one is on the stack, at its bottom; it remembers the one that it replaced."""

    def __init__(self, device) -> None:
        self.device = torch.device(device)
        self.prev_mode = None

    def __enter__(self):
        global CURRENT_DEVICE
        self.old_device = CURRENT_DEVICE
        CURRENT_DEVICE = self.device
        above = [_pop_mode() for _ in range(_len_torch_function_stack())]
        _push_mode(self)
        for mode in reversed(above):
            if isinstance(mode, DeviceContext):
                self.prev_mode = mode
            else:
                _push_mode(mode)

    def __exit__(self, exc_type, exc_val, exc_tb):
        global CURRENT_DEVICE
        CURRENT_DEVICE = self.old_device
        above = []
        while _len_torch_function_stack() > 1:
            mode = _pop_mode()
            if isinstance(mode, DeviceContext):
                raise AssertionError("Found nested DeviceContext on the mode stack where none expected")
            above.append(mode)
        if _len_torch_function_stack() > 0 and not isinstance(_pop_mode(), DeviceContext):
            raise AssertionError("Expected a DeviceContext at the bottom of the mode stack")
        if self.prev_mode is not None:
            _push_mode(self.prev_mode)
        for mode in reversed(above):
            _push_mode(mode)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if kwargs.get("device") is None and func in _device_constructors():
            kwargs["device"] = self.device
        return func(*args, **kwargs)


def device_decorator(device, func):
    return context_decorator(lambda: device, func)


def set_device(device: torch.device | str | int | None) -> None:
    """Decorates a function so that it runs with `device` as the default."""
    return lambda func: device_decorator(torch.device(device), func)
