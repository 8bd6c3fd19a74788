"""Reading torch.save's formats: the zip archive, and the legacy stream of pickles and raw storages."""

import contextlib
import io
import os
import struct
import sys
import tarfile
import warnings

from . import _weights_only_unpickler
from ._serialization_save import MAGIC_NUMBER, PROTOCOL_VERSION, _file_and_source_of
from ._zip_archive import memory_view_of_storage
from ._zip_reader import read_fully

torch = sys.modules[__package__]
ROOT = __package__


def _decode_ascii_bytes(value):
    return value.decode("ascii") if isinstance(value, bytes) else value


def make_unpickler(pickle_module, stream, persistent_load, **options):
    """An unpickler that represents storages by dtypes and finds torch's names in this tree under any root name."""
    from .serialization import StorageType

    class Unpickler(pickle_module.Unpickler):
        def find_class(self, module, name):
            if type(name) is str and "Storage" in name:
                try:
                    return StorageType(name)
                except KeyError:
                    pass
            if module == "torch.tensor":  # the module's name in files of torch 0.4
                module = "torch._tensor"
            head, _, rest = module.partition(".")
            if head == "torch" and ROOT != "torch":
                module = ROOT + (f".{rest}" if rest else "")
            return super().find_class(module, name)

    unpickler = Unpickler(stream, **options)
    unpickler.persistent_load = persistent_load
    return unpickler


def make_storage_restorer(map_location):
    """Returns the function that moves a loaded storage to the device that map_location selects."""
    from .serialization import default_restore_location

    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(storage, map_location.get(location, location))
    if isinstance(map_location, (str, bytes)):
        return lambda storage, location: default_restore_location(storage, map_location)
    if isinstance(map_location, torch.device):
        return lambda storage, location: default_restore_location(storage, str(map_location))

    def restore_mapped_storage(storage, location):
        moved = map_location(storage, location)
        return default_restore_location(storage, location) if moved is None else moved

    return restore_mapped_storage


def _wrap_as_typed_storage(storage, dtype):
    return torch.storage.TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)


def _read_byteorder(archive):
    """Returns the byte order of an archive's data, or None for this machine's."""
    from .serialization import LoadEndianness, get_default_load_endianness

    if archive.has_record("byteorder"):
        order = archive.get_record("byteorder")
        if order not in (b"little", b"big"):
            raise ValueError("Unknown endianness type: " + order.decode())
        return order.decode()
    default = get_default_load_endianness()
    if default not in (None, *LoadEndianness):
        raise ValueError("Invalid load endianness type")
    return {None: "little", LoadEndianness.LITTLE: "little", LoadEndianness.BIG: "big"}.get(default)


class _Offsets:
    """Predicts offsets of storages in an archive: torch.save writes them consecutively, so only the first is looked
    up."""

    def __init__(self, archive, alignment):
        self._archive, self._alignment = archive, alignment
        self._header = None  # offset of the next record
        self._known = {}

    def get_or_make(self, key, name, nbytes):
        if name in self._known:
            return self._known[name]
        if self._header is None:
            if key != "0":
                raise AssertionError(f"expected key '0', got {key!r}")
            header, start = self._archive.get_record_header_offset(name), self._archive.get_record_offset(name)
        else:
            header = self._header
            start = self._archive.get_record_offset_no_read(header, name, nbytes, self._alignment)
        self._known[name] = start
        descriptor = (24 if max(header, nbytes) >= 0xFFFFFFFF else 16) if nbytes > 0 else 0
        self._header = start + nbytes + descriptor
        return start


def _check_count(name, nbytes):
    """torch's error for a storage size that does not fit in 64 bits."""
    if type(nbytes) in (int, bool) and 0 <= nbytes < 1 << 64:
        return
    raise TypeError(
        "get_storage_from_record(): incompatible function arguments. The following argument types are supported:\n"
        "    1. (self: torch._C.PyTorchFileReader, arg0: str, arg1: typing.SupportsInt | typing.SupportsIndex, "
        "arg2: object) -> torch.Tensor\n\n"
        f"Invoked with: <torch.PyTorchFileReader object at {id(nbytes):#x}>, {name!r}, {nbytes!r}, "
        "<class 'torch.storage.UntypedStorage'>"
    )


@contextlib.contextmanager
def _check_sparse():
    """Collects the sparse tensors that are rebuilt inside, and checks them at the end, when their components were
    read."""
    from .serialization import _serialization_tls as local

    before, local.loaded_sparse = local.loaded_sparse, None if local.skip_data else []
    try:
        yield
        torch._utils._validate_loaded_sparse_tensors()
    finally:
        local.loaded_sparse = before


def load_zip(archive, map_location, pickle_module, mapped=None, **options):
    """Loads the object of a zip archive; storages are slices of `mapped` if the file is mapped into memory."""
    from .serialization import _load_config, _serialization_tls

    restore = make_storage_restorer(map_location)
    consecutive = archive.has_record(".format_version") and archive.get_record(".format_version") >= b"1"
    order = _read_byteorder(archive)
    alignment = int(archive.get_record(".storage_alignment")) if archive.has_record(".storage_alignment") else 64
    to_meta = map_location == "meta" or (isinstance(map_location, torch.device) and map_location.type == "meta")
    offsets = _Offsets(archive, alignment)
    loaded = {}

    def load_record_as_storage(nbytes, key):
        name = f"data/{key}"
        if to_meta:
            storage = torch.UntypedStorage(nbytes, device="meta")
            storage._checkpoint_offset = (
                offsets.get_or_make(key, name, nbytes) if consecutive else archive.get_record_offset(name)
            )
            return storage
        if _serialization_tls.skip_data:
            return torch.UntypedStorage(nbytes)
        if mapped is not None:
            computed = consecutive and _load_config().load.calculate_storage_offsets
            start = offsets.get_or_make(key, name, nbytes) if computed else archive.get_record_offset(name)
            return mapped[start : start + nbytes]
        _check_count(name, nbytes)
        return archive.get_storage(name, nbytes)

    def persistent_load(saved_id):
        if not isinstance(saved_id, tuple):
            raise AssertionError(f"saved_id must be a tuple, got {type(saved_id).__name__}")
        kind = _decode_ascii_bytes(saved_id[0])
        if kind != "storage":
            raise AssertionError(f"Unknown typename for persistent_load, expected 'storage' but got '{kind}'")
        storage_type, key, location, numel = saved_id[1:]
        dtype = torch.uint8 if storage_type is torch.UntypedStorage else storage_type.dtype
        if key in loaded:
            return loaded[key]
        storage = load_record_as_storage(numel * torch._utils._element_size(dtype), key)
        if order is not None and order != sys.byteorder:
            storage.byteswap(dtype)
        typed = _wrap_as_typed_storage(storage if to_meta else restore(storage, _decode_ascii_bytes(location)), dtype)
        if typed._data_ptr() != 0:
            loaded[key] = typed
        return typed

    unpickler = make_unpickler(pickle_module, io.BytesIO(archive.get_record("data.pkl")), persistent_load, **options)
    _serialization_tls.map_location = map_location
    try:
        with _check_sparse():
            result = unpickler.load()
    finally:
        _serialization_tls.map_location = None
    archive.serialization_id()  # torch reads it last, and refuses a record that is not text
    return result


def _warn_if_source_changed(cls, file, original):
    """Warns if the source of a pickled module's class has changed."""
    from .serialization import SourceChangeWarning

    _, current = _file_and_source_of(cls)
    if current is not None and current != original:
        warnings.warn(
            f"source code of class '{torch.typename(cls)}' has changed. "
            "you can retrieve the original source code by accessing the object's source attribute or set "
            "`torch.nn.Module.dump_patches = True` and use the patch tool to revert the changes.",
            SourceChangeWarning,
            stacklevel=2,
        )


def load_legacy(stream, map_location, pickle_module, **options):
    """Loads the object of a legacy file."""
    from .serialization import UNSAFE_MESSAGE, _serialization_tls

    if _is_tar(stream):
        if pickle_module is _weights_only_unpickler:
            raise RuntimeError(
                "Cannot use ``weights_only=True`` with files saved in the legacy .tar format. " + UNSAFE_MESSAGE
            )
        raise NotImplementedError("torch.load of the .tar format of torch 0.1.9 and older")
    restore = make_storage_restorer(map_location)
    storages, views = {}, {}

    def persistent_load(saved_id):
        if not isinstance(saved_id, tuple):
            raise AssertionError(f"saved_id must be a tuple, got {type(saved_id).__name__}")
        kind, data = _decode_ascii_bytes(saved_id[0]), saved_id[1:]
        if kind == "module":
            if all(data[1:]):
                _warn_if_source_changed(*data)
            return data[0]
        if kind != "storage":
            raise RuntimeError(f"Unknown saved id type: {saved_id[0]}")
        storage_type, key, location, numel, view = data
        dtype = torch.uint8 if storage_type is torch.UntypedStorage else storage_type.dtype
        size = torch._utils._element_size(dtype)
        if key not in storages:
            storages[key] = _wrap_as_typed_storage(
                restore(torch.UntypedStorage(numel * size), _decode_ascii_bytes(location)), dtype
            )
        elif storages[key]._data_ptr() == 0:
            return torch.storage.TypedStorage(device=storages[key]._untyped_storage.device, dtype=dtype, _internal=True)
        if view is None:
            return storages[key]
        view_key, offset, length = view
        if view_key not in views:
            start, end = offset * size, (offset + length) * size
            views[view_key] = _wrap_as_typed_storage(storages[key]._untyped_storage[start:end], dtype)
        return views[view_key]

    if pickle_module.load(stream, **options) != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = pickle_module.load(stream, **options)
    if version != PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version}")
    pickle_module.load(stream, **options)  # the machine that wrote the file; the data are little-endian in any case
    with _check_sparse():
        result = make_unpickler(pickle_module, stream, persistent_load, **options).load()
        keys = pickle_module.load(stream, **options)
        if not _serialization_tls.skip_data:
            for key in keys:
                if key not in storages:
                    raise AssertionError(f"storage key {key!r} not found in deserialized_objects")
                _fill_storage(storages[key], stream)
    return result


def _fill_storage(typed, stream):
    storage, size = typed._untyped_storage, torch._utils._element_size(typed.dtype)
    header = stream.read(8)
    if len(header) != 8:
        raise RuntimeError("unexpected EOF. The file might be corrupted.")
    (numel,) = struct.unpack("<q", header)
    if numel * size != storage.nbytes():
        raise RuntimeError(f"storage has wrong byte size: expected {storage.nbytes()} got {numel * size}")
    place = storage.device.type
    target = storage if place == "cpu" else torch.UntypedStorage(storage.nbytes())
    read_fully(stream, memory_view_of_storage(target), RuntimeError("unexpected EOF. The file might be corrupted."))
    if place not in ("cpu", "meta"):
        storage.copy_(target)


def _is_tar(stream):
    """Whether a real file, at its beginning, is a tar archive."""
    try:
        if stream.fileno() < 0 or stream.tell() != 0:
            return False
    except (io.UnsupportedOperation, AttributeError, OSError):
        return False
    try:
        tarfile.open(fileobj=stream, mode="r:").close()
        return True
    except (tarfile.TarError, EOFError):
        return False
    finally:
        stream.seek(0, os.SEEK_SET)
