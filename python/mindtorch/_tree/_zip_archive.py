"""The zip container of torch.save: stored records with aligned data, written byte for byte as torch does."""

import ctypes
import os
import struct
import sys
import zlib

from ._zip_serialization_id import SerializationId

torch = sys.modules[__package__]

_LOCAL, _DESCRIPTOR, _CENTRAL = b"PK\x03\x04", b"PK\x07\x08", b"PK\x01\x02"
_END64, _LOCATOR64, _END = b"PK\x06\x06", b"PK\x06\x07", b"PK\x05\x06"
_UTF8_NAMES, _HAS_DESCRIPTOR = 0x0800, 0x0008
_LIMIT32 = 0xFFFFFFFF  # from here on sizes and offsets need zip64 fields
_PADDING_FIELD = b"FB"
_VERSION = b"3\n"
_CORRUPT = (
    ". This is an internal miniz error. If you are seeing this error, there is a high likelihood that your "
    "checkpoint file is corrupted. This can happen if the checkpoint was not saved properly, was transferred "
    "incorrectly, or the file was modified after saving."
)


def memory_of(storage):
    """The bytes of a CPU storage as a writable buffer, not copied."""
    size = storage.nbytes()
    return memoryview((ctypes.c_char * size).from_address(storage.data_ptr())).cast("B") if size else memoryview(b"")


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

    def _write(self, data):
        self._stream.write(data)
        self._position += len(data)

    def write_record(self, name, data, size=None):
        """Writes bytes, a str or a CPU storage as one record."""
        if isinstance(data, str):
            data = data.encode()
        elif not isinstance(data, (bytes, bytearray, memoryview)):
            data = memory_of(data)
        data = memoryview(data)[:size]
        crc = zlib.crc32(data) if self._compute_crc32 else 0
        start, flags = self._begin(name, len(data))
        if len(data):
            self._write(data)
            sizes = "<QQ" if self._needs_zip64(len(data), start) else "<II"
            self._write(_DESCRIPTOR + struct.pack("<I", crc) + struct.pack(sizes, len(data), len(data)))
        self._end(name, start, flags, crc, len(data))

    def write_record_metadata(self, name, size):
        """Reserves room for a record's data without writing it."""
        start, flags = self._begin(name, size)
        self._stream.seek(size, os.SEEK_CUR)
        self._position += size
        sizes = "<QQ" if self._needs_zip64(size, start) else "<II"
        self._write(_DESCRIPTOR + struct.pack("<I", 0) + struct.pack(sizes, size, size))
        self._end(name, start, flags, 0, size)

    @staticmethod
    def _needs_zip64(size, start):
        return size >= _LIMIT32 or start >= _LIMIT32

    def _begin(self, name, size):
        path = f"{self._name}/{name}".encode()
        start = self._position
        wide = struct.pack("<QQ", size, size) if size >= _LIMIT32 else b""
        if start >= _LIMIT32:
            wide += struct.pack("<Q", start)
        extra = struct.pack("<HH", 1, len(wide)) + wide if wide else b""
        padding = -(start + 30 + len(path) + len(extra) + 4) % self._alignment
        extra += _PADDING_FIELD + struct.pack("<H", padding) + b"Z" * padding
        flags = _UTF8_NAMES | (_HAS_DESCRIPTOR if size else 0)
        shown = _LIMIT32 if size >= _LIMIT32 else 0
        header = struct.pack("<HHHHHIIIHH", 0, flags, 0, 0, 0, 0, shown, shown, len(path), len(extra))
        self._write(_LOCAL + header + path + extra)
        return start, flags

    def _end(self, name, start, flags, crc, size):
        self._directory.append((f"{self._name}/{name}".encode(), start, flags, crc, size))
        self._id.add(name, crc if size else None)

    def write_end_of_file(self):
        self.write_record("version", _VERSION)
        if not any(path.endswith(b"/byteorder") for path, *_ in self._directory):
            self.write_record("byteorder", sys.byteorder)
        self.write_record(".data/serialization_id", self._id.text())
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
        wide = struct.pack("<QQ", size, size) if size >= _LIMIT32 else b""
        if offset >= _LIMIT32:
            wide += struct.pack("<Q", offset)
        extra = struct.pack("<HH", 1, len(wide)) + wide if wide else b""
        shown = min(size, _LIMIT32)
        fields = struct.pack("<HHHHHHIIIHH", 0, 0, flags, 0, 0, 0, crc, shown, shown, len(path), len(extra))
        self._write(_CENTRAL + fields + struct.pack("<HHHII", 0, 0, 0, 0, min(offset, _LIMIT32)) + path + extra)


class ZipReader:
    """Reads the records of an archive; a record's name is its path without the archive's own name."""

    def __init__(self, stream):
        import zipfile

        self._stream = stream
        self._origin = stream.tell()
        try:
            self._zip = zipfile.ZipFile(stream)
        except (zipfile.BadZipFile, OSError, struct.error):
            reason = "not a ZIP archive" if self._length() < 22 else "failed finding central directory"
            raise RuntimeError(f"PytorchStreamReader failed reading zip archive: {reason}{_CORRUPT}") from None
        infos = self._zip.infolist()
        if not infos:
            raise RuntimeError("PytorchStreamReader failed reading zip archive: archive does not contain any files")
        prefix = infos[0].filename.partition("/")[0] + "/"
        self._records = {info.filename.removeprefix(prefix): info for info in infos}
        for name in ("version", ".data/version"):
            if name in self._records:
                break
        else:
            raise RuntimeError(
                'Expected hasRecord("version") to be true, but got false.  '
                "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
            )

    def _length(self):
        return self._stream.seek(0, os.SEEK_END) - self._origin

    def _info(self, name):
        try:
            return self._records[name]
        except KeyError:
            raise RuntimeError(f"PytorchStreamReader failed locating file {name}: file not found{_CORRUPT}") from None

    def has_record(self, name):
        return name in self._records

    def get_all_records(self):
        return list(self._records)

    def get_record(self, name):
        info = self._info(name)
        data = bytearray(info.file_size)
        self._read_into(info, memoryview(data))
        return bytes(data)

    def get_record_header_offset(self, name):
        return self._info(name).header_offset

    def get_record_offset(self, name):
        """Where the record's data starts in the file."""
        start = self._info(name).header_offset
        self._stream.seek(start)
        header = self._stream.read(30)
        if len(header) != 30 or header[:4] != _LOCAL:
            raise RuntimeError(
                f"PytorchStreamReader failed reading file {name}: invalid header or archive is corrupted"
            )
        return start + 30 + sum(struct.unpack("<HH", header[26:]))

    def get_storage(self, name, nbytes):
        """The record as a new UntypedStorage."""
        info = self._info(name)
        if info.file_size != nbytes:
            raise RuntimeError(
                f"record size ({info.file_size} bytes) does not match expected size "
                f"({nbytes} bytes = {nbytes} elements * 1 bytes/element) for dtype Byte"
            )
        storage = torch.UntypedStorage(nbytes)
        self._read_into(info, memory_of(storage))
        return storage

    def _read_into(self, info, target):
        if not len(target):
            return
        if info.compress_type:
            target[:] = self._zip.read(info)
            return
        name = info.filename.partition("/")[2]
        self._stream.seek(self.get_record_offset(name))
        read_fully(self._stream, target, f"PytorchStreamReader failed reading file {name}")

    def serialization_id(self):
        name = ".data/serialization_id"
        return self.get_record(name).decode() if self.has_record(name) else ""


def read_fully(stream, target, complaint):
    """Fills `target` from a stream that may give less at a time than asked for."""
    done = 0
    while done < len(target):
        if hasattr(stream, "readinto"):
            count = stream.readinto(target[done:])
        else:
            piece = stream.read(min(len(target) - done, 1 << 24))
            count = len(piece)
            target[done : done + count] = piece
        if not count:
            raise RuntimeError(f"{complaint}: unexpected end of file")
        done += count


def archive_name(path):
    """The name of the folder inside the archive: the file's name without its last extension."""
    if not path.isascii():
        return "archive"
    base = os.path.basename(path)
    stem, dot, _ = base.rpartition(".")
    name = stem if dot else base
    if not name:
        raise RuntimeError(f"[enforce fail at inline_container.cc:720] . invalid file name: {path}")
    return name


class NewFile:
    """A file that appears under its name only when it is complete, so that a failed save leaves the old one."""

    def __init__(self, path):
        self._path = path
        directory = os.path.dirname(path)
        if directory and not os.path.isdir(directory):
            raise RuntimeError(f"Parent directory {directory} does not exist.")
        target = os.path.realpath(path)
        self._target = target
        self._aside = None
        special = os.path.exists(target) and not os.path.isfile(target)
        try:
            if not special and os.access(os.path.dirname(target) or ".", os.W_OK):
                self._aside = f"{target}.{os.getpid()}.{id(self):x}.tmp"
                self.stream = open(self._aside, "w+b")
            else:
                self.stream = open(target, "wb")
        except OSError as error:
            self._aside = None
            raise RuntimeError(
                "[enforce fail at inline_container.cc:747] . "
                f"open file failed with strerror: {os.strerror(error.errno)}"
            ) from None

    def __enter__(self):
        return self.stream

    def __exit__(self, exc_type, exc_value, traceback):
        self.stream.close()
        if self._aside is None:
            return
        if exc_type is not None:
            os.unlink(self._aside)
            return
        if os.path.exists(self._target):
            os.chmod(self._aside, os.stat(self._target).st_mode & 0o7777)
        os.replace(self._aside, self._target)


class Buffered:
    """A user's stream, flushed at the end."""

    def __init__(self, stream):
        if not callable(getattr(stream, "write", None)):
            message = f"Buffer of {str(type(stream)).strip('<>')} has no callable attribute 'write'"
            raise TypeError(message) if hasattr(stream, "write") else AttributeError(message)
        self.stream = stream

    def __enter__(self):
        return self.stream

    def __exit__(self, exc_type, exc_value, traceback):
        if exc_type is None and hasattr(self.stream, "flush"):
            self.stream.flush()


def is_zip(stream):
    """Whether the stream, at its position, starts as a zip file."""
    start = stream.tell()
    magic = stream.read(len(_LOCAL))
    stream.seek(start)
    return magic == _LOCAL
