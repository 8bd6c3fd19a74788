"""Chooses the storage of a checkpoint if the caller has not."""

import os

from .filesystem import FileSystemReader, FileSystemWriter
from .storage import StorageReader, StorageWriter


def _storage_setup(
    storage: StorageReader | StorageWriter | None, checkpoint_id: str | os.PathLike | None, reader: bool = False
) -> StorageReader | StorageWriter:
    """Returns the given storage, or the first kind that accepts such a path."""
    if storage is not None:
        if checkpoint_id is not None:
            storage.reset(checkpoint_id)
        return storage
    if not checkpoint_id:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
    for kind in _yield_reader_or_writer_classes(reader):
        if kind.validate_checkpoint_id(checkpoint_id):
            found = kind(checkpoint_id)
            found.reset(checkpoint_id)
            return found
    raise RuntimeError(
        "Cannot detect which StorageReader or StorageWriter to use. Please specify the storage_reader/storage_writer."
    )


def _yield_reader_or_writer_classes(reader):
    yield FileSystemReader if reader else FileSystemWriter
    try:
        from . import _fsspec_filesystem as remote
    except ImportError:  # fsspec is not installed
        return
    yield remote.FsspecReader if reader else remote.FsspecWriter
