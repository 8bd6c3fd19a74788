"""torch.serialization: torch.save and torch.load, their options, and where storages are put when they are loaded."""

import copyreg
import io
import os
import pickle
import re
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from enum import Enum
from typing import TypeAlias

from ._serialization_devices import (
    _package_registry,
    _validate_device,
    default_restore_location,
    location_tag,
    register_package,
    validate_cuda_device,
    validate_hpu_device,
)
from ._C import device as _device
from .storage import _get_dtype_from_pickle_storage_type
from .types import FileLike, Storage

MAP_LOCATION: TypeAlias = Callable[[Storage, str], Storage] | _device | str | dict[str, str] | None

__all__ = [
    "SourceChangeWarning",
    "mkdtemp",
    "register_package",
    "check_module_version_greater_or_equal",
    "validate_cuda_device",
    "validate_hpu_device",
    "location_tag",
    "default_restore_location",
    "normalize_storage_type",
    "storage_to_tensor_type",
    "save",
    "load",
    "StorageType",
    "LoadEndianness",
    "get_crc32_options",
    "set_crc32_options",
    "get_default_load_endianness",
    "set_default_load_endianness",
    "get_default_mmap_options",
    "set_default_mmap_options",
    "clear_safe_globals",
    "get_safe_globals",
    "add_safe_globals",
    "safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "skip_data",
]

torch = sys.modules[__package__]

DEFAULT_PROTOCOL = 2
MAP_PRIVATE, MAP_SHARED = 2, 1

UNSAFE_MESSAGE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` "
    "from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, "
    "but it can result in arbitrary code execution. Do it only if you got the file from a "
    "trusted source."
)
_DOCS_MESSAGE = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with "
    "weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
)


class _SerializationLocal(threading.local):
    def __init__(self):
        super().__init__()
        self.map_location = None
        self.skip_data = False
        self.materialize_fake_tensors = False
        self.loaded_sparse = None  # during a load, the sparse tensors that it has rebuilt


_serialization_tls = _SerializationLocal()


class SourceChangeWarning(Warning):
    """A module's class has other source than when it was pickled."""


@contextmanager
def mkdtemp():
    """A temporary directory for the length of a block."""
    import tempfile

    with tempfile.TemporaryDirectory() as path:
        yield path


# Options; torch.utils.serialization.config holds them.


def _config():
    from .utils.serialization import config

    return config


class LoadEndianness(Enum):
    """The byte order of files that do not say theirs."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


def get_default_load_endianness():
    """The byte order assumed for files that do not say theirs; None means little."""
    return _config().load.endianness


def set_default_load_endianness(endianness):
    """Sets the byte order assumed for files that do not say theirs."""
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _config().load.endianness = endianness


def get_crc32_options():
    """Whether torch.save computes checksums."""
    return _config().save.compute_crc32


def set_crc32_options(compute_crc32):
    """Sets whether torch.save computes checksums."""
    _config().save.compute_crc32 = compute_crc32


def get_default_mmap_options():
    """The flags with which torch.load(mmap=True) maps a file."""
    return _config().load.mmap_flags


class set_default_mmap_options:
    """Sets the flags of torch.load(mmap=True), for good or for the length of a block."""

    def __init__(self, flags):
        if flags not in (MAP_PRIVATE, MAP_SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, "
                f"expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, but got {flags}"
            )
        self.prev = _config().load.mmap_flags
        _config().load.mmap_flags = flags

    def __enter__(self):
        pass

    def __exit__(self, exc_type, exc_value, traceback):
        _config().load.mmap_flags = self.prev


def clear_safe_globals():
    """Forgets what add_safe_globals added."""
    _unpickler()._clear_safe_globals()


def get_safe_globals():
    """What add_safe_globals added."""
    return _unpickler()._get_safe_globals()


def add_safe_globals(safe_globals):
    """Lets torch.load(weights_only=True) load these; an item may be (object, its name in the file)."""
    _unpickler()._add_safe_globals(safe_globals)


class safe_globals:
    """add_safe_globals for the length of a block."""

    def __init__(self, safe_globals):
        self.safe_globals = safe_globals

    def __enter__(self):
        _unpickler()._add_safe_globals(self.safe_globals)

    def __exit__(self, type, value, tb):
        _unpickler()._remove_safe_globals(self.safe_globals)


def get_unsafe_globals_in_checkpoint(f):
    """The dotted names in a file that torch.load(weights_only=True) would refuse."""
    from ._zip_archive import is_zip
    from ._zip_reader import ZipReader

    unpickler = _unpickler()
    known = {*unpickler._get_allowed_globals(), *unpickler._get_user_allowed_globals()}
    with _opened(f) as stream:
        if not is_zip(stream):
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        archive = ZipReader(stream)
        if archive.has_record("constants.pkl"):
            raise ValueError(
                "Expected input to be a checkpoint returned by torch.save but got a torchscript checkpoint"
            )
        found = unpickler.get_globals_in_pkl(io.BytesIO(archive.get_record("data.pkl")))
        return list(found - known)


class skip_data:
    """torch.save leaves room for storages without writing them; torch.load does not read them."""

    def __init__(self, materialize_fake_tensors=False):
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self):
        self._before = (_serialization_tls.skip_data, _serialization_tls.materialize_fake_tensors)
        _serialization_tls.skip_data = True
        _serialization_tls.materialize_fake_tensors = self.materialize_fake_tensors

    def __exit__(self, type, value, tb):
        _serialization_tls.skip_data, _serialization_tls.materialize_fake_tensors = self._before


def _unpickler():
    from . import _weights_only_unpickler

    return _weights_only_unpickler


def normalize_storage_type(storage_type):
    """The class of the root package with a storage class's name."""
    return getattr(torch, storage_type.__name__)


def storage_to_tensor_type(storage):
    """The tensor type with a storage's dtype."""
    return getattr(torch, type(storage).__name__.replace("Storage", "Tensor"))


class StorageType:
    """What stands for FloatStorage and its kind while a file is read."""

    def __init__(self, name):
        self._dtype = _get_dtype_from_pickle_storage_type(name)

    @property
    def dtype(self):
        return self._dtype

    def __str__(self):
        return f"StorageType(dtype={self.dtype})"


def check_module_version_greater_or_equal(module, req_version_tuple, error_if_malformed=True):
    """Whether a module's version is at least a tuple."""
    try:
        parts = module.__version__.split(".")
        return tuple(type(field)(parts[i]) for i, field in enumerate(req_version_tuple)) >= req_version_tuple
    except Exception as error:
        message = (
            f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be compared"
            f" with tuple {str(req_version_tuple)}"
        )
        if error_if_malformed:
            raise RuntimeError(message) from error
        warnings.warn(message + ", but continuing assuming that requirement is met", stacklevel=2)
        return True


def _get_layout(name):
    """The layout with a name: how layouts are pickled."""
    return {str(value): value for value in vars(torch).values() if isinstance(value, torch.layout)}[name]


def _reduce_layout(layout):
    return _get_layout, (str(layout),)


copyreg.pickle(torch.layout, _reduce_layout)


# Saving and loading.


def _is_path(f):
    return isinstance(f, (str, os.PathLike))


def _maybe_decode_ascii(bytes_str):
    return bytes_str.decode("ascii") if isinstance(bytes_str, bytes) else bytes_str


def _check_dill_version(pickle_module):
    if pickle_module is None or pickle_module.__name__ != "dill":
        return
    if not check_module_version_greater_or_equal(pickle_module, (0, 3, 1), False):
        raise ValueError(
            f"'torch' supports dill >= 0.3.1, but you have dill {pickle_module.__version__}."
            " Please upgrade dill or switch to 'pickle'"
        )


def save(
    obj,
    f,
    pickle_module=pickle,
    pickle_protocol=DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization=True,
    _disable_byteorder_record=False,
):
    """Writes an object to a path or binary stream; a path has its old content until the new one is complete."""
    from ._serialization_save import save_legacy, save_zip
    from ._zip_archive import Buffered, NewFile, ZipWriter, archive_name, buffered_archive, new_archive_file

    _check_dill_version(pickle_module)
    if not _is_path(f) and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    if not _use_new_zipfile_serialization:
        if _serialization_tls.skip_data:
            raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
        with NewFile(os.fspath(f)) if _is_path(f) else Buffered(f) as stream:
            save_legacy(obj, stream, pickle_module, pickle_protocol)
        return
    options = _config().save
    name = archive_name(os.fspath(f)) if _is_path(f) else "archive"
    with new_archive_file(os.fspath(f)) if _is_path(f) else buffered_archive(f) as stream:
        archive = ZipWriter(stream, name, options.compute_crc32, options.storage_alignment)
        save_zip(
            obj,
            archive,
            pickle_module,
            pickle_protocol,
            without_byteorder=_disable_byteorder_record,
            alignment=options.storage_alignment,
            skip_data=_serialization_tls.skip_data,
        )
        archive.write_end_of_file()


@contextmanager
def _opened(f):
    if _is_path(f):
        with open(f, "rb") as stream:
            yield stream
        return
    try:
        f.seek(f.tell())
    except (io.UnsupportedOperation, AttributeError) as error:
        if "seek" in str(error) or "tell" in str(error):
            raise type(error)(
                f"{error}. You can only torch.load from a file that is seekable."
                " Please pre-load the data into a buffer like io.BytesIO and"
                " try to load from it instead."
            ) from error
        raise
    yield f


def _explained(message):
    """The text of a refusal of weights_only, with what to do about it."""
    if re.search(r"GLOBAL (\S+) was not an allowed global by default.", message):
        return (
            "Weights only load failed. This file can still be loaded, to do so you have two options, "
            "\033[1mdo those steps only if you trust the source of the checkpoint\033[0m. "
            f"\n\t(1) {UNSAFE_MESSAGE}\n\t(2) Alternatively, to load with `weights_only=True` please check "
            "the recommended steps in the following error message.\n\tWeightsUnpickler error: "
            + message
            + _DOCS_MESSAGE
        )
    if re.search(r"(\S+) must be (\S+) to load", message):
        return f"Weights only load failed. {message}\n {UNSAFE_MESSAGE}\n"
    blocked = re.search(r"whose module (\S+) is blocked", message)
    request = (
        "Please file an issue with the following so that we can make "
        "`weights_only=True` compatible with your use case: WeightsUnpickler error: "
    )
    return f"Weights only load failed. {UNSAFE_MESSAGE}\n{'' if blocked else request}\n\n{message}{_DOCS_MESSAGE}"


_TRUE_VALUES = ("1", "y", "yes", "true")


def _weights_only(asked, pickle_module):
    """Whether to load restricted: as asked, else unless a pickle module is given; the environment may force it."""
    force = os.getenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "0").lower() in _TRUE_VALUES
    force_off = os.getenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "0").lower() in _TRUE_VALUES
    if force and force_off:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` "
            "should be set, but both were set."
        )
    if force:
        return True
    if asked is not None:
        return asked
    if force_off:
        warnings.warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the"
            "`weights_only` argument was not explicitly passed to `torch.load`, forcing weights_only=False.",
            UserWarning,
            stacklevel=3,
        )
        return False
    return pickle_module is None


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """Reads what torch.save wrote; unless weights_only=False, only tensors, containers and allowed classes."""
    restricted = _weights_only(weights_only, pickle_module)
    if restricted and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if restricted and pickle_load_args:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    _check_dill_version(pickle_module)
    pickle_load_args.setdefault("encoding", "utf-8")
    if _is_path(f) and os.fspath(f).endswith(".safetensors"):
        return _load_safetensors(os.fspath(f), map_location)
    mmap = _config().load.mmap if mmap is None else mmap
    chosen = _unpickler() if restricted else pickle_module or pickle
    with _opened(f) as stream:
        try:
            return _load_stream(stream, f, map_location, chosen, mmap, restricted, pickle_load_args)
        except pickle.UnpicklingError as error:
            if not restricted:
                raise
            raise pickle.UnpicklingError(_explained(str(error))) from None


def _load_stream(stream, f, map_location, pickle_module, mmap, restricted, options):
    from ._serialization_load import load_legacy, load_zip
    from ._zip_archive import is_zip
    from ._zip_reader import ZipReader

    if not is_zip(stream):
        if mmap:
            shown = f"{f}, " if isinstance(f, str) else ""
            raise RuntimeError(
                f"mmap can only be used with files saved with `torch.save({shown}_use_new_zipfile_serialization=True), "
                "please torch.save your checkpoint with this option in order to use mmap."
            )
        return load_legacy(stream, map_location, pickle_module, **options)
    start = stream.tell()
    archive = ZipReader(stream)
    if "constants.pkl" in archive.get_all_records():
        warnings.warn(
            "'torch.load' received a zip file that looks like a TorchScript archive"
            " dispatching to 'torch.jit.load' (call 'torch.jit.load' directly to"
            " silence this warning)",
            UserWarning,
            stacklevel=3,
        )
        if restricted:
            raise RuntimeError(
                "Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. " + UNSAFE_MESSAGE
            )
        stream.seek(start)
        return torch.jit.load(stream, map_location=map_location)
    mapped = None
    if mmap:
        if not _is_path(f):
            raise ValueError("f must be a file path in order to use the mmap argument")
        shared = get_default_mmap_options() == MAP_SHARED
        mapped = torch.UntypedStorage.from_file(os.fspath(f), shared, os.path.getsize(f))
    return load_zip(archive, map_location, pickle_module, mapped, **options)


def _load_safetensors(path, map_location):
    for kind, refused in (("dict", isinstance(map_location, dict)), ("callable", callable(map_location))):
        if refused:
            raise RuntimeError(
                f"Loading safetensors file with {kind} map_location is not supported. "
                "Use a device string or torch.device instead."
            )
    try:
        import safetensors.torch
    except ImportError as error:
        raise RuntimeError(
            "Attempting to load a safetensors file but safetensors is not installed. "
            "Please install safetensors with: pip install safetensors"
        ) from error
    return safetensors.torch.load_file(path, device="cpu" if map_location is None else str(map_location))
