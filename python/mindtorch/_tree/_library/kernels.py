"""Registered kernels, by operator and key, and kernel objects that bypass the dispatcher."""

from .. import _C
from .. import _dispatch_keys as dispatch_keys
from .._root import torch

# {(operator's name, number of a slot, or a key's name if no tensor can have it): kernels, the oldest first}
_KERNELS: dict = {}


class Kernel:
    """A function registered for a key; `place` is the source location of its library."""

    __slots__ = ("alive", "function", "key", "place", "with_keys")

    def __init__(self, function, key, place, with_keys):
        self.function, self.key, self.place, self.with_keys, self.alive = function, key, place, with_keys, True


def split(qualname):
    name, _, overload = qualname.partition(".")
    return name, overload


def _key_numbers_of(key):
    return dispatch_keys.dispatcher_key_numbers(key) or [key]


def _find_active_kernel(qualname, slot):
    """Returns the active kernel: the latest for the key itself, or the latest for an alias of it."""
    kernels = _KERNELS.get((qualname, slot), ())
    return next(
        (kernel for kernel in reversed(kernels) if not kernel.key.startswith("Composite")),
        next(reversed(kernels), None),
    )


def latest_kernel(qualname, key):
    """Returns the kernel that was registered last for a key, None if there is none."""
    kernels = _KERNELS.get((qualname, _key_numbers_of(key)[0]), ())
    return next((kernel for kernel in reversed(kernels) if kernel.key == key), None)


def install(qualname, slot):
    """Sets the function that the dispatcher calls for a slot."""
    kernel = _find_active_kernel(qualname, slot)
    if isinstance(slot, str):
        return
    if kernel is None:
        _C._mt_library_impl(*split(qualname), slot, None)
    elif kernel.function is None:
        _C._mt_library_impl(*split(qualname), slot, _make_fallthrough_kernel(qualname, slot), True)
    elif kernel.with_keys:
        _C._mt_library_impl(*split(qualname), slot, make_kernel_with_keys(kernel.function), True)
    else:
        _C._mt_library_impl(*split(qualname), slot, kernel.function)


def install_waiting_kernels(qualname):
    """Installs the kernels that were registered before their operator was defined."""
    for slot in range(dispatch_keys.COMPOSITE + 1):
        if (qualname, slot) in _KERNELS:
            install(qualname, slot)


def add(qualname, kernel, exists):
    for slot in _key_numbers_of(kernel.key):
        _KERNELS.setdefault((qualname, slot), []).append(kernel)
        if exists:
            install(qualname, slot)


def remove(qualname, kernel, exists):
    kernel.alive = False
    for slot in _key_numbers_of(kernel.key):
        _KERNELS[qualname, slot].remove(kernel)
        if exists:
            install(qualname, slot)
        if not _KERNELS[qualname, slot]:
            del _KERNELS[qualname, slot]


def _make_fallthrough_kernel(qualname, slot):
    """A kernel that dispatches calls to the keys below its own."""
    redispatch = _C._get_operation_overload(*split(qualname))[1]
    return lambda mask, *args, **kwargs: redispatch(mask & ((1 << slot) - 1), *args, **kwargs)


def make_kernel_with_keys(fn):
    """A kernel that gets the call's keys as its first argument, a set."""
    return lambda mask, *args, **kwargs: fn(dispatch_keys.key_set_from_mask(mask), *args, **kwargs)


class _SafeKernelFunction:
    """One kernel of an operator: the built-in one, or a registered function while its library exists."""

    __slots__ = ("_kernel", "_name", "_slot")
    __module__ = "torch._C"

    def __init__(self, name, slot, kernel):
        self._name, self._slot, self._kernel = name, slot, kernel

    def __repr__(self):
        place = self._kernel.place if self._kernel else "the dispatcher"
        return f"SafeKernelFunction(debug='registered at {place}')"

    @property
    def op_handle(self):
        return _C._dispatch_find_schema_or_throw(*split(self._name))

    def call_boxed(self, /, *args, **kwargs):
        """call_boxed(self: torch._C._SafeKernelFunction, arg0: c10::DispatchKeySet, *args, **kwargs) -> object"""
        if not args or not isinstance(args[0], dispatch_keys.DispatchKeySet):
            raise TypeError(
                "call_boxed(): incompatible function arguments. The following argument types are supported:\n"
                "    1. (self: torch._C._SafeKernelFunction, arg0: c10::DispatchKeySet, *args, **kwargs) -> object\n\n"
                f"Invoked with: {', '.join(map(repr, (self, *args)))}"
            )
        keys, *rest = args
        kernel = self._kernel
        if kernel is None:
            call = _C._get_operation_overload(*split(self._name))[1]
            return call((self._slot, dispatch_keys.mask_from_key_set(keys)), *rest, **kwargs)
        if not kernel.alive:
            raise RuntimeError(f"SafeKernelFunction has been invalidated registered at {kernel.place}")
        return kernel.function(*(args if kernel.with_keys else rest), **kwargs)


def _find_computed_kernel(name, key):
    if not isinstance(name, str) or not isinstance(key, dispatch_keys.DispatchKey):
        raise TypeError(
            "_dispatch_get_computed_kernel_for_dispatch_key(): incompatible function arguments. The following argument "
            "types are supported:\n    1. (arg0: str, arg1: c10::DispatchKey) -> torch._C._SafeKernelFunction\n\n"
            f"Invoked with: {name!r}, {key!r}"
        )
    if "::" not in name or name in torch._ops.removed or _C._get_operation_overload(*split(name)) is None:
        raise RuntimeError(f"operator {name} does not exist")
    if dispatch_keys.is_alias(key):
        raise RuntimeError("Alias keys do not have runtime kernel registrations.")
    slot = _key_numbers_of(key.name)[0]
    kernel = _find_active_kernel(name, slot) or _find_active_kernel(name, dispatch_keys.COMPOSITE)
    if kernel is None and not dispatch_keys.has_built_in_kernel(name, key):
        raise RuntimeError(f"no kernel for {key.name} for {name}")
    return _SafeKernelFunction(name, slot, kernel)


_C._SafeKernelFunction = _SafeKernelFunction
_C._dispatch_get_computed_kernel_for_dispatch_key = _find_computed_kernel
