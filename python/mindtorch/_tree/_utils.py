"""Helpers that pickles and torch's other modules use by name: rebuilding tensors, object state, device indices,
exceptions."""

from __future__ import annotations

import copyreg
import os
import sys
import traceback
import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from . import _C

torch = sys.modules[__package__]


def _type(self, dtype=None, non_blocking=False, **kwargs):
    """Returns the name of this object's type, or casts the object to `dtype`."""
    non_blocking = _get_async_or_non_blocking("type", non_blocking, kwargs)
    if dtype is None:
        return f"{self.__module__}.{type(self).__name__}"
    if isinstance(dtype, str):
        dtype = _import_dotted_name(dtype)
    return self if dtype is type(self) else dtype(self.size()).copy_(self, non_blocking)


def _to(self, device, non_blocking=False):
    """Returns a storage on `device`: this one if it is there already."""
    if self.device == device:
        return self
    if device.type == "cpu":
        return torch.empty(self.nbytes(), dtype=torch.uint8).untyped_storage().copy_(self, non_blocking)
    module = getattr(torch, device.type, None)
    if module is None:
        raise AssertionError(f"{device.type.upper()} device module is not loaded")
    with module.device(device):
        return torch.UntypedStorage(self.size(), device=device).copy_(self, non_blocking)


def _get_async_or_non_blocking(function_name, non_blocking, kwargs):
    if not kwargs:
        return non_blocking
    if set(kwargs) != {"async"}:
        raise TypeError(f"{function_name}() got an unexpected keyword argument '{list(kwargs)[-1]}'")
    warnings.warn("'async' is deprecated; use 'non_blocking'", stacklevel=2)
    return kwargs["async"]


def _get_restore_location(device):
    """Returns torch.load's device for a tensor whose device is stored outside its storage."""
    map_location = torch.serialization._serialization_tls.map_location
    if map_location is None:
        return device
    if isinstance(map_location, dict):
        return map_location.get(device, device)
    if isinstance(map_location, (str, torch.device)):
        return map_location
    raise RuntimeError(
        "Callable map_location not supported with _rebuild_wrapper_subclass or _rebuild_device_tensor_from_numpy"
    )


# ---- rebuilding. Hooks are never saved: an empty OrderedDict takes their position


def _rebuild_tensor(storage, storage_offset, size, stride):
    empty = torch.empty((0,), dtype=storage.dtype, device=storage._untyped_storage.device)
    return empty.set_(storage._untyped_storage, storage_offset, size, stride)


def get_tensor_metadata(tensor):
    """Returns the lazy conjugate and negative bits that are set, as a dictionary."""
    if not isinstance(tensor, torch.Tensor):
        raise AssertionError(f"expected torch.Tensor, got {type(tensor).__name__}")
    return _C._get_tensor_metadata(tensor)


def set_tensor_metadata(tensor, metadata):
    """Sets the bits that get_tensor_metadata returned."""
    if not isinstance(metadata, dict):
        raise AssertionError(f"expected dict, got {type(metadata).__name__}")
    if not isinstance(tensor, torch.Tensor):
        raise AssertionError(f"expected torch.Tensor, got {type(tensor).__name__}")
    _C._set_tensor_metadata(tensor, metadata)


def _rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None):
    tensor = _rebuild_tensor(storage, storage_offset, size, stride)
    tensor.requires_grad = requires_grad
    if metadata:
        set_tensor_metadata(tensor, metadata)
    tensor._backward_hooks = backward_hooks
    return tensor


def _rebuild_tensor_v3(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None):
    device = storage._untyped_storage.device
    tensor = torch.empty((0,), dtype=dtype, device=device, requires_grad=requires_grad)
    tensor.set_(storage._untyped_storage, storage_offset, size, stride)
    if metadata:
        set_tensor_metadata(tensor, metadata)
    tensor._backward_hooks = backward_hooks
    return tensor


def _validate_loaded_sparse_tensors():
    """Checks the sparse tensors that this thread's torch.load has rebuilt: a file may hold any indices."""
    for tensor in torch.serialization._serialization_tls.loaded_sparse or ():
        if tensor.is_meta:
            continue
        if tensor.layout is torch.sparse_coo:
            parts = (tensor._indices(), tensor._values(), tensor.size(), tensor.is_coalesced())
            torch._validate_sparse_coo_tensor_args(*parts)
        else:
            indices = _compressed_and_plain_indices(tensor)
            torch._validate_sparse_compressed_tensor_args(*indices, tensor.values(), tensor.size(), tensor.layout)


def _compressed_and_plain_indices(tensor):
    """Returns the index tensors of a compressed layout: starts of rows or columns, and the other index of each
    element."""
    if tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        return tensor.crow_indices(), tensor.col_indices()
    return tensor.ccol_indices(), tensor.row_indices()


def _rebuild_sparse_tensor(layout, data):
    if layout == torch.sparse_coo:
        if len(data) == 3:  # files of versions that did not save it
            data = (*data, None)
        indices, values, size, is_coalesced = data
        tensor = torch.sparse_coo_tensor(indices, values, size, check_invariants=False, is_coalesced=is_coalesced)
    elif layout in (torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc):
        compressed, plain, values, size = data
        tensor = torch.sparse_compressed_tensor(compressed, plain, values, size, layout=layout, check_invariants=False)
    else:
        raise NotImplementedError(f"rebuilding sparse tensor for layout {layout}")
    # The storages of a legacy file are filled later.
    loaded = torch.serialization._serialization_tls.loaded_sparse
    if loaded is not None:
        loaded.append(tensor)
    return tensor


def _rebuild_nested_tensor(buffer, sizes, strides, storage_offsets):
    """Used by name in files with nested tensors."""
    from .nested import _strided

    return _strided.rebuild_from_file(buffer, sizes, strides, storage_offsets)


def _rebuild_qtensor(storage, storage_offset, size, stride, quantizer_params, requires_grad, backward_hooks):
    """Used by name in files with quantized tensors."""
    raise NotImplementedError("rebuilding quantized tensors")


def _rebuild_device_tensor_from_cpu_tensor(data, dtype, device, requires_grad):
    tensor = data.to(dtype=dtype, device=_get_restore_location(device))
    tensor.requires_grad = requires_grad
    return tensor


def _rebuild_device_tensor_from_numpy(data, dtype, device, requires_grad):
    return _rebuild_device_tensor_from_cpu_tensor(torch.from_numpy(data), dtype, device, requires_grad)


_rebuild_xla_tensor = _rebuild_device_tensor_from_numpy


def _rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad):
    return torch.empty_strided(size, stride, dtype=dtype, device="meta", requires_grad=requires_grad)


def _rebuild_wrapper_subclass(cls, dtype, size, stride, storage_offset, layout, device, requires_grad):
    return torch.Tensor._make_wrapper_subclass(
        cls,
        size,
        strides=stride,
        dtype=dtype,
        storage_offset=storage_offset,
        layout=layout,
        device=_get_restore_location(device),
        requires_grad=requires_grad,
    )


def _rebuild_parameter(data, requires_grad, backward_hooks):
    parameter = torch.nn.Parameter(data, requires_grad)
    parameter._backward_hooks = backward_hooks
    return parameter


def _rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    return _set_obj_state(_rebuild_parameter(data, requires_grad, backward_hooks), state)


def _get_obj_state(obj):
    """Returns the pickled state besides the constructor's arguments: `__getstate__()`, or attributes and slots."""
    getstate = getattr(obj, "__getstate__", None)
    if getstate:
        return getstate()
    slots = {name: getattr(obj, name) for name in copyreg._slotnames(type(obj)) if hasattr(obj, name)}
    return (obj.__dict__, slots) if slots else obj.__dict__


def _set_obj_state(obj, state):
    attributes, slots = state, None
    if isinstance(state, tuple):
        if len(state) != 2:
            raise RuntimeError(f"Invalid serialized state: {state}")
        attributes, slots = state
    for group in (attributes, slots):
        for name, value in (group or {}).items():
            setattr(obj, name, value)
    return obj


def _import_dotted_name(name):
    first, *rest = name.split(".")
    found = torch if first == "torch" else __import__(first)
    for part in rest:
        found = getattr(found, part)
    return found


# ---- lists of tensors


def _flatten_dense_tensors(tensors):
    """Joins the elements of all tensors in a 1-D tensor."""
    return _C._nn.flatten_dense_tensors(tensors)


def _unflatten_dense_tensors(flat, tensors):
    """Returns views of `flat` with the sizes of `tensors`."""
    return _C._nn.unflatten_dense_tensors(flat, tensors)


def _flatten_sparse_tensors(tensors):
    """Returns the indices of all tensors in a 1-D tensor, and their values in another."""
    indices = _flatten_dense_tensors([tensor._indices() for tensor in tensors])
    return indices, _flatten_dense_tensors([tensor._values() for tensor in tensors])


def _unflatten_sparse_tensors(flat, tensors):
    """Rebuilds tensors like `tensors` from the results of _flatten_sparse_tensors."""
    indices = _unflatten_dense_tensors(flat[0], [tensor._indices() for tensor in tensors])
    values = _unflatten_dense_tensors(flat[1], [tensor._values() for tensor in tensors])
    return tuple(tensor.new(i, v, tensor.size()) for tensor, i, v in zip(tensors, indices, values, strict=False))


def _reorder_tensors_as(tensors, ordered_tensors):
    """Sorts `tensors` into the order of types of `ordered_tensors`; keeps the order within a type."""
    queues = defaultdict(list)
    for tensor in tensors:
        queues[tensor.type()].append(tensor)
    sources = {kind: iter(queue) for kind, queue in queues.items()}
    return tuple(next(sources[tensor.type()]) for tensor in ordered_tensors)


def _take_tensors(tensors, size_limit):
    """Yields lists of tensors of one type, of up to `size_limit` bytes if the tensors allow it."""
    groups = {}
    for tensor in tensors:
        kind, size = tensor.type(), tensor.numel() * tensor.element_size()
        group, used = groups.get(kind, ([], 0))
        if used and used + size > size_limit:
            yield group
            group, used = [], 0
        group.append(tensor)
        groups[kind] = (group, used + size)
    for group, _ in groups.values():
        if group:
            yield group


def render_call(fn, args, kwargs):
    """Returns the call as text, tensors without their contents."""
    name = torch.overrides.resolve_name(fn) or str(fn)
    with torch._tensor_str.printoptions(threshold=0, edgeitems=0):
        shown = [repr(arg) for arg in args] + [f"{key}={value!r}" for key, value in kwargs.items()]
    return f"{name}({', '.join(shown)})"


# ---- exceptions that are passed between processes


class KeyErrorMessage(str):
    """A str whose repr is itself, since KeyError shows the repr of its argument."""

    __slots__ = ()

    def __repr__(self):
        return self


class ExceptionWrapper:
    """The type and formatted traceback of an exception; the traceback itself would keep frames alive."""

    def __init__(self, exc_info=None, where="in background"):
        exc_info = exc_info or sys.exc_info()
        self.exc_type = exc_info[0]
        self.exc_msg = "".join(traceback.format_exception(*exc_info))
        self.where = where

    def reraise(self):
        """Raises an exception of the same type, whose text states where the original was raised."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            message = KeyErrorMessage(message)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=message)
        try:
            exception = self.exc_type(message)
        except Exception:
            raise RuntimeError(message) from None  # the constructor needs other arguments
        raise exception


# ---- devices


def cpu_count() -> int | None:
    """Returns the number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def _get_available_device_type():
    name = _C._get_privateuse1_backend_name()
    for kind in ("cuda", "xpu", "mtia", name):
        module = getattr(torch, kind, None)
        if module is not None and module.is_available():
            return kind
    return None


def _get_device_attr(get_member):
    kind = _get_available_device_type()
    return None if kind is None else get_member(getattr(torch, kind))


def _get_current_device_index():
    return _get_device_attr(lambda module: module.current_device())


def _get_all_device_indices():
    return _get_device_attr(lambda module: list(range(module.device_count())))


def _get_devices_properties(device_ids):
    return [_get_device_attr(lambda module, index=index: module.get_device_properties(index)) for index in device_ids]


def get_current_device_index() -> int:
    """Returns the current CUDA device, or -1 without one."""
    return torch.cuda.current_device() if torch.cuda.device_count() > 0 else -1


def _get_device_index(device, optional=False, allow_cpu=False):
    """Returns the index in `device`; the current device's if it has none and `optional`; -1 for an allowed CPU."""
    index = None
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type == "cpu":
            if not allow_cpu:
                raise ValueError(f"Expected a non cpu device, but got: {device}")
            index = -1
        else:
            index = device.index
    elif isinstance(device, int):
        index = device
    if index is None:
        if not optional:
            raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
        index = _get_current_device_index()
    return index


def _get_device_module(device_type):
    module = getattr(torch, device_type, None)
    if module is None:
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'."
        )
    return module


def _is_privateuse1_backend_available():
    module = getattr(torch, _C._get_privateuse1_backend_name(), None)
    is_available = getattr(module, "is_available", None)
    return is_available and is_available()


def _dummy_type(name):
    """A class that cannot be instantiated, for types that this build does not have."""

    def raise_on_init(self, *args, **kwargs):
        raise RuntimeError(f"Tried to instantiate dummy base class {type(self).__name__}")

    def raise_on_new(cls, *args, **kwargs):
        raise RuntimeError(f"Tried to instantiate dummy base class {cls.__name__}")

    return type(name, (object,), {"__init__": raise_on_init, "__new__": raise_on_new})


class _LazySeedTracker:
    """The latest seeding calls before a device was initialised, in order."""

    manual_seed_cb = manual_seed_all_cb = None

    def __init__(self):
        self.call_order = []

    def queue_seed(self, cb, traceback):
        self.manual_seed_cb = latest = cb, traceback
        self.call_order = [self.manual_seed_all_cb, latest]

    def queue_seed_all(self, cb, traceback):
        self.manual_seed_all_cb = latest = cb, traceback
        self.call_order = [self.manual_seed_cb, latest]

    def get_calls(self) -> list:
        return self.call_order


class CallbackRegistry:
    """Calls several callbacks; logs those that raise and continues with the others."""

    def __init__(self, name: str):
        self.name = name
        self.callback_list = []

    def add_callback(self, cb: Callable) -> None:
        self.callback_list.append(cb)

    def fire_callbacks(self, *args: Any, **kwargs: Any) -> None:
        for callback in self.callback_list:
            try:
                callback(*args, **kwargs)
            except Exception:
                import logging

                logger = logging.getLogger(__name__)
                logger.exception("Exception in callback for %s registered with gpu trace", self.name)


# ---- types


def _handle_complex(tensor):
    """Views a complex tensor as a real one, returns others unchanged; is_complex fails for uninitialised parameters."""
    if isinstance(tensor, torch.nn.UninitializedParameter) or not tensor.is_complex():
        return tensor
    return torch.view_as_real(tensor)


def _element_size(dtype):
    """Returns the bytes of one element."""
    if not isinstance(dtype, torch.dtype):
        raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
    return dtype.itemsize


class _ClassPropertyDescriptor:
    def __init__(self, fget, fset=None):
        self.fget = fget

    def __get__(self, instance, owner=None):
        owner = type(instance) if owner is None else owner
        return self.fget.__get__(instance, owner)()


def classproperty(func):
    """A property of a class itself."""
    return _ClassPropertyDescriptor(func if isinstance(func, (classmethod, staticmethod)) else classmethod(func))


def is_compiling() -> bool:
    """Whether torch.compile or torch.export is tracing (deprecated)."""
    warnings.warn("`torch._utils.is_compiling` is deprecated. Use `torch.compiler.is_compiling` instead.", stacklevel=2)
    return torch.compiler.is_compiling()


def try_import(module_name: str) -> Any | None:
    """Returns the module, or None if it is not installed."""
    from importlib import import_module
    from importlib.util import find_spec

    if (module := sys.modules.get(module_name)) is not None:
        return module
    return import_module(module_name) if find_spec(module_name) else None
