"""Zip archives assembled record by record, with false sizes, checksums, offsets and names on request."""

import struct
import zlib
from dataclasses import dataclass, field

UTF8 = 0x0800


@dataclass
class Record:
    """A file of an archive; a field that is None gets its correct value."""

    name: str
    data: bytes
    deflated: bool = False
    size: int | None = None
    packed_size: int | None = None
    offset: int | None = None
    crc: int | None = None
    flags: int = UTF8
    wide: bool = False  # sizes and offset in a zip64 field
    extra: bytes = b""

    def deflate_if_requested(self):
        if not self.deflated:
            return self.data
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        return packer.compress(self.data) + packer.flush()


@dataclass
class Archive:
    """The records of a file and the fields of its end record; a field that is None gets its correct value."""

    records: list
    folder: str = "archive/"
    count: int | None = None
    directory_size: int | None = None
    directory_offset: int | None = None
    tail: bytes = field(default=b"")

    def build_zip_bytes(self):
        body, directory = b"", b""
        for record in self.records:
            packed, name = record.deflate_if_requested(), (self.folder + record.name).encode("utf-8", "surrogatepass")
            crc = zlib.crc32(record.data) if record.crc is None else record.crc
            size = len(record.data) if record.size is None else record.size
            packed_size = len(packed) if record.packed_size is None else record.packed_size
            offset = len(body) if record.offset is None else record.offset
            method = 8 if record.deflated else 0
            extra = record.extra
            if record.wide or max(size, packed_size, offset) > 0xFFFFFFFF:
                extra += struct.pack("<HHQQQ", 1, 24, *(value % (1 << 64) for value in (size, packed_size, offset)))
                size = packed_size = offset = 0xFFFFFFFF
            numbers = (record.flags, method, 0, 0, crc, packed_size, size, len(name), len(extra))
            body += b"PK\x03\x04" + struct.pack("<HHHHHIIIHH", 20, *numbers) + name + extra + packed
            directory += b"PK\x01\x02" + struct.pack("<HHHHHHIIIHHHHHII", 20, 20, *numbers, 0, 0, 0, 0, offset)
            directory += name + extra
        count = len(self.records) if self.count is None else self.count
        size = len(directory) if self.directory_size is None else self.directory_size
        offset = len(body) if self.directory_offset is None else self.directory_offset
        end64 = struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, *(x % (1 << 64) for x in (count, count, size, offset)))
        locator = struct.pack("<IQI", 0, len(body) + len(directory), 1)
        short = (min(count, 0xFFFF), min(count, 0xFFFF), min(size, 0xFFFFFFFF), min(offset, 0xFFFFFFFF))
        end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, *short, 0)
        return body + directory + b"PK\x06\x06" + end64 + b"PK\x06\x07" + locator + end + self.tail


def make_checkpoint_archive(pickled, storages=None, **records):
    """Returns the archive of a pickle and its storages; `records` replaces records by name, None removes one."""
    contents = {"data.pkl": pickled, ".format_version": b"1", ".storage_alignment": b"64", "byteorder": b"little"}
    contents |= {f"data/{key}": data for key, data in (storages or {}).items()}
    contents |= {"version": b"3\n", ".data/serialization_id": b"0" * 40}
    contents |= records
    return Archive([Record(name, data) for name, data in contents.items() if data is not None])
