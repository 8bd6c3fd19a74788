"""Extensions by others: LibTorch's stable ABI, and the libraries that they link to, loaded on demand."""

import ctypes
import functools
import os
import platform
import re
import struct

from . import _C

# Libraries for C++ extensions in load order: later ones depend on earlier ones.
_LIBRARIES = (
    "libtorch_cpu.so",
    "libc10.so",
    "libtorch.so",
    "libtorch_python.so",
    "libtorch_cuda.so",
    "libc10_cuda.so",
    "libcudart.so.13",
    "libnvrtc.so.13",
)
_MACHINES = {3: "i386", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
_MISSING_LIBRARY = re.compile("|".join(map(re.escape, _LIBRARIES)))
_LONGEST_NAME = 4096
_UNDEFINED = re.compile(r"undefined symbol: (\w+)")


def libraries_folder():
    """Returns the folder of the libraries: next to libmindtorch, in an installation and in a build."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(_C.__file__))), "lib", "libtorch")


def include_folder():
    """Returns the folder with the headers for extensions: torch/csrc/stable/*.h and torch/headeronly/*.h."""
    return os.path.join(os.path.dirname(os.path.dirname(libraries_folder())), "include", "libtorch")


class _File:
    """Returns the machine and the required libraries of a shared library. Raises ValueError for other and for damaged
    files."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self._file = file
            if self._read_bytes(0, 6) != b"\x7fELF\x02\x01":
                raise ValueError("no 64-bit ELF file of this byte order")
            (machine,) = self._read_numbers("<H", 18)
            self.machine = _MACHINES.get(machine, f"machine {machine}")
            self.needed = self._read_needed_libraries()

    def _read_needed_libraries(self):
        (table,) = self._read_numbers("<Q", 32)
        size, count = self._read_numbers("<HH", 54)
        segments = []
        for i in range(count):
            kind, _, offset, address, _, in_file = self._read_numbers("<IIQQQQ", table + i * size)
            segments.append((kind, offset, address, in_file))
        dynamic = [
            entry
            for kind, offset, _, length in segments
            if kind == 2
            for entry in self._read_dynamic_entries(offset, length)
        ]
        strings = next((value for tag, value in dynamic if tag == 5), None)
        if strings is None:
            return []
        starts = [o + strings - a for kind, o, a, n in segments if kind == 1 and a <= strings < a + n]
        if not starts:
            raise ValueError("the table of names is in no segment")
        return [self._read_string(starts[0] + value) for tag, value in dynamic if tag == 1]

    def _read_dynamic_entries(self, offset, length):
        for position in range(offset, offset + length, 16):
            tag, value = self._read_numbers("<QQ", position)
            if tag == 0:
                return
            yield tag, value

    def _read_string(self, start):
        return self._read_bytes(start, _LONGEST_NAME, whole=False).partition(b"\0")[0].decode(errors="replace")

    def _read_numbers(self, layout, offset):
        return struct.unpack(layout, self._read_bytes(offset, struct.calcsize(layout)))

    def _read_bytes(self, offset, length, whole=True):
        if offset >= 2**63:
            raise ValueError("an offset is outside the file")
        self._file.seek(offset)
        found = self._file.read(length)
        if whole and len(found) < length:
            raise ValueError("the file ends early")
        return found


@functools.cache
def _open_library(name):
    return ctypes.CDLL(os.path.join(libraries_folder(), name))


@functools.cache
def _stable_abi():
    """libtorch_cpu.so, on which the other libraries depend."""
    if __package__ != "torch":
        raise RuntimeError(
            "this extension links to libtorch by name, and so does a real torch: it can be loaded where mindtorch is "
            "torch (`python -m mindtorch enable`, or mindtorch.install() before the first import)"
        )
    library = _open_library(_LIBRARIES[0])
    library.mindtorch_extension_load_end.restype = ctypes.c_char_p
    library.mindtorch_extension_namespace.restype = ctypes.c_char_p
    return library


def find_namespace_source(namespace):
    """Returns the source location at which an extension defined a namespace of operators; None if none did."""
    if not _stable_abi.cache_info().currsize:
        return None
    place = _stable_abi().mindtorch_extension_namespace(namespace.encode())
    return place and place.decode()


def _explain_error(error):
    """Returns the loader's message, with an explanation if necessary."""
    text = str(error)
    found = _UNDEFINED.search(text)
    if found is None:
        return text
    if found[1].startswith(("aoti_torch_", "torch_")):
        return f"{text} (not in LibTorch's stable ABI of 2.13 as it is here: the extension was built for a newer one)"
    if re.match(r"_ZNK?\d*(2at|3c10|5torch|5caffe)", found[1]):
        return f"{text} (libtorch's C++ interface, which is not here; extensions over its stable ABI can be loaded)"
    return text


def load_with_dependencies(path, load):
    """Loads the libtorch libraries that `path` requires, then calls `load`; RuntimeError if operators could not be
    registered."""
    try:
        file = _File(path)
    except (OSError, ValueError):
        return load()  # the loader's error is clearer
    here = platform.machine()
    if file.machine != here:
        raise OSError(f"{path}: built for {file.machine}, and this process runs on {here}")
    asked = [name for name in _LIBRARIES if name in file.needed]
    if not asked:
        return load()
    stable_abi = _stable_abi()
    for name in asked:
        _open_library(name)
    stable_abi.mindtorch_extension_load_begin()
    try:
        loaded = load()
    finally:
        failure = stable_abi.mindtorch_extension_load_end()
    if failure:
        raise RuntimeError(failure.decode(errors="replace"))
    return loaded


def load_library(path):
    """Implements torch.ops.load_library; OSError, with the reason, if the loader fails."""
    path = os.fspath(path)
    try:
        load_with_dependencies(path, lambda: ctypes.CDLL(path))
    except OSError as error:
        raise OSError(f"Could not load this library: {path}: {_explain_error(error)}") from error


def import_module(path, load):
    """Imports an extension module that did not find libtorch: calls `load` again, after loading what it requires."""
    try:
        return load_with_dependencies(path, load)
    except ImportError as error:
        raise ImportError(_explain_error(error), name=error.name, path=error.path) from error


def is_missing_library(error):
    """Whether an import failed because one of these libraries was missing."""
    return _MISSING_LIBRARY.match(str(error)) is not None
