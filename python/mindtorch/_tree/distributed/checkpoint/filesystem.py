"""Checkpoints as folders: a file of items for each rank (`__0_0.distcp`), and `.metadata`, the index of all items.

Files are written under temporary names and renamed when they are complete, `.metadata` last.
"""

import io
import os
import pickle
import uuid
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import IO, Any

from ..._root import torch
from ..._serialization_load import make_unpickler
from ..._serialization_save import make_pickler
from ...futures import Future
from ._extension import ExtensionRegistry, StreamTransformExtension
from .metadata import STATE_DICT_TYPE, Metadata, StorageMeta
from .planner import LoadItemType, LoadPlan, LoadPlanner, ReadItem, SavePlan, SavePlanner, WriteItem, WriteItemType
from .staging import BlockingAsyncStager
from .storage import StorageReader, StorageWriter, WriteResult
from .utils import _FileView, _narrow_to_box

__all__ = ["FileSystemWriter", "FileSystemReader", "FileSystem", "FileSystemBase", "SerializationFormat"]

_metadata_fn: str = ".metadata"
CURRENT_DCP_VERSION = "1.0.0"
DEFAULT_SUFFIX = ".distcp"
_UNFINISHED = ".tmp"


@dataclass
class _StorageInfo:
    """The location of an item's bytes; part of the format."""

    relative_path: str
    offset: int
    length: int
    transform_descriptors: Sequence[str] | None = None

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass
class _StoragePrefix:
    """The prefix of a rank's file names; sent in plans."""

    prefix: str


class SerializationFormat(Enum):
    """How to write tensors: as `torch.save` does, or as safetensors."""

    TORCH_SAVE = "torch_save"
    SAFETENSORS = "safetensors"


class FileSystemBase(ABC):
    """The file operations that reader and writer need; a subclass may use something other than a disk."""

    @abstractmethod
    def create_stream(self, path: str | os.PathLike, mode: str) -> AbstractContextManager[io.IOBase]:
        """Opens a file, to be used in a ``with`` statement.

        Args:
            path (str or PathLike): the file.
            mode (str): ``"rb"`` or ``"wb"``.

        Returns:
            context manager: of the open file.
        """

    @abstractmethod
    def concat_path(self, path: str | os.PathLike, suffix: str) -> str | os.PathLike:
        """Returns the path of a file in a folder.

        Args:
            path (str or PathLike): the folder.
            suffix (str): the file's name.

        Returns:
            str or PathLike: the path.
        """

    @abstractmethod
    def rename(self, path: str | os.PathLike, new_path: str | os.PathLike) -> None:
        """Gives a file another name.

        Args:
            path (str or PathLike): the file.
            new_path (str or PathLike): the name.
        """

    @abstractmethod
    def init_path(self, path: str | os.PathLike) -> str | os.PathLike:
        """Returns a path in the form that the other methods take.

        Args:
            path (str or PathLike): the path.

        Returns:
            str or PathLike: the path.
        """

    @abstractmethod
    def mkdir(self, path: str | os.PathLike) -> None:
        """Makes a folder and those above it, where they are not there.

        Args:
            path (str or PathLike): the folder.
        """

    @classmethod
    @abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        """Returns whether this may be a path of such files.

        Args:
            checkpoint_id (str or PathLike): the path.

        Returns:
            bool: whether it may.
        """

    @abstractmethod
    def exists(self, path: str | os.PathLike) -> bool:
        """Returns whether there is a file or a folder.

        Args:
            path (str or PathLike): the path.

        Returns:
            bool: whether there is one.
        """

    @abstractmethod
    def rm_file(self, path: str | os.PathLike) -> None:
        """Removes a file.

        Args:
            path (str or PathLike): the file.
        """


class FileSystem(FileSystemBase):
    """Files of this machine."""

    @contextmanager
    def create_stream(self, path: str | os.PathLike, mode: str) -> Iterator[io.IOBase]:
        """Opens a file.

        Args:
            path (str or PathLike): the file.
            mode (str): as of `open`.

        Returns:
            context manager: of the open file.
        """
        with Path(path).open(mode) as stream:
            yield stream

    def concat_path(self, path: str | os.PathLike, suffix: str) -> str | os.PathLike:
        """Returns the path of a file in a folder.

        Args:
            path (str or PathLike): the folder.
            suffix (str): the file's name.

        Returns:
            Path: the path.
        """
        return Path(path, suffix)

    def init_path(self, path: str | os.PathLike) -> str | os.PathLike:
        """Returns a path as a `Path`.

        Args:
            path (str or PathLike): the path.

        Returns:
            Path: the path.
        """
        return Path(path)

    def rename(self, path: str | os.PathLike, new_path: str | os.PathLike) -> None:
        """Gives a file another name; one that has it is replaced, in one step.

        Args:
            path (str or PathLike): the file.
            new_path (str or PathLike): the name.
        """
        os.replace(path, new_path)

    def mkdir(self, path: str | os.PathLike) -> None:
        """Makes a folder and those above it.

        Args:
            path (str or PathLike): the folder.
        """
        os.makedirs(path, exist_ok=True)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        """Returns whether a path is in a folder that can be written, or is a `Path`.

        Args:
            checkpoint_id (str or PathLike): the path.

        Returns:
            bool: whether it is.
        """
        if isinstance(checkpoint_id, Path) or "://" in str(checkpoint_id):
            return isinstance(checkpoint_id, Path)
        return any(os.access(folder, os.W_OK) for folder in Path(checkpoint_id).parents)

    def exists(self, path: str | os.PathLike) -> bool:
        """Returns whether there is a file or a folder.

        Args:
            path (str or PathLike): the path.

        Returns:
            bool: whether there is one.
        """
        return os.path.exists(path)

    def rm_file(self, path: str | os.PathLike) -> None:
        """Removes a file.

        Args:
            path (str or PathLike): the file.
        """
        os.unlink(path)

    def ls(self, path: str | os.PathLike) -> list[str]:
        """Returns the paths of a folder's contents.

        Args:
            path (str or PathLike): the folder.

        Returns:
            list[str]: the paths.
        """
        return [os.path.join(path, name) for name in os.listdir(path)]


def _sync_stream_to_disk(stream):
    """Writes a file's bytes to the disk; streams that are not local files are left to their system."""
    try:
        descriptor = stream.fileno()
    except (AttributeError, io.UnsupportedOperation):
        os.sync()
    else:
        stream.flush()
        os.fsync(descriptor)


def _refuse_persistent_id(_):
    raise pickle.UnpicklingError("A checkpoint's metadata refers to nothing outside of its file")


class _Folder:
    """Shared by reader and writer of a folder."""

    def __init__(self, path: str | os.PathLike) -> None:
        self.fs = FileSystem()
        self.path = self.fs.init_path(path)
        self.rank: int | None = None
        self.use_collectives: bool = True

    def _get_metadata_path(self, rank: int | None = None) -> str | os.PathLike:
        """The index file: one for all ranks, or one each for ranks that saved alone."""
        return self.fs.concat_path(self.path, _metadata_fn if rank is None else f"__{rank}{_metadata_fn}")

    @property
    def checkpoint_id(self) -> str | os.PathLike:
        """The folder (Path)."""
        return self.path

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        """Returns whether a path is in a folder that can be written, or is a `Path`.

        Args:
            checkpoint_id (str or PathLike): the path.

        Returns:
            bool: whether it is.
        """
        return FileSystem.validate_checkpoint_id(checkpoint_id)


class _Unclosed(io.RawIOBase):
    """A stream that does not close the file, since other items follow."""

    def __init__(self, stream) -> None:
        super().__init__()
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        return self._stream.write(data)


def _copy_to_compact_cpu_storage(tensor):
    """Returns a tensor whose storage contains only its elements: a view would be saved with its complete base."""
    tensor = tensor.detach().cpu()
    return tensor if tensor.untyped_storage().nbytes() == tensor.nbytes else tensor.clone()


class _FileSystemWriter(_Folder, StorageWriter):
    """Writes checkpoints into a folder; one object can write several in sequence."""

    def __init__(
        self, path: str | os.PathLike, single_file_per_rank: bool = True, sync_files: bool = True,
        thread_count: int = 1, per_thread_copy_ahead: int = 10_000_000, overwrite: bool = True,
        _extensions: Sequence[StreamTransformExtension] | None = None,
        serialization_format: SerializationFormat = SerializationFormat.TORCH_SAVE, *args: Any, **kwargs: Any,
    ) -> None:  # fmt: skip
        if serialization_format != SerializationFormat.TORCH_SAVE:
            raise NotImplementedError(f"FileSystemWriter: {serialization_format} is not in this build")
        super().__init__(path)
        self.single_file_per_rank, self.thread_count, self.sync_files = single_file_per_rank, thread_count, sync_files
        self.per_thread_copy_ahead, self.overwrite = per_thread_copy_ahead, overwrite
        self.serialization_format, self.save_id = serialization_format, str(uuid.uuid4())
        self._extensions = tuple(_extensions or ())

    def reset(self, checkpoint_id: str | os.PathLike | None = None) -> None:
        """Begins another checkpoint.

        Args:
            checkpoint_id (str or PathLike, optional): the folder. Default: that of before.
        """
        self.save_id = str(uuid.uuid4())
        self.path = self.fs.init_path(checkpoint_id) if checkpoint_id else self.path

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Says what this rank is.

        Args:
            is_coordinator (bool): without effect.
            *args (Any): without effect.
            **kwargs (Any): `rank`, and `use_collectives`: False where each rank saves alone.
        """
        self.use_collectives, self.rank = kwargs.get("use_collectives", True), kwargs.get("rank")

    @property
    def _own_rank(self) -> int | None:
        """The rank, if each rank saves alone."""
        return None if self.use_collectives else self.rank

    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        """Makes the folder.

        Args:
            plan (SavePlan): the planner's plan.

        Returns:
            SavePlan: the plan.

        Raises:
            RuntimeError: when a checkpoint exists that may not be overwritten.
        """
        self.fs.mkdir(self.path)
        if self.fs.exists(self._get_metadata_path(None if self.use_collectives else 0)):
            if not self.overwrite:
                raise RuntimeError(f"Checkpoint already exists and {self.overwrite=}.")
            warnings.warn(
                f"Detected an existing checkpoint in {self.path}, overwriting since {self.overwrite=}."
                " Past version 2.5 of PyTorch, `overwrite` will default to False. Set this variable to True to"
                " maintain this functionality or False to raise when an existing checkpoint is found.",
                stacklevel=2,
            )
        return plan if self._own_rank is None else replace(plan, storage_data=_StoragePrefix(f"__{self.rank}_"))

    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        """Says what the names of each rank's files begin with.

        Args:
            plans (list[SavePlan]): a plan for each rank.

        Returns:
            list[SavePlan]: the plans.
        """
        return [
            replace(plan, storage_data=plan.storage_data or _StoragePrefix(f"__{rank}_"))
            for rank, plan in enumerate(plans)
        ]

    def _divide_items_into_files(self, items: list[WriteItem]) -> list[list[WriteItem]]:
        """The items of each file: one file per thread, of about equal size, or one per item."""
        if not self.single_file_per_rank:
            return [[item] for item in items]
        if self.thread_count == 1:
            return [items]
        shares: list[list[WriteItem]] = [[] for _ in range(self.thread_count)]
        lengths = [0] * self.thread_count
        tensors = [item for item in items if item.type != WriteItemType.BYTE_IO]
        for number, item in enumerate(item for item in items if item.type == WriteItemType.BYTE_IO):
            shares[number % self.thread_count].append(item)
        for item in sorted(tensors, key=WriteItem.tensor_storage_size, reverse=True):
            shortest = lengths.index(min(lengths))
            shares[shortest].append(item)
            lengths[shortest] += item.tensor_storage_size()
        return shares

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Writes this rank's files.

        Args:
            plan (SavePlan): the plan.
            planner (SavePlanner): gives what items consist of, to `thread_count` threads at a time.

        Returns:
            Future[list[WriteResult]]: a result for each item.
        """
        jobs = [
            (f"{plan.storage_data.prefix}{number}{DEFAULT_SUFFIX}", items)
            for number, items in enumerate(self._divide_items_into_files(plan.items))
        ]
        if self.thread_count == 1:
            written = [self._write_file(planner, *job) for job in jobs]
        else:
            with ThreadPoolExecutor(self.thread_count) as pool:
                written = list(pool.map(lambda job: self._write_file(planner, *job), jobs))
        future: Future = Future()
        future.set_result([result for results in written for result in results])
        return future

    @contextmanager
    def _create_file_atomically(self, path):
        """A file that gets its name when it is complete, and is removed otherwise."""
        unfinished = self.fs.concat_path(self.path, os.path.basename(os.fspath(path)) + _UNFINISHED)
        try:
            with self.fs.create_stream(unfinished, "wb") as stream:
                yield stream
                if self.sync_files:
                    _sync_stream_to_disk(stream)
        except BaseException:
            if self.fs.exists(unfinished):
                self.fs.rm_file(unfinished)
            raise
        if not isinstance(self.fs, FileSystem) and self.fs.exists(path):  # it must not replace a file
            self.fs.rm_file(path)
        self.fs.rename(unfinished, path)

    def _write_file(self, planner, name: str, items: list[WriteItem]) -> list[WriteResult]:
        ordered = sorted(items, key=lambda item: item.type != WriteItemType.BYTE_IO)
        with self._create_file_atomically(self.fs.concat_path(self.path, name)) as stream:
            return [self._write_item(stream, name, item, planner.resolve_data(item)) for item in ordered]

    def _write_item(self, stream, name: str, item: WriteItem, data) -> WriteResult:
        offset = stream.tell()
        out = _Unclosed(stream)
        for extension in self._extensions:
            out = extension.transform_to(out)
        if item.type == WriteItemType.BYTE_IO:
            if not isinstance(data, io.BytesIO):
                raise AssertionError("Data must be io.BytesIO for BYTE_IO write items")
            out.write(data.getbuffer())
        else:
            if not isinstance(data, torch.Tensor):
                raise AssertionError("Data must be torch.Tensor for non-BYTE_IO write items")
            torch.save(_copy_to_compact_cpu_storage(data), out)
        out.close()
        length = stream.tell() - offset
        descriptors = [extension.get_descriptor() for extension in reversed(self._extensions)] or None
        return WriteResult(item.index, length, _StorageInfo(name, offset, length, descriptors))

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Writes `.metadata`.

        Args:
            metadata (Metadata): what the checkpoint holds; gets where it is, the folder and the version.
            results (list[list[WriteResult]]): all ranks' results.
        """
        metadata.version, metadata.storage_meta = CURRENT_DCP_VERSION, self.storage_meta()
        metadata.storage_data = {result.index: result.storage_data for written in results for result in written}
        with self._create_file_atomically(self._get_metadata_path(self._own_rank)) as stream:
            make_pickler(pickle, stream, pickle.DEFAULT_PROTOCOL, lambda value: None).dump(metadata)

    def storage_meta(self) -> StorageMeta | None:
        """Returns the folder, and the name of this save.

        Returns:
            StorageMeta: both.
        """
        return StorageMeta(self.checkpoint_id, self.save_id)


class FileSystemWriter(_FileSystemWriter, BlockingAsyncStager):
    """Writes checkpoints into a folder, real torch's format; one writer serves one save at a time.

    Args:
        path (str or PathLike): the folder; is made.
        single_file_per_rank (bool): whether a rank writes one file (for each thread); otherwise one for each item.
            Default: ``True``.
        sync_files (bool): whether files are on the disk before they count as written. Default: ``True``.
        thread_count (int): how many threads of a rank write. Default: 1.
        per_thread_copy_ahead (int): accepted; copies are made one by one here. Default: 10000000.
        cache_staged_state_dict (bool): whether `async_save` copies into the memory of the save before.
            Default: ``False``.
        overwrite (bool): whether an existing checkpoint may be overwritten, with a warning. Default: ``True``.
        _extensions (sequence of StreamTransformExtension, optional): change the bytes of items.
        serialization_format (SerializationFormat): only `TORCH_SAVE` is in this build.

    Raises:
        NotImplementedError: for another format.
    """

    def __init__(
        self, path: str | os.PathLike, single_file_per_rank: bool = True, sync_files: bool = True,
        thread_count: int = 1, per_thread_copy_ahead: int = 10_000_000, cache_staged_state_dict: bool = False,
        overwrite: bool = True, _extensions: Sequence[StreamTransformExtension] | None = None,
        serialization_format: SerializationFormat = SerializationFormat.TORCH_SAVE,
    ) -> None:  # fmt: skip
        BlockingAsyncStager.__init__(self, cache_staged_state_dict)
        options = single_file_per_rank, sync_files, thread_count, per_thread_copy_ahead, overwrite
        _FileSystemWriter.__init__(self, path, *options, _extensions, serialization_format)

    def stage(self, state_dict: STATE_DICT_TYPE) -> STATE_DICT_TYPE:
        """Returns a copy of a state_dict, for `async_save`.

        Args:
            state_dict (dict[str, Any]): the state_dict.

        Returns:
            dict[str, Any]: the copy, on the CPU.
        """
        self.per_thread_copy_ahead = 0
        return BlockingAsyncStager.stage(self, state_dict)


class FileSystemReader(_Folder, StorageReader):
    """Reads checkpoints from a folder, real torch's too; one reader serves one load at a time.

    `.metadata` is a pickle, which runs code that it asks for: load only what you trust.

    Args:
        path (str or PathLike): the folder.
        _extension_registry (ExtensionRegistry, optional): the extensions that may have changed the bytes of items.
    """

    def __init__(self, path: str | os.PathLike, _extension_registry: ExtensionRegistry | None = None) -> None:
        super().__init__(path)
        self._extensions = _extension_registry or ExtensionRegistry()
        self.storage_data: dict[Any, Any] = {}
        self.load_id = str(uuid.uuid4())

    def reset(self, checkpoint_id: str | os.PathLike | None = None) -> None:
        """Begins with another checkpoint.

        Args:
            checkpoint_id (str or PathLike, optional): the folder. Default: that of before.
        """
        self.storage_data, self.load_id = {}, str(uuid.uuid4())
        self.path = self.fs.init_path(checkpoint_id) if checkpoint_id else self.path

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """Reads `.metadata`.

        Args:
            *args (Any): without effect.
            **kwargs (Any): `rank`, to read what only that rank saved.

        Returns:
            Metadata: the contents of the checkpoint.

        Raises:
            FileNotFoundError: when the file does not exist.
            Exception: any error of unpickling, for a truncated file or another format.
        """
        with self.fs.create_stream(self._get_metadata_path(kwargs.get("rank")), "rb") as stream:
            metadata = make_unpickler(pickle, stream, _refuse_persistent_id).load()
        if getattr(metadata, "storage_meta", None) is None:
            metadata.storage_meta = StorageMeta()
        metadata.storage_meta.load_id = self.load_id
        return metadata

    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Says where things are.

        Args:
            metadata (Metadata): what the checkpoint holds.
            is_coordinator (bool): without effect.
            *args (Any): without effect.
            **kwargs (Any): `rank` and `use_collectives`.
        """
        self.storage_data = metadata.storage_data
        self.rank, self.use_collectives = kwargs.get("rank"), kwargs.get("use_collectives", True)
        if self.storage_data is None:
            raise AssertionError("storage_data must not be None in metadata")

    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """Returns a plan as it is.

        Args:
            plan (LoadPlan): the plan.

        Returns:
            LoadPlan: the same.
        """
        return plan

    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """Returns plans as they are.

        Args:
            plans (list[LoadPlan]): the plans.

        Returns:
            list[LoadPlan]: the same.
        """
        return plans

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Reads this rank's items, file by file.

        Args:
            plan (LoadPlan): the plan.
            planner (LoadPlanner): takes bytes, and has the tensors that elements are read into.

        Returns:
            Future[None]: complete.

        Raises:
            FileNotFoundError: when a file is not there.
            EOFError: when a file ends before an item does.
        """
        by_file: dict[str, list[ReadItem]] = {}
        for item in plan.items:
            by_file.setdefault(self.storage_data[item.storage_index].relative_path, []).append(item)
        for name, items in by_file.items():
            with self.fs.create_stream(self.fs.concat_path(self.path, name), "rb") as stream:
                for item in items:
                    self._read_item(stream, item, planner)
        future: Future = Future()
        future.set_result(None)
        return future

    def _slice_file(self, file, sinfo: _StorageInfo) -> IO[bytes]:
        """Returns an item's bytes; raises if some are missing."""
        length, end = file.seek(0, os.SEEK_END), sinfo.offset + sinfo.length
        if not 0 <= sinfo.offset <= end <= length:
            raise EOFError(
                f"{sinfo.relative_path} has {length} bytes, and an item that takes those from {sinfo.offset} to {end}"
            )
        return _FileView(file, sinfo.offset, sinfo.length)

    def _read_item(self, stream, item: ReadItem, planner) -> None:
        info = self.storage_data[item.storage_index]
        source = self._slice_file(stream, info)
        # Metadata of older checkpoints lacks `transform_descriptors`.
        for extension in self._extensions.from_descriptor_list(getattr(info, "transform_descriptors", None) or ()):
            source = extension.transform_from(source)
        if item.type == LoadItemType.BYTE_IO or not source.seekable():
            source = io.BytesIO(source.read(-1))
        if item.type == LoadItemType.BYTE_IO:
            planner.load_bytes(item, source)
            return
        stored = torch.load(source, map_location="cpu", weights_only=True)
        if not isinstance(stored, torch.Tensor):
            raise TypeError(
                f"{info.relative_path} has a {type(stored).__name__} for {item.storage_index}, not a Tensor"
            )
        part = _narrow_to_box(stored, item.storage_offsets, item.lengths)
        target = planner.resolve_tensor(item).detach()
        if target.size() != part.size():
            raise AssertionError(f"req {item.storage_index} mismatch sizes {target.size()} vs {part.size()}")
        target.copy_(part)
        planner.commit_tensor(item, target)
