"""Checkpoints in any folder that the package fsspec can access, by an address such as ``s3://bucket/step5``."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fsspec.core import url_to_fs

from ._extension import StreamTransformExtension
from .filesystem import FileSystemBase, FileSystemReader, FileSystemWriter, SerializationFormat

__all__ = ["FsspecWriter", "FsspecReader"]


class FileSystem(FileSystemBase):
    """Files that fsspec can access; the scheme of `init_path` selects the file system."""

    fs = None

    def init_path(self, path: str | os.PathLike, **kwargs) -> str | os.PathLike:
        self.fs, _ = url_to_fs(path, **kwargs)
        return path

    @contextmanager
    def create_stream(self, path: str | os.PathLike, mode: str) -> Iterator:
        if self.fs is None:
            raise AssertionError("fs should not be None")
        with self.fs.open(os.fspath(path), mode) as stream:
            yield stream

    def concat_path(self, path: str | os.PathLike, suffix: str) -> str | os.PathLike:
        return os.path.join(path, suffix)

    def rename(self, path: str | os.PathLike, new_path: str | os.PathLike) -> None:
        self.fs.rename(path, new_path)

    def mkdir(self, path: str | os.PathLike) -> None:
        self.fs.makedirs(path, exist_ok=True)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        try:
            return not isinstance(checkpoint_id, Path) and bool(url_to_fs(checkpoint_id))
        except ValueError:
            return False

    def exists(self, path: str | os.PathLike) -> bool:
        return self.fs.exists(path)

    def rm_file(self, path: str | os.PathLike) -> None:
        self.fs.rm(path)

    def ls(self, path: str | os.PathLike) -> list[str]:
        return self.fs.ls(path, detail=False)


class _RemoteFolder:
    """Shared by writer and reader."""

    def _connect(self, path: str | os.PathLike, options: dict) -> None:
        self.fs = FileSystem()
        self.path = self.fs.init_path(path, **options)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        """Returns whether fsspec supports such addresses.

        Args:
            checkpoint_id (str or PathLike): the address.

        Returns:
            bool: whether it does.
        """
        return FileSystem.validate_checkpoint_id(checkpoint_id)


class FsspecWriter(_RemoteFolder, FileSystemWriter):
    """Writes checkpoints into a folder that fsspec reaches.

    Args:
        path (str or PathLike): the folder.
        single_file_per_rank (bool): as of `FileSystemWriter`, like the following. Default: ``True``.
        sync_files (bool): Default: ``True``.
        thread_count (int): Default: 1.
        per_thread_copy_ahead (int): Default: 10000000.
        overwrite (bool): Default: ``True``.
        _extensions (sequence of StreamTransformExtension, optional): change the bytes of items.
        serialization_format (SerializationFormat): only `TORCH_SAVE` is in this build.
        **kwargs (Any): options of the file system, for fsspec.
    """

    def __init__(
        self, path: str | os.PathLike, single_file_per_rank: bool = True, sync_files: bool = True,
        thread_count: int = 1, per_thread_copy_ahead: int = 10_000_000, overwrite: bool = True,
        _extensions: Sequence[StreamTransformExtension] | None = None,
        serialization_format: SerializationFormat = SerializationFormat.TORCH_SAVE, **kwargs,
    ) -> None:  # fmt: skip
        super().__init__(
            path,
            single_file_per_rank,
            sync_files,
            thread_count,
            per_thread_copy_ahead,
            False,
            overwrite,
            _extensions,
            serialization_format,
        )
        self._connect(path, kwargs)


class FsspecReader(_RemoteFolder, FileSystemReader):
    """Reads checkpoints from a folder that fsspec reaches.

    Args:
        path (str or PathLike): the folder.
        **kwargs (Any): options of the file system, for fsspec.
    """

    def __init__(self, path: str | os.PathLike, **kwargs) -> None:
        super().__init__(path)
        self._connect(path, kwargs)
