"""Storages in files: a count of elements (8 bytes, little endian), then the bytes."""

import os

from ._root import torch

_COUNT_BYTES = 8


def write_file(self, f, is_real_file, save_nbytes, element_size):
    """Writes the bytes at a file's position.

    Args:
        f: an open file, or an object with `write`.
        is_real_file (bool): whether `f` has a descriptor, through which the bytes are written.
        save_nbytes (bool): whether to write the number of elements first.
        element_size (int): the size of an element in bytes.
    """
    from ._zip_archive import memory_view_of_storage

    if self.device.type == "meta":
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    count = (self.nbytes() // element_size).to_bytes(_COUNT_BYTES, "little") if save_nbytes else b""
    on_host = self.cpu()  # keeps the copy of a device's storage while its memory is read
    parts = [part for part in (count, bytes(memory_view_of_storage(on_host))) if part]
    if not is_real_file:
        for part in parts:
            f.write(part)
        return
    descriptor = _get_descriptor(f, "_write_file")
    for part in map(memoryview, parts):
        while part:
            part = part[os.write(descriptor, part) :]


def set_from_file(self, f, offset, is_real_file, element_size):
    """Fills the storage from a file that `_write_file` wrote.

    Args:
        f: an open file, or an object with `readinto` or `read`.
        offset (int, optional): where in a real file to begin; the position of `f` then moves behind the bytes.
        is_real_file (bool): whether `f` has a descriptor.
        element_size (int): the size of an element in bytes.

    Returns:
        UntypedStorage: `self`.
    """
    if not is_real_file:
        if offset is not None:
            raise RuntimeError("_set_from_file: offset is NYI for filelike objects")
        return _read_into_storage(self, f.read, element_size)
    descriptor = _get_descriptor(f, "_set_from_file")
    if offset is not None:
        os.lseek(descriptor, offset, os.SEEK_SET)
    _read_into_storage(self, lambda n: os.read(descriptor, n), element_size)
    if offset is not None:
        f.seek(os.lseek(descriptor, 0, os.SEEK_CUR))
    return self


def new_with_file(cls, f, element_size):
    """Makes a storage from a file that `_write_file` wrote.

    Args:
        f: an open file with a descriptor.
        element_size (int): the size of an element in bytes.

    Returns:
        UntypedStorage: a new storage.
    """
    descriptor = _get_descriptor(f, "_new_with_file")

    def read_from_descriptor(n):
        return os.read(descriptor, n)

    count = int.from_bytes(_read_exactly(read_from_descriptor, _COUNT_BYTES), "little")
    return cls(_read_exactly(read_from_descriptor, count * element_size))


def _get_descriptor(f, function):
    try:
        return f.fileno()
    except (AttributeError, OSError):
        raise RuntimeError(f"{function} couldn't retrieve a file descriptor from given object") from None


def _read_into_storage(storage, read, element_size):
    count = int.from_bytes(_read_exactly(read, _COUNT_BYTES), "little")
    if count * element_size != storage.nbytes():
        raise RuntimeError(f"storage has wrong byte size: expected {storage.nbytes()} got {count * element_size}")
    data = _read_exactly(read, storage.nbytes())
    if storage.device.type != "meta" and data:
        storage.copy_(torch.UntypedStorage(data))
    return storage


def _read_exactly(read, n):
    data = bytearray()
    while len(data) < n:
        more = read(min(n - len(data), 1 << 24))
        if not more:
            raise RuntimeError(f"unexpected EOF, expected {n - len(data)} more bytes. The file might be corrupted.")
        data += more
    return bytes(data)
