"""mindtorch.streaming on shards that MosaicML's MDSWriter (mosaicml-streaming 0.13) wrote, plain and with zstd."""

import json
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

SHARDS = Path(__file__).parents[1] / "data" / "mds"
COLUMN = 7  # of "i", in a list of names in alphabetical order


@pytest.fixture(scope="module")
def StreamingDataset(mt):
    from mindtorch.streaming import StreamingDataset

    return StreamingDataset


@pytest.fixture(params=["plain", "zstd"])
def dataset(request, StreamingDataset):
    return StreamingDataset(local=str(SHARDS / request.param))


def list_numbers(samples):
    return [-sample["i"] for sample in samples]


def test_sample_equals_the_written_one(mt, dataset):
    sample = dataset[3]
    assert {name: value for name, value in sample.items() if not isinstance(value, mt.Tensor)} == {
        "i": -3, "s": "text 3 é", "b": b"\x03\x00\xff", "u8": 203, "u64": 2**63 + 3, "i16": -303, "f16": 0.75,
        "f32": 1.0, "f64": 1.0, "j": {"k": [3, None]}, "si": 10**30 + 3, "sf": 3 / 7, "sd": Decimal("1.10"),
    }  # fmt: skip
    assert mt.equal(sample["a"], mt.arange(4).reshape(1, 4)) and sample["a"].dtype == mt.int64
    assert mt.equal(sample["af"], mt.full((2, 4), 1.5))
    assert mt.equal(sample["as"], mt.full((2, 3), 3, dtype=mt.int16)) and sample["as"].dtype == mt.int16


def test_samples_come_in_their_order_and_once(dataset):
    assert len(dataset) == dataset.size == 20
    assert list_numbers(dataset) == list(range(20))
    assert list_numbers([dataset[-1], dataset[0]]) == [19, 0]


def test_a_number_beyond_the_end_is_an_index_error(dataset):
    with pytest.raises(IndexError, match="there is no sample 20 among 20"):
        dataset[20]


def test_order_depends_on_seed_and_epoch(StreamingDataset):
    def list_two_epochs(**options):
        dataset = StreamingDataset(local=str(SHARDS / "zstd"), shuffle=True, **options)
        return [list_numbers(dataset) for _ in range(2)]

    first, second = list_two_epochs(shuffle_seed=1)
    assert sorted(first) == sorted(second) == list(range(20))
    assert first != second != list(range(20))
    assert list_two_epochs(shuffle_seed=1) == [first, second]
    assert list_two_epochs(shuffle_seed=2)[0] != first
    # With blocks of one sample, shuffling changes only the order of shards.
    in_shards, _ = list_two_epochs(shuffle_block_size=1)
    assert sum(b == a + 1 for a, b in zip(in_shards, in_shards[1:], strict=False)) == 12  # 20 samples in 8 shards


@pytest.mark.parametrize("workers", [0, 1, 2, 3])
def test_batches_are_the_same_with_any_number_of_workers(mt, StreamingDataset, workers):
    dataset = StreamingDataset(local=str(SHARDS / "zstd"), batch_size=3)
    loader = mt.utils.data.DataLoader(dataset, batch_size=3, num_workers=workers, collate_fn=list_numbers)
    assert list(loader) == [list(range(i, min(i + 3, 20))) for i in range(0, 20, 3)]


def test_epoch_resumes_from_its_state(StreamingDataset):
    whole = StreamingDataset(local=str(SHARDS / "plain"), shuffle=True)
    expected = list_numbers(whole)
    stopped = StreamingDataset(local=str(SHARDS / "plain"), shuffle=True)
    begun = iter(stopped)
    assert list_numbers(next(begun) for _ in range(7)) == expected[:7]
    again = StreamingDataset(local=str(SHARDS / "plain"), shuffle=True, shuffle_seed=5)
    again.load_state_dict(stopped.state_dict(7, from_beginning=True))
    assert list_numbers(again) == expected[7:]


def test_errors_match_torch_texts(StreamingDataset, tmp_path):
    def open_with_changed_index(change):
        folder = tmp_path / "changed"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SHARDS / "zstd", folder)
        index = json.loads((folder / "index.json").read_text())
        change(index, folder)
        (folder / "index.json").write_text(json.dumps(index))
        return list(StreamingDataset(local=str(folder)))

    def make_shard_change(**values):
        return lambda index, folder: index["shards"][0].update(values)

    with pytest.raises(RuntimeError, match="unable to open file <.*index.json>: No such file"):
        StreamingDataset(local=str(tmp_path))
    with pytest.raises(ValueError, match="nothing is downloaded here"):
        StreamingDataset(local=str(SHARDS / "zstd"), remote="s3://bucket")
    with pytest.raises(ValueError, match="Unsupported streaming data version: 3. Expected version 2."):
        open_with_changed_index(lambda index, folder: index.update(version=3))
    with pytest.raises(ValueError, match='column "i" has pickles'):
        open_with_changed_index(lambda index, folder: index["shards"][0]["column_encodings"].__setitem__(COLUMN, "pkl"))
    with pytest.raises(RuntimeError, match="is not the name of a file in the dataset's folder"):
        open_with_changed_index(lambda index, folder: index["shards"][0]["raw_data"].update(basename="../../secret"))
    with pytest.raises(NotImplementedError, match='shards are compressed with "br:3"'):
        open_with_changed_index(make_shard_change(compression="br:3"))
    with pytest.raises(RuntimeError, match="instead of 999|ends too early|holds"):
        open_with_changed_index(lambda index, folder: index["shards"][0]["raw_data"].update(bytes=999))
    with pytest.raises(RuntimeError, match="is not what zstd wrote"):
        open_with_changed_index(lambda index, folder: (folder / "shard.00000.mds.zstd").write_bytes(b"nothing" * 9))
    with pytest.raises(RuntimeError, match="ends too early"):
        open_with_changed_index(lambda index, folder: index["shards"][0]["column_sizes"].__setitem__(COLUMN, 4096))


def test_importing_torch_does_not_import_numpy():
    program = (
        "import sys; from mindtorch.streaming import StreamingDataset\n"
        f"list(StreamingDataset(local={str(SHARDS / 'zstd')!r}))\n"
        "assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def read_columns(folder):
    shard = json.loads((folder / "index.json").read_text())["shards"][0]
    return dict(zip(shard["column_names"], shard["column_encodings"], strict=True)), shard["size_limit"]


@pytest.mark.parametrize("compression", [None, "zstd:7"])
def test_written_files_equal_those_of_mosaicmls_writer(StreamingDataset, tmp_path, compression):
    from mindtorch.streaming import MDSWriter

    source = SHARDS / ("zstd" if compression else "plain")
    columns, limit = read_columns(source)
    backwards = dict(reversed(columns.items()))  # files have them sorted by name
    with MDSWriter(columns=backwards, out=str(tmp_path / "made"), compression=compression, size_limit=limit) as writer:
        for sample in StreamingDataset(local=str(source)):
            writer.write(sample)
    if compression is None:
        written = {path.name: path.read_bytes() for path in (tmp_path / "made").iterdir()}
        assert written == {path.name: path.read_bytes() for path in source.iterdir()}
    # Releases of zstd may compress differently.
    made = StreamingDataset(local=str(tmp_path / "made"))
    assert [str(sample) for sample in made] == [str(sample) for sample in StreamingDataset(local=str(source))]
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == sorted(path.name for path in source.iterdir())


def test_writer_refuses_what_an_encoding_cannot_hold(mt, StreamingDataset, tmp_path):
    from mindtorch.streaming import MDSWriter

    encodings = {"u8": "uint8", "s": "str", "n": "str_int", "a": "ndarray:int16:2", "d": "ndarray"}
    good = {"u8": 255, "s": "é", "n": 10**30, "a": mt.tensor([1, 2], dtype=mt.int16), "d": mt.ones(300, 1)}
    writer = MDSWriter(columns=encodings, out=str(tmp_path / "made"))
    writer.write(good)
    for name, value, error, text in (
        ("u8", 256, ValueError, 'column "u8" got 256, which its 1 bytes cannot hold'),
        ("u8", -1, ValueError, 'column "u8" got -1'),
        ("s", 3, TypeError, "the column takes str, got int"),
        ("a", mt.ones(2), ValueError, 'column "a" holds Short, but got a tensor of Float'),
        ("a", mt.ones(3, dtype=mt.int16), ValueError, r'column "a" holds arrays of shape \[2\], but got one of \[3\]'),
        ("d", mt.ones(0), ValueError, r"arrays of 1 to 63 dimensions without zeros, but got the shape \[0\]"),
        ("d", mt.tensor(1.0), ValueError, r"but got the shape \[\]"),
        ("d", mt.ones(1, dtype=mt.bfloat16), ValueError, "dtype BFloat16, which arrays in shards do not have"),
    ):
        with pytest.raises(error, match=text):
            writer.write({**good, name: value})
    with pytest.raises(KeyError, match="u8"):
        writer.write({})
    writer.finish()
    with pytest.raises(RuntimeError, match="is finished"):
        writer.write(good)
    (sample,) = StreamingDataset(local=str(tmp_path / "made"))
    assert (sample["u8"], sample["s"], sample["n"]) == (255, "é", 10**30) and mt.equal(sample["d"], good["d"])


def test_writer_refuses_options_and_folders_with_files(tmp_path):
    from mindtorch.streaming import MDSWriter

    def make_writer(**options):
        return MDSWriter(**{"columns": {"i": "int"}, "out": str(tmp_path / "made"), **options})

    for options, error, text in (
        ({"columns": {"i": "pkl"}}, ValueError, 'column "i" has pickles'),
        ({"columns": {"i": "int7"}}, ValueError, 'the encoding "int7", which is not known here'),
        ({"columns": {}}, ValueError, "a dataset has 1 to 4096 columns, got 0"),
        ({"compression": "zstd:23"}, ValueError, '"zstd:LEVEL" with a level of 1 to 22, got "zstd:23"'),
        ({"compression": "br"}, ValueError, 'got "br"'),
        ({"size_limit": 0}, ValueError, "size_limit has to be at least 1"),
        ({"size_limit": "3 miles"}, ValueError, "size_limit has to be a number of bytes"),
        ({"hashes": ["sha1"]}, NotImplementedError, "no hashes are written"),
        ({"out": ("a", "s3://b")}, ValueError, "nothing is uploaded here"),
    ):
        with pytest.raises(error, match=text):
            make_writer(**options)
    (tmp_path / "made").mkdir(exist_ok=True)
    (tmp_path / "made" / "notes.txt").write_text("keep")
    with pytest.raises(FileExistsError, match="exist_ok=True removes them"):
        make_writer()
    assert (tmp_path / "made" / "notes.txt").exists()
    make_writer(exist_ok=True).finish()
    assert [path.name for path in (tmp_path / "made").iterdir()] == ["index.json"]


def test_folder_has_no_index_after_an_exception(tmp_path):
    from mindtorch.streaming import MDSWriter

    with (
        pytest.raises(ZeroDivisionError),
        MDSWriter(columns={"i": "int"}, out=str(tmp_path / "made"), size_limit="100b") as writer,
    ):
        for i in range(40):
            writer.write({"i": i})
        1 / 0  # noqa: B018
    names = [path.name for path in (tmp_path / "made").iterdir()]
    assert "shard.00000.mds" in names and "index.json" not in names
