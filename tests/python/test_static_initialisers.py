"""Loading libmindtorch runs no initialiser of ours: the list of operators is constant data (impl/definition/op.h)."""

import importlib.util
import struct
import subprocess
from pathlib import Path

import pytest

DYNAMIC_SEGMENT, INIT_ARRAY_SIZE = 2, 27  # PT_DYNAMIC and DT_INIT_ARRAYSZ of the ELF format


def count_initialisers(library: Path) -> int:
    """The number of functions that the loader calls: the entries of the init array, from its size in the dynamic
    section."""
    data = library.read_bytes()
    assert data[:6] == b"\x7fELF\x02\x01", f"{library} is no 64-bit little-endian ELF file"
    headers_at = struct.unpack_from("<Q", data, 32)[0]
    header_size, headers = struct.unpack_from("<HH", data, 54)
    for i in range(headers):
        kind, _, offset, _, _, size = struct.unpack_from("<IIQQQQ", data, headers_at + i * header_size)
        if kind == DYNAMIC_SEGMENT:
            entries = dict(struct.iter_unpack("<qQ", data[offset : offset + size]))
            return entries.get(INIT_ARRAY_SIZE, 0) // 8
    raise AssertionError(f"{library} has no dynamic section")


# The compiler adds an initialiser to a library that queries the processor's instruction sets.
ASKS_THE_PROCESSOR = """
#ifdef __x86_64__
int value() { return __builtin_cpu_supports("avx2"); }
#endif
"""


@pytest.fixture
def compile_to_library(tmp_path):
    def compile_library(source: str) -> Path:
        (tmp_path / "library.cpp").write_text(source)
        library = tmp_path / "library.so"
        subprocess.run(["c++", "-shared", "-fPIC", "-o", library, tmp_path / "library.cpp"], check=True)
        return library

    return compile_library


def built_library() -> Path:
    spec = importlib.util.find_spec("mindtorch")
    folders = [Path(folder) / "lib" for folder in spec.submodule_search_locations] if spec else []
    for folder in [*folders, Path(__file__).parents[2] / "build/release/lib"]:
        if (folder / "libmindtorch.so.0").exists():
            return folder / "libmindtorch.so.0"
    pytest.fail("no libmindtorch.so.0 is built")


def test_a_static_object_with_a_constructor_is_counted(compile_to_library):
    plain = count_initialisers(compile_to_library("int value = 1;"))
    source = "int make(); struct Made { Made() : value(make()) {} int value; }; int make() { return 1; } Made made;"
    assert count_initialisers(compile_to_library(source)) == plain + 1


def test_the_library_has_only_the_initialiser_that_the_compiler_adds(compile_to_library):
    assert count_initialisers(built_library()) == count_initialisers(compile_to_library(ASKS_THE_PROCESSOR))
