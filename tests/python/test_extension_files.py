"""Checks of an extension before the loader opens it: damaged files are left to the loader, which reports the error."""

import random
import struct

import pytest
from mindtorch import _extensions

HEADER, SEGMENT = 64, 56  # bytes of the ELF64 header and of one entry of its program table


@pytest.fixture(scope="module")
def library_bytes():
    with open(f"{_extensions.libraries_folder()}/libtorch_cuda.so", "rb") as file:
        return file.read()


def load_modified_library(tmp_path, content):
    path = tmp_path / "extension.so"
    path.write_bytes(content)
    return _extensions.load_with_dependencies(path, lambda: "left to the loader")


def test_needs_of_a_library_are_those_of_its_dynamic_section(library_bytes, tmp_path):
    path = tmp_path / "extension.so"
    path.write_bytes(library_bytes)
    assert "libtorch_cpu.so" in _extensions._File(path).needed


def test_library_of_another_processor_is_named(library_bytes, tmp_path):
    s390 = library_bytes[:18] + struct.pack("<H", 22) + library_bytes[20:]
    with pytest.raises(OSError, match=r"built for machine 22, and this process runs on "):
        load_modified_library(tmp_path, s390)


@pytest.mark.parametrize("length", [0, 5, 6, 20, 63, HEADER, HEADER + SEGMENT + 1, 600])
def test_library_that_ends_early_is_left_to_the_loader(library_bytes, tmp_path, length):
    assert load_modified_library(tmp_path, library_bytes[:length]) == "left to the loader"


@pytest.mark.parametrize("value", [2**63 - 1, 2**64 - 1, 1 << 40])
def test_offset_outside_the_file_is_left_to_the_loader(library_bytes, tmp_path, value):
    assert (
        load_modified_library(tmp_path, library_bytes[:32] + struct.pack("<Q", value) + library_bytes[40:])
        == "left to the loader"
    )
    entries = struct.unpack_from("<H", library_bytes, 56)[0]
    for i in range(entries):
        for field in (8, 16, 32):  # offset, address, bytes in the file
            damaged = bytearray(library_bytes)
            struct.pack_into("<Q", damaged, HEADER + i * SEGMENT + field, value)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(_extensions, "_LIBRARIES", ())
                assert load_modified_library(tmp_path, bytes(damaged)) == "left to the loader"


def test_random_damage_raises_nothing_but_the_name_of_a_processor(library_bytes, tmp_path, monkeypatch):
    monkeypatch.setattr(_extensions, "_LIBRARIES", ())
    chance = random.Random(5)
    for _ in range(2000):
        damaged = bytearray(library_bytes)
        for _ in range(chance.choice((1, 4, 40))):
            damaged[chance.randrange(min(len(damaged), 4096))] = chance.randrange(256)
        try:
            assert load_modified_library(tmp_path, bytes(damaged)) == "left to the loader"
        except OSError as error:
            assert ": built for " in str(error)
