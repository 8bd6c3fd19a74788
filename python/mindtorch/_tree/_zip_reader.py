"""Reads the zip container of torch.save. Checks everything that a file states against its length."""

import os
import re
import struct
import sys
import zlib
from typing import NamedTuple

from ._zip_archive import data_offset, memory_view_of_storage

torch = sys.modules[__package__]

_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_END64, _LOCATOR64 = b"PK\x06\x06", b"PK\x06\x07"
_LOCAL_SIZE, _CENTRAL_SIZE, _END_SIZE, _END64_SIZE, _LOCATOR64_SIZE = 30, 46, 22, 56, 20
_LIMIT16, _LIMIT32 = 0xFFFF, 0xFFFFFFFF
_ENCRYPTED, _PATCH, _MASKED = 0x0041, 0x0020, 0x2000
_DEFLATED = 8
_MOST_INFLATED = 1032  # the most bytes that one deflated byte can expand to (zlib's technical notes)
_CORRUPT = (
    ". This is an internal miniz error. If you are seeing this error, there is a high likelihood that your "
    "checkpoint file is corrupted. This can happen if the checkpoint was not saved properly, was transferred "
    "incorrectly, or the file was modified after saving."
)
_BAD_HEADER = "invalid header or archive is corrupted"


def _make_error(what, reason):
    return RuntimeError(f"PytorchStreamReader failed {what}: {reason}{_CORRUPT}")


def _make_enforce_error(line, message):
    """An error whose text starts with a line of torch's C++, as torch prints it."""
    return RuntimeError(f"[enforce fail at inline_container.cc:{line}] . {message}")


class _Refused(Exception):
    """The reason why an archive's directory cannot be read."""


class _Entry(NamedTuple):
    """A file of the directory; `problem` is the reason why its data cannot be read, if any."""

    name: bytes
    flags: int
    method: int
    packed_size: int
    size: int
    header: int
    problem: str | None


class ZipReader:
    """Reads the records of an archive; a record's name is its path without the archive's own name."""

    def __init__(self, stream):
        self._stream = stream
        self._origin = stream.tell()
        self._length = stream.seek(0, os.SEEK_END) - self._origin
        stream.seek(self._origin)
        try:
            self._entries = self._read_directory()
        except _Refused as error:
            raise _make_error("reading zip archive", error) from None
        if not self._entries:
            raise _make_enforce_error(171, "archive does not contain any files")
        first = self._entries[0].name
        folder, slash, _ = first.partition(b"/")
        if not slash:
            raise _make_enforce_error(180, f"file in archive is not in a subdirectory: {_decode_name(first)}")
        self._folder = folder + b"/"
        # As in torch, names are compared without case.
        self._records = {entry.name.lower(): entry for entry in self._entries}
        self._serialization_id = b""
        if self.has_record(".data/serialization_id"):
            self._serialization_id = self.get_record(".data/serialization_id")
        self._check_version()

    def _check_version(self):
        name = ".data/version" if self.has_record(".data/version") else "version"
        if not self.has_record(name):
            raise RuntimeError(
                'Expected hasRecord("version") to be true, but got false.  '
                "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
            )
        text = self.get_record(name)
        found = re.match(rb"[ \t\n\v\f\r]*([+-]?[0-9]+)", text)
        if not found:
            message = f"Couldn't parse the version {_decode_name(text)} as Long Long."
            raise _make_enforce_error(215, message.partition("\0")[0])  # torch's text ends at a zero byte
        version = int(found[1])
        if abs(version) >= 1 << 64:
            raise IndexError("stoull")
        signed = (version + (1 << 63)) % (1 << 64) - (1 << 63)
        refused = f"Attempted to read a PyTorch file with version {signed}, but the"
        if signed > 10:
            raise _make_enforce_error(
                230,
                f"{refused} maximum supported version for reading is 10. The version of your PyTorch installation "
                "may be too old, please upgrade PyTorch to latest version to mitigate this issue.",
            )
        if signed < 1:
            raise _make_enforce_error(
                219,
                f"{refused} minimum supported version for reading is 1. Your PyTorch script module file is too old. "
                "Please regenerate it with latest version of PyTorch to mitigate this issue.",
            )

    # ---- directory

    def _bytes_at(self, position, count):
        """Returns `count` bytes from `position`, or fewer at the end of the file."""
        self._stream.seek(self._origin + position)
        pieces = []
        while count > 0:
            piece = self._stream.read(min(count, 1 << 24))
            if not piece:
                break
            pieces.append(piece)
            count -= len(piece)
        return b"".join(pieces)

    def _find_end_record(self):
        """Returns the position of the last end record; up to 64 KiB of any data may follow it."""
        if self._length < _END_SIZE:
            raise _Refused("not a ZIP archive")
        start = max(0, self._length - _LIMIT16 - _END_SIZE)
        tail = self._bytes_at(start, self._length - start)
        found = tail.rfind(_END, 0, len(tail) - _END_SIZE + len(_END))
        if found < 0:
            raise _Refused("failed finding central directory")
        return start + found

    def _read_end_records(self):
        """Returns (files, files on this disk, directory's size, its offset, this disk, the directory's disk)."""
        end = self._find_end_record()
        disk, at_disk, here, files, size, offset = struct.unpack("<HHHHII", self._bytes_at(end, _END_SIZE)[4:20])
        if end < _LOCATOR64_SIZE + _END64_SIZE:
            return files, here, size, offset, disk, at_disk
        locator = self._bytes_at(end - _LOCATOR64_SIZE, _LOCATOR64_SIZE)
        if locator[:4] != _LOCATOR64:
            return files, here, size, offset, disk, at_disk
        place, disks = struct.unpack("<QI", locator[8:])
        if place > self._length - _END64_SIZE:
            raise _Refused("not a ZIP archive")
        wide = self._bytes_at(place, _END64_SIZE)
        if wide[:4] != _END64:
            return files, here, size, offset, disk, at_disk
        (record_size,) = struct.unpack_from("<Q", wide, 4)
        disk, at_disk, here, files, size, offset = struct.unpack_from("<IIQQQQ", wide, 16)
        if record_size < _END64_SIZE - 12:
            raise _Refused(_BAD_HEADER)
        if disks != 1:
            raise _Refused("unsupported multidisk archive")
        if files > _LIMIT32 or here > _LIMIT32:
            raise _Refused("too many files")
        if size > _LIMIT32:
            raise _Refused("unsupported central directory size")
        return files, here, size, offset, disk, at_disk

    def _read_directory(self):
        files, here, size, offset, disk, at_disk = self._read_end_records()
        if files != here or ((disk or at_disk) and (disk, at_disk) != (1, 1)):
            raise _Refused("unsupported multidisk archive")
        if size < files * _CENTRAL_SIZE or offset + size > self._length:
            raise _Refused(_BAD_HEADER)
        data = self._bytes_at(offset, size)
        entries, at = [], 0
        for _ in range(files):
            entry, at = self._parse_directory_entry(data, at, disk)
            entries.append(entry)
        return entries

    def _parse_directory_entry(self, data, at, disk):
        if len(data) - at < _CENTRAL_SIZE or data[at : at + 4] != _CENTRAL:
            raise _Refused(_BAD_HEADER)
        flags, method, time = struct.unpack_from("<HHH", data, at + 8)
        packed, size, name_size, extra_size, comment_size, on_disk = struct.unpack_from("<IIHHHH", data, at + 20)
        (header,) = struct.unpack_from("<I", data, at + 42)
        name_end = at + _CENTRAL_SIZE + name_size
        name, extra = data[at + _CENTRAL_SIZE : name_end], data[name_end : name_end + extra_size]
        if extra_size and _LIMIT32 in (packed, size, header):
            if len(extra) < extra_size:
                raise _Refused(_BAD_HEADER)
            size, packed, header = _read_zip64_values(extra, size, packed, header)
        if packed != _LIMIT32 and size != _LIMIT32:
            if (method == 0 and time == 0 and packed != size) or (size and not packed):
                raise _Refused(_BAD_HEADER)
        if on_disk == _LIMIT16 or on_disk not in (disk, 1):
            raise _Refused("unsupported multidisk archive")
        if packed != _LIMIT32 and header + _LOCAL_SIZE + packed > self._length:
            raise _Refused(_BAD_HEADER)
        if flags & _MASKED:
            raise _Refused("unsupported encryption")
        following = name_end + extra_size + comment_size
        if following > len(data):
            raise _Refused(_BAD_HEADER)
        return _Entry(name, flags, method, packed, size, header, _find_unsupported_feature(flags, method)), following

    # ---- records

    def _find_entry_of_record(self, name):
        name = name.partition("\0")[0]  # torch treats a name as a C string
        return self._records.get((self._folder + name.encode("utf-8", "surrogatepass")).lower())

    def _find_readable_entry(self, name):
        entry = self._find_entry_of_record(name)
        if entry is None:
            raise _make_error(f"locating file {name}", "file not found")
        if entry.problem:
            raise _make_error(f"retrieving file meta-data for {name}", entry.problem)
        return entry

    def has_record(self, name):
        return self._find_entry_of_record(name) is not None

    def get_all_records(self):
        """Returns the names of all records; raises for a file outside the archive's folder."""
        names = []
        for entry in self._entries:
            if not entry.name.startswith(self._folder):
                raise _make_enforce_error(
                    340,
                    f"file in archive is not in a subdirectory {_decode_name(self._folder)}: "
                    f"{_decode_name(entry.name)}",
                )
            names.append(entry.name[len(self._folder) :].decode())
        return names

    def get_record(self, name):
        """Returns the record's bytes."""
        entry = self._find_readable_entry(name)
        start = self._check_data(name, entry)
        data = bytearray(entry.size)
        self._read_into(name, entry, start, memoryview(data))
        return bytes(data)

    def get_record_header_offset(self, name):
        return self._find_readable_entry(name).header

    def get_record_offset(self, name):
        """Returns the offset of the record's data in the file."""
        entry = self._find_readable_entry(name)
        header = self._bytes_at(entry.header, _LOCAL_SIZE) if entry.header < self._length else b""
        if len(header) != _LOCAL_SIZE:
            raise _make_error("reading file", "reading file header")
        return entry.header + _LOCAL_SIZE + sum(struct.unpack("<HH", header[26:]))

    def get_record_offset_no_read(self, header, name, size, alignment):
        """Returns the offset at which a record's data would start, if its header were at `header`."""
        return data_offset(header, len(self._folder + name.encode()), size, alignment)

    def get_storage(self, name, nbytes, dtype=torch.uint8):
        """Returns the record as a new UntypedStorage; error texts count elements of `dtype`."""
        entry = self._find_readable_entry(name)
        start = self._check_data(name, entry)
        if entry.size != nbytes:
            self.get_record(name)  # an unreadable record is reported first
            size, kind = dtype.itemsize, torch.empty(0, dtype=dtype).type()[len("torch.") : -len("Tensor")]
            raise RuntimeError(
                f"record size ({entry.size} bytes) does not match expected size "
                f"({nbytes} bytes = {nbytes // size} elements * {size} bytes/element) for dtype {kind}"
            )
        storage = torch.UntypedStorage(nbytes)
        self._read_into(name, entry, start, memory_view_of_storage(storage))
        return storage

    def _check_data(self, name, entry):
        """Returns the offset of an entry's data; first checks that all entries are inside the file."""
        if entry.name.endswith(b"/") or not entry.packed_size:
            if entry.size:
                raise _make_error(f"reading file {name}", _BAD_HEADER)
            return 0
        header = self._bytes_at(entry.header, _LOCAL_SIZE) if entry.header < self._length else b""
        if len(header) != _LOCAL_SIZE:
            raise _make_error(f"reading file {name}", "file read failed")
        start = entry.header + _LOCAL_SIZE + sum(struct.unpack("<HH", header[26:]))
        if header[:4] != _LOCAL or start + entry.packed_size > self._length:
            raise _make_error(f"reading file {name}", _BAD_HEADER)
        if entry.method == _DEFLATED and entry.size > entry.packed_size * _MOST_INFLATED:
            raise _make_error(f"reading file {name}", "unexpected decompressed size")
        if entry.method != _DEFLATED and start + entry.size > self._length:
            raise _make_error(f"reading file {name}", "file read failed")
        return start

    def _read_into(self, name, entry, start, target):
        if not len(target):
            return
        if entry.method == _DEFLATED:
            inflater = zlib.decompressobj(-zlib.MAX_WBITS)
            try:
                data = inflater.decompress(self._bytes_at(start, entry.packed_size), len(target))
            except zlib.error:
                raise _make_error(f"reading file {name}", "decompression failed or archive is corrupted") from None
            if len(data) != len(target):
                raise _make_error(f"reading file {name}", "unexpected decompressed size")
            target[:] = data
            return
        self._stream.seek(self._origin + start)
        read_fully(self._stream, target, _make_error(f"reading file {name}", "file read failed"))

    def serialization_id(self):
        return self._serialization_id.decode()


def _decode_name(name):
    return name.decode("utf-8", "replace")


def _find_unsupported_feature(flags, method):
    if method not in (0, _DEFLATED):
        return "unsupported method"
    if flags & _ENCRYPTED:
        return "unsupported encryption"
    return "unsupported feature" if flags & _PATCH else None


def _read_zip64_values(extra, *values):
    """Returns the values, with those that exceed 32 bits from the zip64 field if there is one."""
    at = 0
    while at < len(extra):
        if len(extra) - at < 4:
            raise _Refused(_BAD_HEADER)
        kind, length = struct.unpack_from("<HH", extra, at)
        at += 4
        if length > len(extra) - at:
            raise _Refused(_BAD_HEADER)
        if kind == 1:
            needed = sum(value == _LIMIT32 for value in values)
            if length < 8 * needed:
                raise _Refused(_BAD_HEADER)
            wide = iter(struct.unpack_from(f"<{needed}Q", extra, at))
            return tuple(next(wide) if value == _LIMIT32 else value for value in values)
        at += length
    return values


def read_fully(stream, target, error):
    """Fills `target` from a stream that may return fewer bytes than requested; raises `error` if it ends early."""
    done = 0
    while done < len(target):
        if hasattr(stream, "readinto"):
            count = stream.readinto(target[done:])
        else:
            piece = stream.read(min(len(target) - done, 1 << 24))
            count = len(piece)
            target[done : done + count] = piece
        if not count:
            raise error
        done += count
