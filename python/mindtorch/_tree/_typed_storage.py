"""TypedStorage and its legacy subclasses, the deprecated storages with a dtype."""

from __future__ import annotations

import collections.abc
import copy
import functools
import sys
from typing import Any, Self

from ._utils import classproperty

torch = sys.modules[__package__]
storage = sys.modules[f"{__package__}.storage"]

# Quantized dtypes are read and written as the integers that store them.
_STORED_AS = {"quint8": "uint8", "quint4x2": "uint8", "quint2x4": "uint8", "qint32": "int32", "qint8": "int8"}


def _dtype_stored_as(dtype):
    name = _STORED_AS.get(str(dtype).removeprefix("torch."))
    return dtype if name is None else getattr(torch, name)


def _is_int(x):
    return isinstance(x, int) or (hasattr(x, "__index__") and type(x).__module__ == "numpy")


def _make_deprecated(method):
    """Emits the warning about typed storages first."""

    @functools.wraps(method)
    def wrapper(self, *args, **kwargs):
        storage._warn_typed_storage_removal()
        return method(self, *args, **kwargs)

    return wrapper


_INIT_ERROR = (
    "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n * (*, torch.device "
    "device, torch.dtype dtype)\n * (int size, *, torch.device device, torch.dtype dtype)\n * (Sequence data, *, "
    "torch.device device, torch.dtype dtype)\n * (*, UntypedStorage wrap_storage, torch.dtype dtype)"
)


def _make_untyped_delegate(name):
    """Makes a method that calls the untyped storage's."""

    def call_untyped_method(self, *args, **kwargs):
        return getattr(self._untyped_storage, name)(*args, **kwargs)

    call_untyped_method.__name__ = name
    return call_untyped_method


class TypedStorage:
    """A storage seen as elements of one dtype; deprecated: use UntypedStorage.

    Args:
        *args: the number of elements, or a sequence of them; nothing with `wrap_storage`.
        device (torch.device, optional): the device. Default: the CPU.
        dtype (torch.dtype, optional): the dtype. Default: the default dtype.
        wrap_storage (UntypedStorage, optional): the storage to look at; needs `dtype`.
        _internal (bool): does not warn. Default: ``False``.

    Raises:
        RuntimeError: when arguments exclude each other.
        TypeError: when an argument has another type.

    Example:
        >>> import warnings
        >>> warnings.simplefilter("ignore")
        >>> torch.TypedStorage([1.0, 2.0], dtype=torch.float32).tolist()
        [1.0, 2.0]
    """

    is_sparse = False
    _fake_device = None

    def __new__(cls, *args, wrap_storage=None, dtype=None, device=None, _internal=False):
        if not _internal:
            storage._warn_typed_storage_removal()
        if cls is _LegacyStorage:
            raise RuntimeError("Only child classes of _LegacyStorage can be instantiated")
        if cls is TypedStorage:
            return super().__new__(cls)
        return _legacy_instance(cls, args, wrap_storage, dtype, device)

    def __init__(self, *args, device=None, dtype=None, wrap_storage=None, _internal=False):
        if not _internal:
            storage._warn_typed_storage_removal()
        if wrap_storage is not None:
            self._wrap(args, device, dtype, wrap_storage)
            return
        self.dtype = torch.get_default_dtype() if dtype is None else dtype
        device = torch.device("cpu" if device is None else device)
        if len(args) > 1:
            raise RuntimeError(_INIT_ERROR + "\nToo many positional arguments")
        if not args:
            self._untyped_storage = torch.UntypedStorage(device=device)
        elif _is_int(args[0]):
            self._untyped_storage = torch.UntypedStorage(int(args[0]) * self._element_size(), device=device)
        elif isinstance(args[0], collections.abc.Sequence):
            held = torch.tensor(args[0], dtype=_dtype_stored_as(self.dtype), device=device)
            self._untyped_storage = held.untyped_storage()
        else:
            raise TypeError(_INIT_ERROR + f"\nArgument type not recognized: {type(args[0])}")

    def _wrap(self, args, device, dtype, wrap_storage):
        if args:
            raise RuntimeError(_INIT_ERROR + "\nNo positional arguments should be given when using 'wrap_storage'")
        if dtype is None:
            raise RuntimeError(_INIT_ERROR + "\nArgument 'dtype' must be specified")
        if not isinstance(dtype, torch.dtype):
            raise TypeError(_INIT_ERROR + f"\nArgument 'dtype' must be torch.dtype, not {type(dtype)}")
        if device is not None:
            raise RuntimeError(_INIT_ERROR + "\nArgument 'device' should not be specified when 'wrap_storage' is given")
        if not isinstance(wrap_storage, torch.UntypedStorage):
            raise TypeError(
                _INIT_ERROR + f"\nArgument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}"
            )
        self.dtype = dtype
        self._untyped_storage = wrap_storage

    # ---- used by torch itself, without the warning

    @property
    def _dtype(self):
        return self.dtype

    @property
    def _cdata(self):
        return self._untyped_storage._cdata

    @property
    def filename(self) -> str | None:
        """The mapped file, or None."""
        return self._untyped_storage.filename

    def _wrap_untyped(self, untyped):
        return TypedStorage(wrap_storage=untyped, dtype=self.dtype, _internal=True)

    _new_wrapped_storage = _wrap_untyped

    def _as_tensor(self):
        dtype = _dtype_stored_as(self.dtype)
        empty = torch.tensor([], dtype=dtype, device=self._untyped_storage.device)
        return empty.set_(TypedStorage(wrap_storage=self._untyped_storage, dtype=dtype, _internal=True))

    def _element_size(self):
        return torch._utils._element_size(self.dtype)

    def _nbytes(self):
        return self._untyped_storage.nbytes()

    def _size(self):
        return self._nbytes() // self._element_size()

    def _data_ptr(self):
        return self._untyped_storage.data_ptr()

    def _resize_(self, size):
        self._untyped_storage.resize_(size * self._element_size())

    def _deepcopy(self, memo):
        return self._wrap_untyped(copy.deepcopy(self._untyped_storage, memo))

    def _is_shared(self):
        return self._untyped_storage.is_shared()

    def _share_memory_(self):
        self._untyped_storage.share_memory_()
        return self

    def _new_shared(self, size, *, device=None):
        device = torch.device("cpu" if device is None else device)
        return self._wrap_untyped(torch.UntypedStorage._new_shared(size * self._element_size(), device=device))

    def _pickle_storage_type(self):
        try:
            return storage._dtype_to_storage_type_map()[self.dtype]
        except KeyError as error:
            raise KeyError(f"dtype {self.dtype} is not recognized") from error

    def _get_legacy_storage_class(self):
        name = storage._dtype_to_storage_type_map().get(self.dtype)
        return getattr(torch, name) if name and self._untyped_storage.device.type == "cpu" else None

    def _wrapped_index(self, idx):
        if type(idx) is not int:
            raise TypeError(f"can't index a {type(self)} with {type(idx)}")
        size = self._size()
        if not -size <= idx < size:
            raise IndexError(f"index {idx} out of range for storage of size {size}")
        return idx % size

    def _getitem(self, idx):
        if self._untyped_storage.device.type == "meta":
            raise NotImplementedError("Not available for 'meta' device type")
        if isinstance(idx, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(idx, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(idx)}")
        return self._as_tensor()[self._wrapped_index(idx)].item()

    def _setitem(self, idx, value):
        if not isinstance(idx, (int, slice)):
            raise RuntimeError(f"can't index a {type(self)} with {type(idx)}")
        if torch.is_storage(value):
            raise RuntimeError(f"cannot set item with value type {type(value)}")
        self._as_tensor()[idx] = value

    def _to(self, dtype):
        storage._require_dtype(dtype)
        cast = self._as_tensor().to(dtype)._typed_storage()
        return cast._wrap_untyped(cast._untyped_storage.clone()) if cast._data_ptr() == self._data_ptr() else cast

    _write_file, _set_from_file = _make_untyped_delegate("_write_file"), _make_untyped_delegate("_set_from_file")
    _set_cdata, _weak_ref = _make_untyped_delegate("_set_cdata"), _make_untyped_delegate("_weak_ref")

    def _shared_decref(self):
        self._untyped_storage._shared_decref()
        return self

    _shared_incref = _make_untyped_delegate("_shared_incref")

    def _share_fd_cpu_(self, *args, **kwargs):
        fd, size = self._untyped_storage._share_fd_cpu_(*args, **kwargs)
        return fd, size // self._element_size()

    def _share_filename_cpu_(self, *args, **kwargs):
        manager, handle, size = self._untyped_storage._share_filename_cpu_(*args, **kwargs)
        return manager, handle, size // self._element_size()

    @classmethod
    def _free_weak_ref(cls, *args, **kwargs):
        return torch.UntypedStorage._free_weak_ref(*args, **kwargs)

    @classmethod
    def _expired(cls, *args, **kwargs):
        return torch.UntypedStorage._expired(*args, **kwargs)

    def __reduce__(self):
        return storage._reduce_storage(self)

    # ---- used by programs, with the warning

    @property
    def device(self):
        storage._warn_typed_storage_removal()
        return self._untyped_storage.device

    @property
    def is_cuda(self):
        storage._warn_typed_storage_removal()
        return self._untyped_storage.device.type == "cuda"

    @property
    def is_npu(self):
        storage._warn_typed_storage_removal()
        return self._untyped_storage.is_npu

    @property
    def is_hpu(self):
        storage._warn_typed_storage_removal()
        return self._untyped_storage.device.type == "hpu"

    @_make_deprecated
    def untyped(self):
        """Returns the UntypedStorage that this one looks at.

        Returns:
            UntypedStorage: shares the memory.
        """
        return self._untyped_storage

    @_make_deprecated
    def type(self, dtype: str | None = None, non_blocking: bool = False) -> torch.UntypedStorage | TypedStorage | str:
        """Returns the name of the class, or a storage of another type.

        Args:
            dtype (str, optional): the type.
            non_blocking (bool): copies asynchronously where possible. Default: ``False``.

        Returns:
            str or storage: the name without `dtype`.
        """
        if dtype is not None:
            return self._untyped_storage.type(dtype, non_blocking)
        named = self._get_legacy_storage_class() or type(self)
        return f"{named.__module__}.{named.__name__}"

    @_make_deprecated
    def __str__(self):
        described = f"[{torch.typename(self)}(dtype={self.dtype}, device={self.device}) of size {len(self)}]"
        return storage._format_elements(self, described)

    @_make_deprecated
    def __iter__(self):
        return iter(self._getitem(i) for i in range(self._size()))

    @_make_deprecated
    def __copy__(self):
        return self._wrap_untyped(copy.copy(self._untyped_storage))

    @_make_deprecated
    def __sizeof__(self):
        return object.__sizeof__(self) + self._nbytes()

    @_make_deprecated
    def fill_(self, value):
        """Sets all elements.

        Args:
            value (number): the value.

        Returns:
            TypedStorage: itself.
        """
        self._setitem(slice(0, self._size()), value)
        return self

    @_make_deprecated
    def copy_(self, source: Any, non_blocking: bool | None = None):
        """Copies the bytes of another storage.

        Args:
            source (storage): of the same size.
            non_blocking (bool, optional): copies asynchronously where possible.

        Returns:
            TypedStorage: itself.
        """
        source = source._untyped_storage if isinstance(source, TypedStorage) else source
        self._untyped_storage.copy_(source, non_blocking)
        return self

    @_make_deprecated
    def to(self, *, device: str | torch.device | int, non_blocking: bool = False) -> Self:
        """Returns this storage on a device.

        Args:
            device (str, torch.device or int): the device.
            non_blocking (bool): copies asynchronously where possible. Default: ``False``.

        Returns:
            TypedStorage: on the device.
        """
        return self._wrap_untyped(self._untyped_storage.to(device=device, non_blocking=non_blocking))

    @_make_deprecated
    def cuda(self, device=None, non_blocking=False) -> Self:
        """Returns this storage in CUDA memory.

        Args:
            device (int, optional): index of the device.
            non_blocking (bool): copies asynchronously where possible. Default: ``False``.

        Returns:
            TypedStorage: the storage there.
        """
        return self._wrap_untyped(self._untyped_storage.cuda(device, non_blocking))

    @_make_deprecated
    def npu(self, device=None, non_blocking=False):
        """Returns this storage in the memory of an NPU.

        Args:
            device (int or torch.device, optional): the device.
            non_blocking (bool): copies asynchronously where possible. Default: ``False``.

        Returns:
            TypedStorage: the storage there.
        """
        return self._wrap_untyped(self._untyped_storage.npu(device, non_blocking))

    @_make_deprecated
    def hpu(self, device=None, non_blocking=False) -> Self:
        """Returns this storage in HPU memory.

        Args:
            device (int, optional): index of the device.
            non_blocking (bool): copies asynchronously where possible. Default: ``False``.

        Returns:
            TypedStorage: the storage there.
        """
        return self._wrap_untyped(self._untyped_storage.hpu(device, non_blocking))

    @_make_deprecated
    def clone(self):
        """Returns a copy of this storage.

        Returns:
            TypedStorage: the copy.
        """
        return self._wrap_untyped(self._untyped_storage.clone())

    @_make_deprecated
    def cpu(self):
        """Returns this storage on the CPU.

        Returns:
            TypedStorage: on the CPU.
        """
        return self._wrap_untyped(self._untyped_storage.cpu())

    @_make_deprecated
    def tolist(self):
        """Returns the elements as a list.

        Returns:
            list: Python numbers.
        """
        return [self._getitem(i) for i in range(self._size())]

    @_make_deprecated
    def is_pinned(self, device: str | torch.device | int | None = None):
        """Returns whether the memory is pinned for a device.

        Args:
            device (str, torch.device or int, optional): the device.

        Returns:
            bool: whether it is.
        """
        return self._untyped_storage.is_pinned(device)

    @_make_deprecated
    def pin_memory(self, device: str | torch.device | int | None = None):
        """Returns a copy in pinned memory.

        Args:
            device (str, torch.device or int, optional): the device.

        Returns:
            TypedStorage: the copy.
        """
        return self._wrap_untyped(self._untyped_storage.pin_memory(device=device))

    @_make_deprecated
    def resizable(self):
        """Returns whether the storage can be resized.

        Returns:
            bool: False for memory of others.
        """
        return self._untyped_storage.resizable()

    @_make_deprecated
    def get_device(self) -> int:
        """Returns the index of the device.

        Returns:
            int or None: the index; None on the CPU.
        """
        return self._untyped_storage.get_device()

    @classmethod
    def from_buffer(cls, *args, **kwargs):
        """Returns a copy of a buffer's bytes as elements of a dtype, in a given byte order.

        Args:
            *args: the buffer, the byte order (``"native"``, ``"little"``, ``"big"``), count and offset.
            **kwargs: ``dtype`` and ``device``, of TypedStorage itself only.

        Returns:
            TypedStorage: the copy.
        """
        storage._warn_typed_storage_removal()
        return cls._from_buffer(*args, **kwargs)

    @classmethod
    def _from_buffer(cls, *args, dtype=None, device=None, **kwargs):
        if cls is TypedStorage:
            dtype = torch.get_default_dtype() if dtype is None else dtype
            device = torch.device("cpu" if device is None else device)
            if device.type != "cpu":
                raise RuntimeError(f"TypedStorage.from_buffer: Not available for device {device.type}")
        else:
            for name, given in (("dtype", dtype is not None or len(args) == 5), ("device", device is not None)):
                if given:
                    raise RuntimeError(
                        f"from_buffer: '{name}' can only be specified in "
                        "UntypedStorage.from_buffer and TypedStorage.from_buffer"
                    )
            dtype = cls._dtype
        untyped = torch.UntypedStorage.from_buffer(*args, dtype=dtype, **kwargs)
        return TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)

    @classmethod
    def from_file(cls, filename, shared, size):
        """Maps a file to a storage; of classes such as ``torch.FloatStorage`` only.

        Args:
            filename (str): the file.
            shared (bool): whether writes go to the file.
            size (int): number of elements.

        Returns:
            TypedStorage: the storage.

        Raises:
            RuntimeError: when called on TypedStorage itself.
        """
        storage._warn_typed_storage_removal()
        if cls is TypedStorage:
            raise RuntimeError("from_file can only be called on derived classes")
        nbytes = size * torch._utils._element_size(cls._dtype)
        return cls(wrap_storage=torch.UntypedStorage.from_file(filename, shared, nbytes))


def _make_delegate(public, private):
    def call_private_method(self, *args):
        storage._warn_typed_storage_removal()
        return getattr(self, private)(*args)

    call_private_method.__name__ = public
    call_private_method.__doc__ = _DELEGATED_TEXTS.get(public)
    return call_private_method


_DELEGATED_TEXTS = {
    "data_ptr": "Returns the address of the first byte, an int.",
    "element_size": "Returns the size of an element in bytes.",
    "is_shared": "Returns whether the storage is in shared memory.",
    "nbytes": "Returns the size in bytes.",
    "pickle_storage_type": "Returns the name by which files know the dtype, such as ``FloatStorage``.",
    "resize_": "Changes the number of elements, in place: to its one argument.",
    "share_memory_": "Moves the storage to shared memory and returns it.",
    "size": "Returns the number of elements.",
}
for _public, _private in {
    "__len__": "_size",
    "__getitem__": "_getitem",
    "__setitem__": "_setitem",
    "__deepcopy__": "_deepcopy",
    "__repr__": "__str__",
    "data_ptr": "_data_ptr",
    "element_size": "_element_size",
    "is_shared": "_is_shared",
    "nbytes": "_nbytes",
    "pickle_storage_type": "_pickle_storage_type",
    "resize_": "_resize_",
    "share_memory_": "_share_memory_",
    "size": "_size",
}.items():
    setattr(TypedStorage, _public, _make_delegate(_public, _private))


def _make_typed_cast(name, dtype_name):
    def cast_to_type(self):
        storage._warn_typed_storage_removal()
        return self._to(getattr(torch, dtype_name))

    cast_to_type.__name__ = name
    cast_to_type.__doc__ = f"This storage's elements as {dtype_name}."
    return cast_to_type


for _name, _dtype_name in storage._CASTS.items():
    setattr(TypedStorage, _name, _make_typed_cast(_name, _dtype_name))


class _LegacyStorageMeta(type):
    """A TypedStorage of that dtype is an instance of FloatStorage."""

    def __instancecheck__(cls, instance):
        on_device = type(instance) is TypedStorage and instance.device.type == cls._device_type
        return on_device and cls.dtype == instance.dtype


class _LegacyStorage(TypedStorage, metaclass=_LegacyStorageMeta):
    """The base of FloatStorage and similar classes; calling one makes a TypedStorage."""

    @classmethod
    def _new_shared(cls, size):
        return cls(wrap_storage=torch.UntypedStorage._new_shared(size * cls()._element_size()))

    @classmethod
    def _new_shared_filename(cls, manager, obj, size):
        nbytes = size * torch._utils._element_size(cls._dtype)
        return cls(wrap_storage=torch.UntypedStorage._new_shared_filename_cpu(manager, obj, nbytes))


def _legacy_instance(cls, args, wrap_storage, dtype, device):
    if cls._device_type == "npu":
        torch.npu._lazy_init()
    error = (
        f"{cls}.__new__ received an invalid combination of arguments. Expected one of:\n * no arguments\n * (int "
        "size)\n * (Sequence data)\n * (*, UntypedStorage wrap_storage)"
    )
    for name, given in (("device", device), ("dtype", dtype)):
        if given is not None:
            raise RuntimeError(error + f"\nKeyword argument '{name}' cannot be specified")
    if wrap_storage is None:
        if len(args) > 1:
            raise RuntimeError(error + "\nToo many positional arguments")
        if args and not _is_int(args[0]) and not isinstance(args[0], collections.abc.Sequence):
            raise TypeError(error + f"\nArgument type not recognized: {type(args[0])}")
        return TypedStorage(*args, dtype=cls._dtype, device=cls._device_type, _internal=True)
    if args:
        raise RuntimeError(error + "\nNo positional arguments should be given when using 'wrap_storage'")
    if not isinstance(wrap_storage, torch.UntypedStorage):
        raise TypeError(error + f"\nArgument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}")
    if wrap_storage.device.type != cls._device_type:
        raise RuntimeError(
            error + f"\nDevice of 'wrap_storage' must be {cls._device_type}, but got {wrap_storage.device.type}"
        )
    return TypedStorage(wrap_storage=wrap_storage, dtype=cls._dtype, _internal=True)


_LEGACY_TEXT = """The old name of a storage of {dtype}; deprecated: use UntypedStorage.

Args:
    *args: the number of elements, or a sequence of them; nothing with `wrap_storage`.
    device, dtype: must be None.
    wrap_storage (UntypedStorage, optional): the storage to look at.
    _internal (bool): ignored. Default: ``False``.

Raises:
    RuntimeError: when arguments exclude each other.

Example:
    >>> isinstance({module}.{name}, type)
    True
"""


def make_legacy_class(name, dtype_name, device_type="cpu"):
    """FloatStorage and similar classes, of torch or of a device's module."""

    def dtype(cls):
        storage._warn_typed_storage_removal(stacklevel=3)
        return cls._dtype

    members = {
        "dtype": classproperty(dtype),
        "_dtype": classproperty(lambda cls: getattr(torch, dtype_name)),
        "_device_type": device_type,
        "__doc__": _LEGACY_TEXT.format(
            name=name, dtype=dtype_name, module="torch" if device_type == "cpu" else f"torch.{device_type}"
        ),
        "__module__": torch.__name__ if device_type == "cpu" else f"{torch.__name__}.{device_type}",
    }
    return _LegacyStorageMeta(name, (_LegacyStorage,), members)
