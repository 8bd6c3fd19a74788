"""Writing torch.save's two formats: the zip archive, and the legacy stream of pickles and raw storages."""

import copyreg
import inspect
import io
import pickle
import struct
import sys
import warnings

from ._zip_archive import memory_view_of_storage

torch = sys.modules[__package__]
ROOT = __package__

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001


class _Storages:
    """The storages found while pickling, and their persistent ids."""

    def __init__(self):
        self._dtypes = {}  # by address: memory must not be saved under two dtypes

    def split_storage(self, obj):
        """Returns (untyped storage, the class that represents its dtype, its number of elements)."""
        if isinstance(obj, torch.storage.TypedStorage):
            storage, dtype, numel = obj._untyped_storage, obj.dtype, obj._size()
            kind = getattr(torch, obj._pickle_storage_type())
        else:
            storage, dtype, numel = obj, torch.uint8, obj.nbytes()
            kind = torch.UntypedStorage
        if storage.device.type != "meta" and storage.data_ptr() != 0:
            if self._dtypes.setdefault(storage.data_ptr(), dtype) != dtype:
                raise RuntimeError(
                    "Cannot save multiple tensors or storages that view the same data as different types"
                )
        return storage, kind, numel, dtype


def _is_storage(obj):
    return isinstance(obj, torch.storage.TypedStorage) or torch.is_storage(obj)


def make_pickler(pickle_module, stream, protocol, persistent_id):
    """Returns a pickler of `pickle_module`; under the root name mindtorch it still writes torch's names."""
    if ROOT != "torch" and pickle_module is pickle:
        base = _RenamingPickler
    else:
        base = pickle_module.Pickler

    class Pickler(base):
        def persistent_id(self, obj):
            return persistent_id(obj)

    return Pickler(stream, protocol=protocol)


class _RenamingPickler(pickle._Pickler):
    """Writes our classes and functions as torch's, so that torch can read the file."""

    @property
    def dispatch_table(self):
        from ._root_pickling import REDUCERS
        from .serialization import _reduce_layout

        table = {kind: reducer for kind, reducer in copyreg.dispatch_table.items() if kind not in REDUCERS}
        return {**table, torch.layout: _reduce_layout}

    def save_global(self, obj, name=None):
        found = name or getattr(obj, "__qualname__", None) or obj.__name__
        module = pickle.whichmodule(obj, found)
        head, _, rest = module.partition(".")
        if head not in (ROOT, "torch"):
            return super().save_global(obj, name)
        shown = sys.intern("torch" + (f".{rest}" if rest else ""))  # a single object, which a pickle names once
        if self.proto >= 4:
            self.save(shown)
            self.save(found)
            self.write(pickle.STACK_GLOBAL)
        else:
            self.write(pickle.GLOBAL + shown.encode() + b"\n" + found.encode() + b"\n")
        self.memoize(obj)

    def save_type(self, obj):
        if obj is type(None) or obj is type(NotImplemented) or obj is type(...):
            return super().save_type(obj)
        return self.save_global(obj)

    dispatch = {**pickle._Pickler.dispatch, type: save_type, type(lambda: None): save_global}


def pickle_without_storages(obj, pickle_module, pickle_protocol):
    """Returns the pickle of `obj`, and a dict of the storages that it refers to by their names."""
    from .serialization import location_tag

    storages = _Storages()
    keys, saved = {}, {}

    def persistent_id(obj):
        if not _is_storage(obj):
            return None
        storage, kind, numel, _ = storages.split_storage(obj)
        key = keys.setdefault(storage._cdata, str(len(keys)))
        fake = getattr(obj, "_fake_device", None)
        saved[key] = storage
        return ("storage", kind, key, str(fake) if fake is not None else location_tag(storage), numel)

    pickled = io.BytesIO()
    make_pickler(pickle_module, pickled, pickle_protocol, persistent_id).dump(obj)
    return pickled.getvalue(), saved


def save_zip(obj, archive, pickle_module, pickle_protocol, without_byteorder, alignment, skip_data):
    """Writes the pickle of `obj` and the storages that it refers to."""
    pickled, saved = pickle_without_storages(obj, pickle_module, pickle_protocol)
    archive.write_record("data.pkl", pickled)
    archive.write_record(".format_version", "1")
    archive.write_record(".storage_alignment", str(alignment))
    if not without_byteorder:
        archive.write_record("byteorder", sys.byteorder)
    for key, storage in saved.items():
        if skip_data:
            archive.write_record_metadata(f"data/{key}", storage.nbytes())
        else:
            on_host = storage.cpu()  # keeps the copy of a device's storage while its memory is read
            archive.write_record(f"data/{key}", memory_view_of_storage(on_host))


def save_legacy(obj, stream, pickle_module, pickle_protocol):
    """Writes magic number, version, system, the pickle, and each storage after its number of elements."""
    from .serialization import location_tag

    storages = _Storages()
    saved, seen_classes = {}, set()

    def persistent_id(obj):
        if isinstance(obj, type) and issubclass(obj, torch.nn.Module):
            if obj in seen_classes:
                return None
            seen_classes.add(obj)
            return ("module", obj, *_file_and_source_of(obj))
        if not _is_storage(obj):
            return None
        storage, kind, numel, dtype = storages.split_storage(obj)
        key = str(storage._cdata)
        saved.setdefault(key, (storage, dtype))
        return ("storage", kind, key, location_tag(storage), numel, None)

    system = {
        "protocol_version": PROTOCOL_VERSION,
        "little_endian": sys.byteorder == "little",
        "type_sizes": {name: struct.calcsize("=" + name[0].replace("s", "h")) for name in ("short", "int", "long")},
    }
    for header in (MAGIC_NUMBER, PROTOCOL_VERSION, system):
        pickle_module.dump(header, stream, protocol=pickle_protocol)
    make_pickler(pickle_module, stream, pickle_protocol, persistent_id).dump(obj)
    pickle_module.dump(sorted(saved), stream, protocol=pickle_protocol)
    stream.flush()
    for key in sorted(saved):
        storage, dtype = saved[key]
        stream.write(struct.pack("<q", storage.nbytes() // torch._utils._element_size(dtype)))
        on_host = storage.cpu()
        stream.write(memory_view_of_storage(on_host))


def _file_and_source_of(cls):
    """Returns the file and the source of a module's class, which loading compares with the current ones."""
    try:
        return inspect.getsourcefile(cls), "".join(inspect.getsourcelines(cls)[0])
    except Exception:
        warnings.warn(
            f"Couldn't retrieve source code for container of type {cls.__name__}. "
            "It won't be checked for correctness upon loading.",
            stacklevel=2,
        )
        return None, None
