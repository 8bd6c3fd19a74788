"""Storages written to files and read back by the methods of legacy files; values from real torch."""

import io

import pytest

# What real torch writes for three float32 elements: their number, then their bytes.
WRITTEN = b"\3" + bytes(7) + b"\0\0\x80?\0\0\0@\0\0@@"


@pytest.fixture
def make_storage(mt):
    return mt.tensor([1.0, 2.0, 3.0]).untyped_storage()


def test_write_file_writes_the_count_and_the_bytes(make_storage, tmp_path):
    memory = io.BytesIO()
    make_storage._write_file(memory, False, True, 4)
    with open(tmp_path / "f", "wb") as file:
        make_storage._write_file(file, True, True, 4)
    assert memory.getvalue() == (tmp_path / "f").read_bytes() == WRITTEN
    memory = io.BytesIO()
    make_storage._write_file(memory, False, False, 4)
    assert memory.getvalue() == WRITTEN[8:]


def test_storages_read_what_was_written(mt, make_storage, tmp_path):
    (tmp_path / "f").write_bytes(b"xx" + WRITTEN)
    with open(tmp_path / "f", "rb") as file:
        there = mt.UntypedStorage(12)
        assert there._set_from_file(file, 2, True, 4) is there
        assert there.tolist() == make_storage.tolist()
        assert file.tell() == 22
    with open(tmp_path / "f", "rb", buffering=0) as file:
        file.seek(2)
        assert mt.UntypedStorage._new_with_file(file, 4).tolist() == make_storage.tolist()
    there = mt.UntypedStorage(12)
    there._set_from_file(io.BytesIO(WRITTEN), None, False, 4)
    assert there.tolist() == make_storage.tolist()


def test_files_that_do_not_fit_are_refused(mt, tmp_path):
    with pytest.raises(RuntimeError, match="storage has wrong byte size: expected 8 got 12"):
        mt.UntypedStorage(8)._set_from_file(io.BytesIO(WRITTEN), None, False, 4)
    with pytest.raises(RuntimeError, match="unexpected EOF, expected 1 more bytes"):
        mt.UntypedStorage(12)._set_from_file(io.BytesIO(WRITTEN[:-1]), None, False, 4)
    with pytest.raises(RuntimeError, match="offset is NYI for filelike objects"):
        mt.UntypedStorage(12)._set_from_file(io.BytesIO(WRITTEN), 0, False, 4)
    with pytest.raises(RuntimeError, match="_new_with_file couldn't retrieve a file descriptor from given object"):
        mt.UntypedStorage._new_with_file(io.BytesIO(WRITTEN), 4)
    with pytest.raises(RuntimeError, match="_write_file couldn't retrieve a file descriptor from given object"):
        mt.UntypedStorage(12)._write_file(io.BytesIO(), True, True, 4)


def test_meta_storages_have_no_bytes_to_write(mt):
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
        mt.UntypedStorage(3, device="meta")._write_file(io.BytesIO(), False, True, 1)
