"""torch.save and torch.load: torch's bytes out, torch's files in, torch's refusals."""

import io
import os
import pickle
import zipfile

import pytest

# What both sides save; run with `torch` imported, leaves `objects`.
OBJECTS = """
import collections, io, sys, torch
base = torch.arange(10, dtype=torch.float32) / 3
noted = torch.ones(2); noted.note = 3
dtypes = 'float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128 uint16 uint32 uint64'
objects = {
    'plain': [1, 2.5, 'x', None, True, 10**40],
    'dtypes': {name: torch.tensor([0, 1, 2]).to(getattr(torch, name)) for name in dtypes.split()},
    'views': [base, base[2:5], base.view(2, 5).t(), base[:0]],
    'empty': [torch.empty(0), torch.empty(0, 3), torch.ones(1)],
    'leaf': torch.ones(3, requires_grad=True),
    'meta': torch.empty(3, 4, device='meta'),
    'attribute': noted,
    'parameter': torch.nn.Parameter(torch.ones(2)),
    'state': collections.OrderedDict(w=torch.ones(2, 2), c=collections.Counter('ab')),
    'values': [torch.Size([1, 2]), torch.float32, torch.int8, torch.device('cpu')],
    'many': {f'k{i}': torch.full((i % 7,), float(i)) for i in range(60)},
}
"""


def test_files_have_torchs_bytes(same_as_oracle):
    same_as_oracle(
        OBJECTS
        + """
import hashlib
for name, obj in objects.items():
    for protocol in (2,) if name == 'values' else (2, 4):  # how often a type's module is named differs in 4
        stream = io.BytesIO()
        torch.save(obj, stream, pickle_protocol=protocol)
        torch.save(obj, name + '.pt', pickle_protocol=protocol)
        for data in (stream.getvalue(), open(name + '.pt', 'rb').read()):
            print(name, protocol, hashlib.sha256(data).hexdigest())
"""
    )


LOAD = """
import sys, torch
def show(o):
    if isinstance(o, torch.Tensor):
        place = [o.stride(), o.storage_offset(), o.untyped_storage().nbytes()]
        return [type(o).__name__, str(o), *place, getattr(o, 'note', None)]
    if isinstance(o, dict): return [type(o).__name__, {k: show(v) for k, v in o.items()}]
    if isinstance(o, (list, tuple)): return [type(o).__name__, [show(v) for v in o]]
    return repr(o)
"""
SAVE_ALL = OBJECTS + "for n, o in objects.items(): torch.save(o, sys.argv[1] + '/' + n)\n"
SAVE_LEGACY = (
    OBJECTS + "for n in ('views', 'parameter', 'state', 'attribute'): "
    "torch.save(objects[n], sys.argv[1] + '/' + n, _use_new_zipfile_serialization=False)\n"
)


OPTIONS = "[{}, {'weights_only': False}, {'map_location': 'meta'}, {'map_location': lambda s, l: s}]"


@pytest.mark.parametrize("save", [SAVE_ALL, SAVE_LEGACY], ids=["zip", "legacy"])
def test_each_side_loads_the_others_files(oracle, run_python, tmp_path, save):
    folders = [tmp_path / "ours", tmp_path / "theirs"]
    for folder, prefix in zip(folders, (["-m", "mindtorch"], []), strict=True):
        folder.mkdir()
        (tmp_path / "save.py").write_text(save)
        run_python(None, *prefix, str(tmp_path / "save.py"), str(folder)).ok()
    (tmp_path / "load.py").write_text(
        LOAD + f"import os\nfor options in {OPTIONS}:\n"
        "    for n in sorted(os.listdir(sys.argv[1])):\n"
        "        print(n, show(torch.load(os.path.join(sys.argv[1], n), **options)))"
    )
    shown = {
        run_python(None, *prefix, str(tmp_path / "load.py"), str(folder)).ok()
        for folder in folders
        for prefix in (["-m", "mindtorch"], [])
    }
    assert len(shown) == 1


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


def _round_trip(mt, obj, **options):
    stream = io.BytesIO()
    mt.save(obj, stream)
    stream.seek(0)
    return mt.load(stream, **options)


def test_shared_storages_stay_shared(mt):
    base = mt.arange(6.0)
    first, second = _round_trip(mt, [base[:3], base[2:]])
    first[2] = 42
    assert second[0] == 42


def test_mmap_reads_from_the_file_and_does_not_write_to_it(mt, tmp_path):
    path = tmp_path / "t.pt"
    mt.save(mt.ones(1000), path)
    loaded = mt.load(path, mmap=True)
    loaded.add_(1)
    assert loaded.sum() == 2000
    assert mt.load(path).sum() == 1000


def test_failed_save_leaves_the_old_file(mt, tmp_path):
    path = tmp_path / "t.pt"
    mt.save(1, path)
    with pytest.raises((AttributeError, pickle.PicklingError, TypeError)):
        mt.save([mt.ones(3), lambda: 0], path)
    assert mt.load(path) == 1
    assert os.listdir(tmp_path) == ["t.pt"]


def test_storages_lie_at_multiples_of_64(mt, tmp_path):
    path = tmp_path / "t.pt"
    mt.save([mt.ones(3), mt.ones(5)], path)
    data = path.read_bytes()
    for info in zipfile.ZipFile(path).infolist():
        header = data[info.header_offset : info.header_offset + 30]
        names = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        assert (info.header_offset + 30 + names) % 64 == 0, info.filename


class Unknown:
    """A class that no list allows."""


def test_weights_only_refuses_with_torchs_text(mt, oracle):
    stream = io.BytesIO(zip_with_pickle(pickle.dumps([Unknown()], protocol=2)))
    texts = []
    for torch in (mt, oracle):
        stream.seek(0)
        with pytest.raises(pickle.UnpicklingError) as caught:
            torch.load(stream)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
    assert f"GLOBAL {Unknown.__module__}.Unknown was not an allowed global by default" in texts[0]


def zip_with_pickle(pickled):
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
            outcomes.append(repr(torch.load(io.BytesIO(zip_with_pickle(pickled)))))
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
        _round_trip(mt, [Unknown()])
    with mt.serialization.safe_globals([Unknown]):
        assert mt.serialization.get_safe_globals() == [Unknown]
        assert isinstance(_round_trip(mt, [Unknown()])[0], Unknown)
    assert mt.serialization.get_safe_globals() == []


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
