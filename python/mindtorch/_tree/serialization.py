"""torch.serialization: torch.save and torch.load, their options, and the devices of loaded storages."""

from __future__ import annotations

import contextlib
import copyreg
import io
import operator
import os
import pickle
import re
import sys
import threading
import warnings
from collections import Counter, OrderedDict
from collections.abc import Callable
from contextlib import contextmanager
from enum import Enum
from typing import Any, IO, TypeAlias

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
    "SourceChangeWarning", "mkdtemp", "register_package", "check_module_version_greater_or_equal",
    "validate_cuda_device", "validate_hpu_device", "location_tag", "default_restore_location",
    "normalize_storage_type", "storage_to_tensor_type", "save", "load", "StorageType", "LoadEndianness",
    "get_crc32_options", "set_crc32_options", "get_default_load_endianness", "set_default_load_endianness",
    "get_default_mmap_options", "set_default_mmap_options", "clear_safe_globals", "get_safe_globals",
    "add_safe_globals", "safe_globals", "get_unsafe_globals_in_checkpoint", "skip_data",
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
    """A warning that the source of a module's class has changed since it was saved."""


@contextmanager
def mkdtemp():
    """A temporary folder for the length of a block.

    Returns:
        A context manager that gives its path.

    Example:
        >>> with torch.serialization.mkdtemp() as path:
        ...     isinstance(path, str)
        True
    """
    import tempfile

    with tempfile.TemporaryDirectory() as path:
        yield path


# The options that torch.utils.serialization.config sets.


def _load_config():
    from .utils.serialization import config

    return config


class LoadEndianness(Enum):
    """Byte orders to assume for files that do not state theirs."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


def get_default_load_endianness() -> torch.serialization.LoadEndianness | None:
    """Returns the byte order that is assumed for files that do not state theirs.

    Returns:
        LoadEndianness or None: None means little.

    Example:
        >>> torch.serialization.get_default_load_endianness() is None
        True
    """
    return _load_config().load.endianness


def set_default_load_endianness(endianness):
    """Sets the byte order that is assumed for files that do not state theirs.

    Args:
        endianness (LoadEndianness or None): the order; None for little.

    Returns:
        None.

    Raises:
        TypeError: for other types.

    Example:
        >>> torch.serialization.set_default_load_endianness(None)
    """
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _load_config().load.endianness = endianness


def get_crc32_options() -> bool:
    """Returns whether `torch.save` computes checksums.

    Returns:
        bool: the setting, True at first.

    Example:
        >>> torch.serialization.get_crc32_options()
        True
    """
    return _load_config().save.compute_crc32


def set_crc32_options(compute_crc32: bool):
    """Sets whether `torch.save` computes checksums of records; without them saving is faster.

    Args:
        compute_crc32 (bool): whether to compute them.

    Returns:
        None.

    Example:
        >>> torch.serialization.set_crc32_options(True)
    """
    _load_config().save.compute_crc32 = compute_crc32


def get_default_mmap_options() -> int | None:
    """Returns the flags with which ``torch.load(mmap=True)`` maps a file.

    Returns:
        int: ``mmap.MAP_PRIVATE`` at first.

    Example:
        >>> import mmap
        >>> torch.serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
        True
    """
    return _load_config().load.mmap_flags


class set_default_mmap_options:
    """Sets the flags with which ``torch.load(mmap=True)`` maps a file: for good, or for a block.

    Args:
        flags (int): ``mmap.MAP_PRIVATE`` (changes stay in memory) or ``mmap.MAP_SHARED`` (changes go to
            the file).

    Raises:
        ValueError: when other flags are given.

    Example:
        >>> import mmap
        >>> with torch.serialization.set_default_mmap_options(mmap.MAP_SHARED):
        ...     torch.serialization.get_default_mmap_options() == mmap.MAP_SHARED
        True
    """

    def __init__(self, flags: int) -> None:
        if flags not in (MAP_PRIVATE, MAP_SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, "
                f"expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, but got {flags}"
            )
        self.prev = _load_config().load.mmap_flags
        _load_config().load.mmap_flags = flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        _load_config().load.mmap_flags = self.prev


def clear_safe_globals() -> None:
    """Forgets what `add_safe_globals` added.

    Example:
        >>> torch.serialization.clear_safe_globals()
        >>> torch.serialization.get_safe_globals()
        []
    """
    _find_unpickler()._clear_safe_globals()


def get_safe_globals() -> list[Callable | tuple[Callable, str]]:
    """Returns what `add_safe_globals` added.

    Returns:
        list: classes and functions, or pairs of one and its name in the file.

    Example:
        >>> from fractions import Fraction
        >>> with torch.serialization.safe_globals([Fraction]):
        ...     Fraction in torch.serialization.get_safe_globals()
        True
    """
    return _find_unpickler()._get_safe_globals()


def add_safe_globals(safe_globals: list[Callable | tuple[Callable, str]]) -> None:
    """Allows classes and functions to be loaded by ``torch.load(weights_only=True)``.

    Args:
        safe_globals (list): classes and functions; an item may be a pair of one and its dotted name
            in the file.

    Example:
        >>> from fractions import Fraction
        >>> torch.serialization.add_safe_globals([Fraction])
        >>> torch.serialization.get_safe_globals() == [Fraction]
        True
        >>> torch.serialization.clear_safe_globals()
    """
    _find_unpickler()._add_safe_globals(safe_globals)


class safe_globals:
    """Allows classes and functions to be loaded with ``weights_only=True`` for the length of a block.

    Args:
        safe_globals (list): as in `add_safe_globals`.

    Example:
        >>> import io
        >>> from fractions import Fraction
        >>> file = io.BytesIO()
        >>> torch.save(Fraction(1, 2), file)
        >>> _ = file.seek(0)
        >>> with torch.serialization.safe_globals([Fraction]):
        ...     torch.load(file)
        Fraction(1, 2)
    """

    def __init__(self, safe_globals):
        self.safe_globals = safe_globals

    def __enter__(self):
        _find_unpickler()._add_safe_globals(self.safe_globals)

    def __exit__(self, type, value, tb):
        _find_unpickler()._remove_safe_globals(self.safe_globals)


def get_unsafe_globals_in_checkpoint(f: str | os.PathLike[str] | IO[bytes]) -> list[str]:
    """Lists the names in a file that ``torch.load(weights_only=True)`` would refuse, without loading it.

    Args:
        f (str, PathLike or binary stream): what `torch.save` wrote.

    Returns:
        list of str: dotted names.

    Raises:
        ValueError: when it is no such file.

    Example:
        >>> import io
        >>> from fractions import Fraction
        >>> file = io.BytesIO()
        >>> torch.save(Fraction(1, 2), file)
        >>> _ = file.seek(0)
        >>> torch.serialization.get_unsafe_globals_in_checkpoint(file)
        ['fractions.Fraction']
    """
    from ._zip_reader import ZipReader

    unpickler = _find_unpickler()
    known = {*unpickler._get_allowed_globals(), *unpickler._get_user_allowed_globals()}
    with _open_file(f) as stream:
        if not _is_zipfile(stream):
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        archive = ZipReader(stream)
        if archive.has_record("constants.pkl"):
            raise ValueError(
                "Expected input to be a checkpoint returned by torch.save but got a torchscript checkpoint"
            )
        found = unpickler.get_globals_in_pkl(io.BytesIO(archive.get_record("data.pkl")))
        return list(found - known)


class skip_data:
    """Inside the block, `torch.save` leaves room for storages without writing them; `torch.load` reads none.

    Args:
        materialize_fake_tensors (bool): for tensors without data. Default: ``False``.

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> with torch.serialization.skip_data():
        ...     torch.save(torch.ones(2), file)
    """

    def __init__(self, materialize_fake_tensors: bool = False):
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self):
        self._before = (_serialization_tls.skip_data, _serialization_tls.materialize_fake_tensors)
        _serialization_tls.skip_data = True
        _serialization_tls.materialize_fake_tensors = self.materialize_fake_tensors

    def __exit__(self, type, value, tb):
        _serialization_tls.skip_data, _serialization_tls.materialize_fake_tensors = self._before


def _find_unpickler():
    from . import _weights_only_unpickler

    return _weights_only_unpickler


def normalize_storage_type(storage_type):
    """Returns the class of the root package that has a storage class's name.

    Args:
        storage_type (type): the class.

    Returns:
        type: such as ``torch.FloatStorage``.

    Example:
        >>> torch.serialization.normalize_storage_type(torch.FloatStorage) is torch.FloatStorage
        True
    """
    return getattr(torch, storage_type.__name__)


def storage_to_tensor_type(storage):
    """Returns the tensor type of a typed storage.

    Args:
        storage (TypedStorage): of a class such as ``torch.FloatStorage``.

    Returns:
        type: such as ``torch.FloatTensor``.

    Example:
        >>> class FloatStorage:
        ...     __module__ = "torch"
        >>> torch.serialization.storage_to_tensor_type(FloatStorage()) is torch.FloatTensor
        True
    """
    return getattr(torch, type(storage).__name__.replace("Storage", "Tensor"))


class StorageType:
    """Stands for FloatStorage and its kind while a file is read.

    Args:
        name (str): such as ``"FloatStorage"``.

    Example:
        >>> torch.serialization.StorageType("FloatStorage").dtype
        torch.float32
    """

    dtype = property(operator.attrgetter("_dtype"))

    def __init__(self, name):
        self._dtype = _get_dtype_from_pickle_storage_type(name)

    def __str__(self):
        return f"StorageType(dtype={self.dtype})"


def check_module_version_greater_or_equal(module, req_version_tuple, error_if_malformed=True):
    """Returns whether a module's version is at least a given one.

    Args:
        module (module): has ``__version__``.
        req_version_tuple (tuple): the version, such as ``(0, 3, 1)``.
        error_if_malformed (bool): raises when the version cannot be read, instead of warning. Default:
            ``True``.

    Returns:
        bool: whether it is.

    Raises:
        RuntimeError: when the version cannot be read.

    Example:
        >>> import types
        >>> module = types.SimpleNamespace(__name__="m", __version__="1.2.3")
        >>> torch.serialization.check_module_version_greater_or_equal(module, (1, 2))
        True
    """
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
    """Returns the layout with a name: layouts are pickled by name."""
    return {str(value): value for value in vars(torch).values() if isinstance(value, torch.layout)}[name]


def _reduce_layout(layout):
    return _get_layout, (str(layout),)


copyreg.pickle(torch.layout, _reduce_layout)


# ---- saving and loading


def _is_path(f):
    return isinstance(f, (str, os.PathLike))


@contextlib.contextmanager
def _open_file_like(name_or_buffer, mode):
    """Opens a file by its path and closes it at the end; uses a buffer directly, and flushes it after writes."""
    if _is_path(name_or_buffer):
        with open(name_or_buffer, mode) as file:
            yield file
        return
    if "w" not in mode and "r" not in mode:
        raise RuntimeError(f"Expected 'r' or 'w' in mode but got {mode}")
    yield name_or_buffer
    if "w" in mode:
        name_or_buffer.flush()


def _open_zipfile_reader(name_or_buffer):
    """A context with the records of an archive, given as a path or as a stream."""
    name_or_buffer = os.fspath(name_or_buffer) if _is_path(name_or_buffer) else name_or_buffer
    return contextlib.nullcontext(torch.PyTorchFileReader(name_or_buffer))


def _open_zipfile_writer(name_or_buffer):
    """A context that writes records to an archive, and completes it at the end."""
    from ._archives import complete_archive

    name_or_buffer = os.fspath(name_or_buffer) if _is_path(name_or_buffer) else name_or_buffer
    return complete_archive(torch.PyTorchFileWriter(name_or_buffer))


def _is_zipfile(f):
    """Whether the stream, at its position, starts as a zip file."""
    start = f.tell()
    magic = f.read(4)
    f.seek(start)
    return magic == b"PK\x03\x04"


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
    obj: object,
    f: str | os.PathLike[str] | IO[bytes],
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Writes an object with its tensors to a file or binary stream.

    The format is a zip archive with a pickle and one record per storage: tensors that share a storage
    still share it after loading, and a view saves its whole storage. A path keeps its old content
    until the new one is complete. Save a module's ``state_dict()`` rather than the module, whose
    class would be looked up by name.

    Args:
        obj (object): anything that can be pickled.
        f (str, PathLike or binary stream): where to.
        pickle_module (module): the pickle module. Default: `pickle`.
        pickle_protocol (int): its protocol. Default: ``2``.
        _use_new_zipfile_serialization (bool): False writes the format before torch 1.6. Default:
            ``True``.
        _disable_byteorder_record (bool): leaves out the byte order. Default: ``False``.

    Raises:
        AttributeError: when `f` is neither path nor stream.
        RuntimeError: when the file cannot be written, or one memory is saved as two dtypes.

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> torch.save({"x": torch.tensor([1.0, 2.0])}, file)
        >>> _ = file.seek(0)
        >>> torch.load(file)
        {'x': tensor([1., 2.])}
    """
    from ._serialization_save import pickle_without_storages, save_legacy, save_zip
    from ._zip_archive import (
        Buffered,
        NewFile,
        ZipWriter,
        archive_name,
        buffered_archive,
        is_replaceable,
        new_archive_file,
    )

    _check_dill_version(pickle_module)
    if not _is_path(f) and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    if not _use_new_zipfile_serialization:
        if _serialization_tls.skip_data:
            raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
        with NewFile(os.fspath(f)) if _is_path(f) else Buffered(f) as stream:
            save_legacy(obj, stream, pickle_module, pickle_protocol)
        return
    options = _load_config().save
    name = archive_name(os.fspath(f)) if _is_path(f) else "archive"
    is_usual = options.compute_crc32 and options.storage_alignment == 64 and not _serialization_tls.skip_data
    if is_usual and not _disable_byteorder_record and _is_path(f) and is_replaceable(os.fspath(f)):
        pickled, storages = pickle_without_storages(obj, pickle_module, pickle_protocol)
        if all(storage.device.type != "meta" for storage in storages.values()):
            torch._C._write_archive(os.fsencode(f), pickled, list(storages.values()))
            return
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
def _open_file(f):
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


def _explain_error(message):
    """Returns the text of a weights_only error, with advice."""
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


def _decide_weights_only(asked, pickle_module):
    """Whether to load restricted: as requested, by default if no pickle module is given; the environment may force
    it."""
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


def load(
    f: str | os.PathLike[str] | IO[bytes],
    map_location: Callable[[torch.types.Storage, str], torch.types.Storage]
    | torch.device
    | str
    | dict[str, str]
    | None = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Reads what `torch.save` wrote, in any of its formats.

    With `weights_only` only tensors, containers, plain values and allowed classes
    (`add_safe_globals`) are made; without it the file can run any code: do that only with files you
    trust. Storages are first read to the CPU and then moved where they were saved from, or where
    `map_location` says. A path that ends in .safetensors is read by that package.

    Args:
        f (str, PathLike or binary stream): what to read; a stream has to be seekable.
        map_location (optional): a device (torch.device or str) for all storages, a dict from saved to
            new devices, or ``f(storage, location)`` that returns a storage or None.
        pickle_module (module, optional): the pickle module; excludes `weights_only`.
        weights_only (bool, optional): reads tensors and allowed classes only. Default: True unless
            `pickle_module` is given.
        mmap (bool, optional): maps the file instead of reading it; paths only. Default: False.
        **pickle_load_args: for the unpickler, such as ``encoding``.

    Returns:
        Any: the object.

    Raises:
        pickle.UnpicklingError: when something is not allowed, or the file is damaged.
        RuntimeError: when options exclude each other, or a device does not exist.

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> torch.save([torch.arange(3)], file)
        >>> _ = file.seek(0)
        >>> torch.load(file, map_location="cpu", weights_only=True)
        [tensor([0, 1, 2])]
    """
    restricted = _decide_weights_only(weights_only, pickle_module)
    if restricted and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if restricted and pickle_load_args:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    _check_dill_version(pickle_module)
    pickle_load_args.setdefault("encoding", "utf-8")
    if _is_path(f) and os.fspath(f).endswith(".safetensors"):
        return _load_safetensors(os.fspath(f), map_location)
    mmap = _load_config().load.mmap if mmap is None else mmap
    with _open_file(f) as stream:
        plain = _load_with_cpp_reader(stream, f, map_location, mmap) if restricted else NotImplemented
        if plain is not NotImplemented:
            return plain
        chosen = _find_unpickler() if restricted else pickle_module or pickle
        try:
            return _load_stream(stream, f, map_location, chosen, mmap, restricted, pickle_load_args)
        except pickle.UnpicklingError as error:
            if not restricted:
                raise
            raise pickle.UnpicklingError(_explain_error(str(error))) from None


def _load_with_cpp_reader(stream, f, map_location, mmap):
    """Returns a file's contents, read by the library; NotImplemented if it contains more than data, is damaged, or is
    not a path."""
    local = _serialization_tls
    if not _is_path(f) or local.skip_data or local.materialize_fake_tensors:
        return NotImplemented
    if mmap and get_default_mmap_options() == MAP_SHARED:
        return NotImplemented
    if not (map_location is None or (type(map_location) in (str, _device) and str(map_location) == "cpu")):
        return NotImplemented
    if not _is_zipfile(stream) or _load_config().load.endianness is not None or torch._C._len_torch_function_stack():
        return NotImplemented
    return torch._C._read_checkpoint(os.fsencode(f), OrderedDict, Counter, bool(mmap))


def _load_stream(stream, f, map_location, pickle_module, mmap, restricted, options):
    from ._serialization_load import load_legacy, load_zip
    from ._zip_reader import ZipReader

    if not _is_zipfile(stream):
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
