"""torch.storage: the bytes of tensors (UntypedStorage), and the deprecated storages with a dtype."""

from __future__ import annotations

import functools
import io
import sys
import threading
import warnings

from . import _C, _storage_files
from ._utils import _to as _storage_to, _type as _storage_type

__all__ = ["TypedStorage", "UntypedStorage"]

torch = sys.modules[__package__]

_CASTS = {
    "double": "float64",
    "float": "float32",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
    "bfloat16": "bfloat16",
    "complex_double": "complex128",
    "complex_float": "complex64",
    "float8_e5m2": "float8_e5m2",
    "float8_e4m3fn": "float8_e4m3fn",
    "float8_e5m2fnuz": "float8_e5m2fnuz",
    "float8_e4m3fnuz": "float8_e4m3fnuz",
}


def _require_dtype(dtype):
    if not isinstance(dtype, torch.dtype):
        raise TypeError(f"Argument 'dtype' must be torch.dtype, not {type(dtype)}")


def _as_bytes(storage):
    """Returns the storage's bytes as a uint8 tensor."""
    return torch.tensor([], dtype=torch.uint8, device=storage.device).set_(storage)


def _format_elements(storage, described):
    """Returns the repr of a storage: one element per line, then a description."""
    if storage.device.type == "meta":
        return "...\n" + described
    return " " + "\n ".join(str(storage[i]) for i in range(storage.size())) + "\n" + described


class _StorageBase:
    """The part of UntypedStorage that is written in Python."""

    is_sparse = False
    is_sparse_csr = False
    _fake_device = None
    _checkpoint_offset = None

    def __init__(self, *args, **kwargs):
        pass

    def size(self) -> int:
        """Returns the number of bytes.

        Returns:
            int: the number.
        """
        return self.nbytes()

    def type(self, dtype: str | None = None, non_blocking: bool = False) -> _StorageBase | TypedStorage:
        """Returns the name of this class, or a storage of another type.

        Args:
            dtype (str, optional): the type.
            non_blocking (bool): copies asynchronously where possible. Default: ``False``.

        Returns:
            str or storage: the name without `dtype`.
        """
        return _storage_type(self, dtype, non_blocking)

    def cuda(self, device=None, non_blocking=False) -> _StorageBase | TypedStorage:
        """Returns this storage in CUDA memory.

        Args:
            device (int, optional): index of the device.
            non_blocking (bool): copies asynchronously where possible. Default: ``False``.

        Returns:
            UntypedStorage: the storage there.
        """
        place = torch.device("cuda", device) if device else torch.device("cuda")
        return self.to(device=place, non_blocking=non_blocking)

    def npu(self, device=None, non_blocking=False):
        """Returns this storage in the memory of an NPU.

        Args:
            device (int or torch.device, optional): the device.
            non_blocking (bool): copies asynchronously where possible. Default: ``False``.

        Returns:
            UntypedStorage: the storage there.
        """
        place = torch.device("npu", device) if isinstance(device, int) else torch.device(device or "npu")
        return self.to(device=place, non_blocking=non_blocking)

    def hpu(self, device=None, non_blocking=False) -> _StorageBase | TypedStorage:
        """Returns this storage in HPU memory.

        Args:
            device (int, optional): index of the device.
            non_blocking (bool): copies asynchronously where possible. Default: ``False``.

        Returns:
            UntypedStorage: the storage there.
        """
        place = torch.device("hpu", device) if device else torch.device("hpu")
        return self.to(device=place, non_blocking=non_blocking)

    def mps(self):
        """Returns a copy of this storage in MPS memory.

        Returns:
            UntypedStorage: the copy.
        """
        return torch.UntypedStorage(self.size(), device="mps").copy_(self, False)

    def get_device(self) -> int:
        """Returns the index of the device.

        Returns:
            int or None: the index; None on the CPU.
        """
        return self.device.index

    def __repr__(self):
        return _format_elements(self, f"[{torch.typename(self)}(device={self.device}) of size {len(self)}]")

    def __iter__(self):
        return iter(self[i] for i in range(self.size()))

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        copies = memo.setdefault("torch", {})
        if self._cdata not in copies:
            copies[self._cdata] = self.clone()
        return copies[self._cdata]

    def __reduce__(self):
        return _reduce_storage(self)

    def __sizeof__(self):
        return super().__sizeof__() + self.size()

    def clone(self):
        """Returns a copy of this storage on the same device.

        Returns:
            UntypedStorage: the copy.
        """
        return type(self)(self.nbytes(), device=self.device).copy_(self)

    def tolist(self):
        """Returns the bytes as a list.

        Returns:
            list of int: the bytes.
        """
        return list(self)

    def cpu(self):
        """Returns this storage, or a copy on the CPU if it is elsewhere.

        Returns:
            UntypedStorage: on the CPU.
        """
        return self if self.device.type == "cpu" else torch.UntypedStorage(self.size()).copy_(self, False)

    def _to(self, dtype):
        _require_dtype(dtype)
        cast = _as_bytes(self).to(dtype)._typed_storage()
        return cast.clone() if cast.data_ptr() == self.data_ptr() else cast

    def to(self, *, device: str | torch.device | int, non_blocking: bool = False):
        """Returns this storage on a device; itself where it is there already.

        Args:
            device (str, torch.device or int): the device.
            non_blocking (bool): copies asynchronously where possible. Default: ``False``.

        Returns:
            UntypedStorage: on the device.
        """
        return _storage_to(self, torch.device(device), non_blocking)

    def is_pinned(self, device: str | torch.device | int | None = None):
        """Returns whether the memory is pinned for a device.

        Args:
            device (str, torch.device or int, optional): the device.

        Returns:
            bool: whether it is.
        """
        return _as_bytes(self).is_pinned(device)

    def pin_memory(self, device: str | torch.device | int | None = None):
        """Returns a copy in pinned memory.

        Args:
            device (str, torch.device or int, optional): the device.

        Returns:
            UntypedStorage: the copy.

        Raises:
            TypeError: when the storage is not on the CPU.
        """
        if self.device.type != "cpu":
            raise TypeError(f"cannot pin '{self.type()}' only CPU memory can be pinned")
        return _as_bytes(self).pin_memory(device).untyped_storage()

    def share_memory_(self):
        """Moves the bytes to memory that other processes can map.

        Returns:
            UntypedStorage: itself.
        """
        from .multiprocessing import get_sharing_strategy

        if self.device.type in ("cpu", "meta") and not self.is_shared():
            if get_sharing_strategy() == "file_system":
                self._share_filename_cpu_()
            else:
                self._share_fd_cpu_()
        return self

    @classmethod
    def _new_shared(cls, size, *, device="cpu"):
        from .multiprocessing import get_sharing_strategy

        device = torch.device(device)
        if device.type != "cpu":
            return cls(size, device=device)
        if get_sharing_strategy() == "file_system":
            return cls._new_using_filename_cpu(size)
        return cls._new_using_fd_cpu(size)

    @classmethod
    def _release_ipc_counter(cls, *args, device=None, **kwargs):
        return cls._release_ipc_counter_cuda(*args, **kwargs)

    def untyped(self):
        """Returns the storage itself.

        Returns:
            UntypedStorage: `self`.
        """
        return self

    def byteswap(self, dtype):
        """Reverses the bytes of each element, in place.

        Args:
            dtype (torch.dtype): of the elements; parts of complex numbers are reversed each by itself.
        """
        size = torch._utils._element_size(dtype)
        self._byteswap(max(size // 2, 1) if dtype.is_complex else size)


def _make_cast(name, dtype_name):
    def method(self):
        return self._to(getattr(torch, dtype_name))

    method.__name__ = name
    method.__doc__ = f"This storage's elements as {dtype_name}."
    return method


for _name, _dtype_name in _CASTS.items():
    setattr(_StorageBase, _name, _make_cast(_name, _dtype_name))

_share_memory_lock = threading.Lock()
_share_memory_map = {}


def _share_memory_lock_protected(method):
    """Lets one thread at a time move a storage to shared memory; others wait for it and then check again."""

    @functools.wraps(method)
    def wrapper(self, *args, **kwargs):
        key = self._cdata
        with _share_memory_lock:
            mine = key not in _share_memory_map
            if mine:
                _share_memory_map[key] = threading.RLock()
                _share_memory_map[key].acquire()
            lock = _share_memory_map[key]
        if not mine:
            with lock:
                pass
        try:
            return method(self, *args, **kwargs)
        finally:
            if mine:
                with _share_memory_lock:
                    _share_memory_map.pop(key).release()

    return wrapper


class UntypedStorage(_C.StorageBase, _StorageBase):
    """A block of bytes on a device. Tensors are views of a storage; `Tensor.untyped_storage()` returns it.

    Indexing gives bytes as ints, and slices storages that share memory.

    Args:
        *args: the number of bytes, or a sequence of bytes.
        **kwargs: ``device``.

    Example:
        >>> storage = torch.tensor([1, 2], dtype=torch.uint8).untyped_storage()
        >>> storage.nbytes(), storage[1]
        (2, 2)
    """

    def __getitem__(self, *args, **kwargs):
        if self.device.type == "meta":
            raise NotImplementedError("Not available for 'meta' device type")
        return super().__getitem__(*args, **kwargs)

    @property
    def is_npu(self):
        """Whether the storage is in the memory of an NPU."""
        return self.device.type == "npu"

    @property
    def is_cuda(self):
        return self.device.type == "cuda"

    @property
    def is_hpu(self):
        return self.device.type == "hpu"

    @property
    def filename(self) -> str | None:
        """The file that is mapped into this storage, or None."""
        return self._get_filename()

    @_share_memory_lock_protected
    def share_memory_(self, *args, **kwargs):
        """Moves the bytes to memory that other processes can map; they cannot be resized after that.

        Returns:
            UntypedStorage: itself.
        """
        return super().share_memory_(*args, **kwargs)

    @_share_memory_lock_protected
    def _share_fd_cpu_(self, *args, **kwargs):
        return super()._share_fd_cpu_(*args, **kwargs)

    @_share_memory_lock_protected
    def _share_filename_cpu_(self, *args, **kwargs):
        return super()._share_filename_cpu_(*args, **kwargs)

    _write_file = _storage_files.write_file
    _set_from_file = _storage_files.set_from_file
    _new_with_file = classmethod(_storage_files.new_with_file)


# Makes Python's messages about missing attributes and wrong arguments print the class with its module, as in torch.
_C._name_storage_class(UntypedStorage, "torch.storage.UntypedStorage")


def _load_from_bytes(b):
    return torch.load(io.BytesIO(b), weights_only=False)


def _reduce_storage(storage):
    """Pickles a storage outside torch.save: as a legacy file in a string."""
    buffer = io.BytesIO()
    torch.save(storage, buffer, _use_new_zipfile_serialization=False)
    return (_load_from_bytes, (buffer.getvalue(),))


def _list_existing_attributes(*names):
    return [getattr(torch, name) for name in names if hasattr(torch, name)]


@functools.cache
def _new_dtypes():
    """Dtypes that are newer than typed storages: their tensors are pickled with an untyped one."""
    return set(
        _list_existing_attributes(
            "float8_e5m2",
            "float8_e4m3fn",
            "float8_e5m2fnuz",
            "float8_e4m3fnuz",
            "float8_e8m0fnu",
            "float4_e2m1fn_x2",
            "bits8",
            "bits16",
            "bits1x8",
            "bits2x4",
            "bits4x2",
            "complex32",
            "uint16",
            "uint32",
            "uint64",
        )
    )


_LEGACY_NAMES = {
    "DoubleStorage": "float64",
    "FloatStorage": "float32",
    "HalfStorage": "float16",
    "LongStorage": "int64",
    "IntStorage": "int32",
    "ShortStorage": "int16",
    "CharStorage": "int8",
    "ByteStorage": "uint8",
    "BoolStorage": "bool",
    "BFloat16Storage": "bfloat16",
    "ComplexDoubleStorage": "complex128",
    "ComplexFloatStorage": "complex64",
    "QInt8Storage": "qint8",
    "QInt32Storage": "qint32",
    "QUInt8Storage": "quint8",
    "QUInt4x2Storage": "quint4x2",
    "QUInt2x4Storage": "quint2x4",
}


@functools.cache
def _storage_type_to_dtype_map():
    return {name: getattr(torch, dtype) for name, dtype in _LEGACY_NAMES.items() if hasattr(torch, dtype)}


@functools.cache
def _dtype_to_storage_type_map():
    return {dtype: name for name, dtype in _storage_type_to_dtype_map().items()}


def _get_dtype_from_pickle_storage_type(pickle_storage_type):
    try:
        return _storage_type_to_dtype_map()[pickle_storage_type]
    except KeyError as error:
        raise KeyError(f'pickle storage type "{pickle_storage_type}" is not recognized') from error


# Set by tests that need the warning each time instead of once per process.
_always_warn_typed_storage_removal = False


def _set_always_warn_typed_storage_removal(always_warn):
    if not isinstance(always_warn, bool):
        raise AssertionError(f"always_warn must be bool, got {type(always_warn).__name__}")
    global _always_warn_typed_storage_removal
    _always_warn_typed_storage_removal = always_warn


def _get_always_warn_typed_storage_removal():
    return _always_warn_typed_storage_removal


def _warn_typed_storage_removal(stacklevel=2):
    """Warns about typed storages, once per process."""
    if _always_warn_typed_storage_removal or not getattr(_warn_typed_storage_removal, "has_warned", False):
        message = (
            "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
            "class. This should only matter to you if you are using storages directly.  To access UntypedStorage "
            "directly, use tensor.untyped_storage() instead of tensor.storage()"
        )
        warnings.warn(message, UserWarning, stacklevel=stacklevel + 1)
        _warn_typed_storage_removal.has_warned = True


def _reset_warn_typed_storage_removal():
    _warn_typed_storage_removal.has_warned = False


from ._typed_storage import TypedStorage, _LegacyStorage, _LegacyStorageMeta, make_legacy_class  # noqa: E402

_C._name_storage_class(TypedStorage, "torch.storage.TypedStorage")
TypedStorage.__module__ = _LegacyStorage.__module__ = _LegacyStorageMeta.__module__ = __name__

# FloatStorage and similar classes, which pickles name as classes of the root package.
_legacy_classes = {
    name: make_legacy_class(name, dtype) for name, dtype in _LEGACY_NAMES.items() if hasattr(torch, dtype)
}
