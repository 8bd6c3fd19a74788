"""The zip container of torch.save: stored records with aligned data, written byte for byte as torch does."""

import errno
import itertools
import os
import stat
import struct
import sys
import zlib

from ._zip_serialization_id import SerializationId

torch = sys.modules[__package__]
_crc32 = getattr(torch._C, "_crc32", zlib.crc32)

_LOCAL, _DESCRIPTOR, _CENTRAL = b"PK\x03\x04", b"PK\x07\x08", b"PK\x01\x02"
_END64, _LOCATOR64, _END = b"PK\x06\x06", b"PK\x06\x07", b"PK\x05\x06"
_UTF8_NAMES, _HAS_DESCRIPTOR = 0x0800, 0x0008
_LIMIT32 = 0xFFFFFFFF  # from here on sizes and offsets need zip64 fields
_PADDING_FIELD = b"FB"
_VERSION = 3


def memory_view_of_storage(storage):
    """Returns the bytes of a CPU storage as a writable buffer, without a copy."""
    return torch._C._memory_at(storage.data_ptr(), storage.nbytes())


def _make_zip64_field(size, start):
    """Returns the zip64 field of a record whose size or offset does not fit in 32 bits."""
    wide = struct.pack("<QQ", size, size) if size >= _LIMIT32 else b""
    if start >= _LIMIT32:
        wide += struct.pack("<Q", start)
    return struct.pack("<HH", 1, len(wide)) + wide if wide else b""


def data_offset(start, path_length, size, alignment):
    """Returns the data offset of a record whose header is written at `start`."""
    unpadded = start + 30 + path_length + len(_make_zip64_field(size, start)) + 4
    return unpadded + -unpadded % alignment if alignment > 0 else unpadded


class ZipWriter:
    """Writes records to a binary stream; `write_end_of_file` adds version, id and directory."""

    def __init__(self, stream, archive_name, compute_crc32=True, alignment=64):
        self._stream = stream
        self._name = archive_name
        self._compute_crc32 = compute_crc32
        self._alignment = alignment
        self._position = 0
        self._directory = []
        self._id = SerializationId()
        self._version = _VERSION

    def _write(self, data):
        self._stream.write(memoryview(data))
        self._position += len(data)

    def write_record(self, name, data, size=None):
        """Writes bytes, a str or a CPU storage as one record."""
        if isinstance(data, str):
            data = data.encode()
        elif not isinstance(data, (bytes, bytearray, memoryview)):
            data = memory_view_of_storage(data)
        data = memoryview(data)[:size]
        crc = _crc32(data) if self._compute_crc32 else 0
        start, flags = self._write_record_header(name, len(data))
        if len(data):
            self._write(data)
            sizes = "<QQ" if self._needs_zip64(len(data), start) else "<II"
            self._write(_DESCRIPTOR + struct.pack("<I", crc) + struct.pack(sizes, len(data), len(data)))
        self._add_to_directory(name, start, flags, crc, len(data))

    def write_record_metadata(self, name, size):
        """Reserves room for a record's data without writing it."""
        start, flags = self._write_record_header(name, size)
        self._stream.seek(size, os.SEEK_CUR)
        self._position += size
        sizes = "<QQ" if self._needs_zip64(size, start) else "<II"
        self._write(_DESCRIPTOR + struct.pack("<I", 0) + struct.pack(sizes, size, size))
        self._add_to_directory(name, start, flags, 0, size)

    @staticmethod
    def _needs_zip64(size, start):
        return size >= _LIMIT32 or start >= _LIMIT32

    def _write_record_header(self, name, size):
        path = f"{self._name}/{name}".encode()
        start = self._position
        extra = _make_zip64_field(size, start)
        padding = data_offset(start, len(path), size, self._alignment) - (start + 30 + len(path) + len(extra) + 4)
        extra += _PADDING_FIELD + struct.pack("<H", padding) + b"Z" * padding
        flags = _UTF8_NAMES | (_HAS_DESCRIPTOR if size else 0)
        shown = _LIMIT32 if size >= _LIMIT32 else 0
        header = struct.pack("<HHHHHIIIHH", 0, flags, 0, 0, 0, 0, shown, shown, len(path), len(extra))
        self._write(_LOCAL + header + path + extra)
        return start, flags

    def _add_to_directory(self, name, start, flags, crc, size):
        self._directory.append((f"{self._name}/{name}".encode(), start, flags, crc, size))
        self._id.add(name, crc if size else None)

    def write_end_of_file(self):
        self.write_record("version", f"{self._version}\n", None)
        if not any(path.endswith(b"/byteorder") for path, *_ in self._directory):
            self.write_record("byteorder", sys.byteorder, None)
        self.write_record(".data/serialization_id", self._id.text(), None)
        start = self._position
        for path, offset, flags, crc, size in self._directory:
            self._write_directory_entry(path, offset, flags, crc, size)
        length, count = self._position - start, len(self._directory)
        end = struct.pack("<QHHIIQQQQ", 44, 0x031E, 45, 0, 0, count, count, length, start)
        locator = struct.pack("<IQI", 0, self._position, 1)
        short = min(count, 0xFFFF)
        summary = struct.pack("<HHHHIIH", 0, 0, short, short, min(length, _LIMIT32), min(start, _LIMIT32), 0)
        self._write(_END64 + end + _LOCATOR64 + locator + _END + summary)

    def _write_directory_entry(self, path, offset, flags, crc, size):
        extra = _make_zip64_field(size, offset)
        shown = min(size, _LIMIT32)
        fields = struct.pack("<HHHHHHIIIHH", 0, 0, flags, 0, 0, 0, crc, shown, shown, len(path), len(extra))
        self._write(_CENTRAL + fields + struct.pack("<HHHII", 0, 0, 0, 0, min(offset, _LIMIT32)) + path + extra)


def archive_name(path):
    """Returns the name of the folder inside the archive: the file's name without its last extension."""
    if not path.isascii():
        return "archive"
    base = os.path.basename(path)
    stem, dot, _ = base.rpartition(".")
    name = stem if dot else base
    if not name:
        raise RuntimeError(f"[enforce fail at inline_container.cc:720] . invalid file name: {path}")
    return name


class NewFile:
    """A file that gets its name only when it is complete, so that a failed save keeps the old one."""

    def __init__(self, path):
        self._target = os.path.realpath(path)
        self._aside = None
        mode = _file_mode_to_write(path)
        if mode is not None and not stat.S_ISREG(mode):  # a pipe or a device has no previous content
            self.stream = open(path, "wb")
            return
        folder, base = os.path.split(self._target)
        if not os.access(folder, os.W_OK):
            self.stream = open(path, "wb")
            return
        self._aside, self.stream = _new_file_beside(folder, base)
        if mode is not None:
            os.chmod(self._aside, stat.S_IMODE(mode))

    def __enter__(self):
        return self.stream

    def __exit__(self, exc_type, exc_value, traceback):
        try:
            self.stream.close()
            if self._aside is not None and exc_type is None:
                os.replace(self._aside, self._target)
                self._aside = None
        finally:
            if self._aside is not None:
                os.unlink(self._aside)


def _file_mode_to_write(path):
    """Returns the mode of the file to be replaced, or None if it does not exist; raises the error of opening it."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        if not path or not os.path.isdir(os.path.dirname(path) or "."):
            raise
        return None
    wrong = errno.EISDIR if stat.S_ISDIR(mode) else 0 if os.access(path, os.W_OK) else errno.EACCES
    if wrong:
        raise OSError(wrong, os.strerror(wrong), path)
    return mode


def _new_file_beside(folder, base):
    """Creates a new file in `folder` and its stream; does not overwrite what a killed save left."""
    for number in itertools.count():
        path = os.path.join(folder, f".{base[:80]}.{os.getpid()}-{number}.tmp")
        try:
            return path, open(path, "x+b")
        except FileExistsError:
            pass


def new_archive_file(path):
    """NewFile with the errors of torch's zip writer."""
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    try:
        return NewFile(path)
    except OSError as error:
        raise RuntimeError(
            f"[enforce fail at inline_container.cc:747] . open file failed with strerror: {os.strerror(error.errno)}"
        ) from None


def is_replaceable(path):
    """Whether a new file can be written beside `path` and renamed to it."""
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = None
    except OSError:
        return False
    if mode is not None and not (stat.S_ISREG(mode) and os.access(path, os.W_OK)):
        return False
    return bool(path) and not path.endswith("/") and os.path.isdir(folder) and os.access(folder, os.W_OK)


class Buffered:
    """A user's stream, flushed at the end."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return self.stream

    def __exit__(self, exc_type, exc_value, traceback):
        self.stream.flush()


def buffered_archive(stream):
    """Buffers the stream for an archive; as in torch, it must be writable from the start."""
    if not callable(getattr(stream, "write", None)):
        message = f"Buffer of {str(type(stream)).strip('<>')} has no callable attribute 'write'"
        raise TypeError(message) if hasattr(stream, "write") else AttributeError(message)
    return Buffered(stream)
