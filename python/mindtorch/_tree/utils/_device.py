"""`with torch.device(...)` and set_default_device: a function mode that fills in the device of factories."""

from __future__ import annotations

import functools

from .. import _C
from .._C import _len_torch_function_stack
from .._root import torch
from ..overrides import TorchFunctionMode, _pop_mode, _push_mode
from ._contextlib import context_decorator

CURRENT_DEVICE = None

# Factories that take data of any type, so that their schemas do not identify them.
_FROM_DATA = ("tensor", "as_tensor", "asarray", "sparse_coo_tensor", "sparse_compressed_tensor", "sparse_csr_tensor")


@functools.lru_cache(1)
def _device_constructors():
    """Returns every function that creates a tensor without a tensor argument, according to the operators' schemas."""
    names = (*_C._mt_factory_names(), *_FROM_DATA)
    found = {getattr(torch, name) for name in names if hasattr(torch, name)}
    found.update(getattr(torch.fft, name) for name in ("fftfreq", "rfftfreq") if hasattr(torch.fft, name))
    return found


def _pop_all_device_modes() -> list:
    """Empties the stack of function modes; returns them from the bottom up."""
    return [_pop_mode() for _ in range(_len_torch_function_stack())][::-1]


def _push_device_modes(modes) -> None:
    for mode in modes:
        _push_mode(mode)


class DeviceContext(TorchFunctionMode):
    """At most one is on the stack, at its bottom; it remembers the one that it replaced."""

    def __init__(self, device) -> None:
        self.device = torch.device(device)
        self.prev_mode = None

    def __enter__(self):
        global CURRENT_DEVICE
        self.old_device, CURRENT_DEVICE = CURRENT_DEVICE, self.device
        others = []
        for mode in _pop_all_device_modes():
            if isinstance(mode, DeviceContext):
                self.prev_mode = mode
            else:
                others.append(mode)
        _push_device_modes([self, *others])

    def __exit__(self, exc_type, exc_val, exc_tb):
        global CURRENT_DEVICE
        CURRENT_DEVICE = self.old_device
        modes = _pop_all_device_modes()
        is_ours = [isinstance(mode, DeviceContext) for mode in modes]
        if any(is_ours[1:]):
            raise AssertionError("Found nested DeviceContext on the mode stack where none expected")
        if not all(is_ours[:1]):
            raise AssertionError("Expected a DeviceContext at the bottom of the mode stack")
        restored = [] if self.prev_mode is None else [self.prev_mode]
        _push_device_modes(restored + modes[1:])

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
