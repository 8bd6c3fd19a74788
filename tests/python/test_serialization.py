"""torch.save and torch.load: bytes, readable files and errors match torch."""

import io
import os
import pickle
import zipfile

import pytest


def test_files_written_under_our_own_name_name_torch(mt, oracle):
    stream = io.BytesIO()
    mt.save({"w": mt.ones(2), "p": mt.nn.Parameter(mt.zeros(1))}, stream)
    stream.seek(0)
    loaded = oracle.load(stream)
    assert loaded["w"].tolist() == [1.0, 1.0]
    assert type(loaded["p"]) is oracle.nn.Parameter


def test_torchs_files_load_under_our_own_name(mt, oracle):
    stream = io.BytesIO()
    oracle.save({"w": oracle.ones(2), "p": oracle.nn.Parameter(oracle.zeros(1))}, stream)
    for weights_only in (True, False):
        stream.seek(0)
        loaded = mt.load(stream, weights_only=weights_only)
        assert type(loaded["w"]) is mt.Tensor and type(loaded["p"]) is mt.nn.Parameter


def _save_and_load(mt, obj, **options):
    stream = io.BytesIO()
    mt.save(obj, stream)
    stream.seek(0)
    return mt.load(stream, **options)


def test_shared_storages_stay_shared(mt):
    base = mt.arange(6.0)
    first, second = _save_and_load(mt, [base[:3], base[2:]])
    first[2] = 42
    assert second[0] == 42


def test_mmap_reads_from_the_file_and_does_not_write_to_it(mt, tmp_path):
    path = tmp_path / "t.pt"
    mt.save(mt.ones(1000), path)
    loaded = mt.load(path, mmap=True)
    loaded.add_(1)
    assert loaded.sum() == 2000
    assert mt.load(path).sum() == 1000


@pytest.mark.parametrize("mmap", [False, True])
def test_storages_of_all_sizes_are_read_as_saved(mt, tmp_path, mmap):
    path = tmp_path / "t.pt"
    saved = {f"w{n}": mt.arange(n, dtype=mt.int32) * 7 for n in (0, 1, 1000, 300_000, 5_000_000)}
    saved["shared"] = saved["w5000000"][10:20]
    mt.save(saved, path)
    loaded = mt.load(path, mmap=mmap)
    assert list(loaded) == list(saved) and all(mt.equal(loaded[name], saved[name]) for name in saved)
    loaded["shared"].zero_()
    assert loaded["w5000000"][9:21].tolist() == [63, *[0] * 10, 140]
    assert mt.equal(mt.load(path, mmap=mmap)["w5000000"], saved["w5000000"])


def test_failed_save_leaves_the_old_file(mt, tmp_path):
    path = tmp_path / "t.pt"
    mt.save(1, path)
    with pytest.raises((AttributeError, pickle.PicklingError, TypeError)):
        mt.save([mt.ones(3), lambda: 0], path)
    assert mt.load(path) == 1
    assert os.listdir(tmp_path) == ["t.pt"]


def test_storages_are_aligned_to_64_bytes(mt, tmp_path):
    path = tmp_path / "t.pt"
    mt.save([mt.ones(3), mt.ones(5)], path)
    data = path.read_bytes()
    for info in zipfile.ZipFile(path).infolist():
        header = data[info.header_offset : info.header_offset + 30]
        names = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        assert (info.header_offset + 30 + names) % 64 == 0, info.filename


class Unknown:
    """A class that is on no allow-list."""


def test_weights_only_refuses_with_torchs_text(mt, oracle):
    stream = io.BytesIO(make_zip_of_pickle(pickle.dumps([Unknown()], protocol=2)))
    texts = []
    for torch in (mt, oracle):
        stream.seek(0)
        with pytest.raises(pickle.UnpicklingError) as caught:
            torch.load(stream)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
    assert f"GLOBAL {Unknown.__module__}.Unknown was not an allowed global by default" in texts[0]


def make_zip_of_pickle(pickled):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("archive/data.pkl", pickled)
        archive.writestr("archive/version", "3\n")
        archive.writestr("archive/byteorder", "little")
    return stream.getvalue()


@pytest.mark.parametrize(
    "pickled",
    [
        pickle.dumps(os.system, protocol=2),
        pickle.dumps(print, protocol=2),
        pickle.dumps([1], protocol=4),
        b"\x80\x02]q\x00K\x01\x93.",
        b"\x80\x02N}b.",
        b"\x80\x02NK\x01a.",
        b"\x80\x02K\x01K\x02K\x03s.",
        b"\x80\x02c__builtin__\neval\nq\x00X\x01\x00\x00\x001\x85R.",
        b"\x80\x02X\x03\x00\x00\x00fooQ.",
        b"\x80\x02ccollections\nOrderedDict\n)\x81.",
    ],
)
def test_hostile_pickles_end_as_in_torch(mt, oracle, pickled):
    outcomes = []
    for torch in (mt, oracle):
        try:
            outcomes.append(repr(torch.load(io.BytesIO(make_zip_of_pickle(pickled)))))
        except Exception as error:
            outcomes.append((type(error), str(error)))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("cut", [0, 3, 10, 100, 300, -10, -200])
def test_damaged_files_end_as_in_torch(mt, oracle, cut):
    stream = io.BytesIO()
    oracle.save([oracle.ones(3)], stream)
    data = stream.getvalue()[:cut]
    outcomes = []
    for torch in (mt, oracle):
        with pytest.raises(Exception) as caught:  # noqa: B017 - the type is what is compared
            torch.load(io.BytesIO(data))
        outcomes.append((caught.type, str(caught.value)))
    assert outcomes[0] == outcomes[1]


def test_safe_globals_allow_a_class_for_a_while(mt):
    with pytest.raises(pickle.UnpicklingError):
        _save_and_load(mt, [Unknown()])
    before = mt.serialization.get_safe_globals()  # an import of torch.distributed.tensor adds some
    with mt.serialization.safe_globals([Unknown]):
        assert set(mt.serialization.get_safe_globals()) == {Unknown, *before}
        assert isinstance(_save_and_load(mt, [Unknown()])[0], Unknown)
    assert mt.serialization.get_safe_globals() == before


def test_unsafe_globals_are_named(mt):
    stream = io.BytesIO()
    mt.save([Unknown(), mt.ones(1)], stream)
    stream.seek(0)
    assert mt.serialization.get_unsafe_globals_in_checkpoint(stream) == [f"{Unknown.__module__}.Unknown"]


def test_missing_folder_is_an_error_with_torchs_text(mt, tmp_path):
    with pytest.raises(RuntimeError, match=r"^Parent directory .*/none does not exist\.$"):
        mt.save(1, tmp_path / "none" / "t.pt")


def test_pickle_and_deepcopy_of_tensors(mt):
    import copy

    x = mt.arange(6.0).view(2, 3).t()
    x.note = "kept"
    for made in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert mt.equal(made, x) and made.stride() == x.stride() and made.note == "kept"
        assert made.data_ptr() != x.data_ptr()


def test_archives_are_written_and_read_record_by_record(mt, tmp_path):
    import io

    serialization = mt.serialization
    buffer = io.BytesIO()
    for target in (buffer, str(tmp_path / "file.pt"), tmp_path / "path.pt"):
        with serialization._open_zipfile_writer(target) as writer:
            writer.write_record("a/b", b"content", 7)
        buffer.seek(0)
        with serialization._open_zipfile_reader(target) as reader:
            assert reader.get_record("a/b") == b"content"
    buffer.seek(0)
    assert serialization._is_zipfile(buffer) and buffer.tell() == 0
    assert not serialization._is_zipfile(io.BytesIO(b"PK"))
    with pytest.raises(KeyError), serialization._open_zipfile_writer(tmp_path / "failed.pt"):
        raise KeyError
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file.pt", "path.pt"]
