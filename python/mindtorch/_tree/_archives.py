"""torch.PyTorchFileReader and PyTorchFileWriter: the records of a torch.save archive one by one."""

import contextlib
import sys

from ._zip_archive import Buffered, ZipWriter, archive_name, buffered_archive, new_archive_file
from ._zip_reader import ZipReader

torch = sys.modules[__package__]


class PyTorchFileReader(ZipReader):
    """The records of an archive, given as a path or as a stream that is open for reading."""

    __module__ = "torch"

    def __init__(self, file) -> None:
        if isinstance(file, str):
            try:
                file = open(file, "rb")
            except OSError as error:
                reason = f"errno {error.errno} on fopen: {error.strerror}, file path: {file}"
                raise RuntimeError(f"open file failed because of {reason}") from None
        super().__init__(file)

    def get_record_size(self, name: str) -> int:
        """Returns the number of bytes of a record."""
        return self._find_readable_entry(name).size

    def get_storage_from_record(self, name: str, numel: int, dtype):
        """Returns an empty tensor whose storage is the record, `numel` elements of `dtype`."""
        return torch.empty(0, dtype=dtype).set_(self.get_storage(name, numel * dtype.itemsize, dtype), 0, (0,))


class PyTorchFileWriter(ZipWriter):
    """Writes an archive record by record, to a path (the file appears when it is complete) or to a stream."""

    __module__ = "torch"

    def __init__(self, file, compute_crc32: bool = True, storage_alignment: int = 64) -> None:
        self._target = new_archive_file(file) if isinstance(file, str) else buffered_archive(file)
        self._written: set[str] = set()
        self._whole = False
        name = "archive" if isinstance(self._target, Buffered) else archive_name(file)
        super().__init__(self._target.__enter__(), name, compute_crc32, storage_alignment)

    def archive_name(self) -> str:
        """The folder of the records in the archive."""
        return self._name

    def serialization_id(self) -> str:
        """A number computed from the records' names and checksums; empty until the archive is complete."""
        return self._id.text() if self._whole else ""

    def set_min_version(self, version: int) -> None:
        """Raises the archive's format version to at least this one."""
        self._version = max(self._version, version)

    def get_all_written_records(self) -> set[str]:
        """The names of the records so far."""
        return set(self._written)

    def write_record(self, name: str, data, size: int) -> None:
        """Writes the first `size` bytes of a bytes object, a str or a storage."""
        if self._whole:
            raise RuntimeError("the archive is whole: nothing can be added to it")
        if name in self._written:
            raise RuntimeError(f"Tried to serialize file twice: {name}")
        super().write_record(name, data, size)
        self._written.add(name)

    def write_end_of_file(self) -> None:
        """Writes the directory; a file given by its path now gets its name."""
        super().write_end_of_file()
        self._whole = True
        self._target.__exit__(None, None, None)

    def abandon_archive(self, *error) -> None:
        """Ends an archive that an error interrupted: a file given by its path does not appear."""
        self._target.__exit__(*error)


@contextlib.contextmanager
def complete_archive(writer):
    """Completes the writer's archive when the block ends, unless it raises."""
    try:
        yield writer
    except BaseException:
        writer.abandon_archive(*sys.exc_info())
        raise
    writer.write_end_of_file()
