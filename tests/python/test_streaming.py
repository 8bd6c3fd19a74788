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


def numbers(samples):
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
    assert numbers(dataset) == list(range(20))
    assert numbers([dataset[-1], dataset[0]]) == [19, 0]


def test_a_number_beyond_the_end_is_an_index_error(dataset):
    with pytest.raises(IndexError, match="there is no sample 20 among 20"):
        dataset[20]


def test_order_depends_on_seed_and_epoch(StreamingDataset):
    def epochs(**options):
        dataset = StreamingDataset(local=str(SHARDS / "zstd"), shuffle=True, **options)
        return [numbers(dataset) for _ in range(2)]

    first, second = epochs(shuffle_seed=1)
    assert sorted(first) == sorted(second) == list(range(20))
    assert first != second != list(range(20))
    assert epochs(shuffle_seed=1) == [first, second]
    assert epochs(shuffle_seed=2)[0] != first
    # Without shuffling within blocks, only the order of shards changes.
    in_shards, _ = epochs(shuffle_block_size=1)
    assert sum(b == a + 1 for a, b in zip(in_shards, in_shards[1:], strict=False)) == 12  # 20 samples in 8 shards


@pytest.mark.parametrize("workers", [0, 1, 2, 3])
def test_batches_are_the_same_with_any_number_of_workers(mt, StreamingDataset, workers):
    dataset = StreamingDataset(local=str(SHARDS / "zstd"), batch_size=3)
    loader = mt.utils.data.DataLoader(dataset, batch_size=3, num_workers=workers, collate_fn=numbers)
    assert list(loader) == [list(range(i, min(i + 3, 20))) for i in range(0, 20, 3)]


def test_epoch_resumes_from_its_state(StreamingDataset):
    whole = StreamingDataset(local=str(SHARDS / "plain"), shuffle=True)
    expected = numbers(whole)
    stopped = StreamingDataset(local=str(SHARDS / "plain"), shuffle=True)
    begun = iter(stopped)
    assert numbers(next(begun) for _ in range(7)) == expected[:7]
    again = StreamingDataset(local=str(SHARDS / "plain"), shuffle=True, shuffle_seed=5)
    again.load_state_dict(stopped.state_dict(7, from_beginning=True))
    assert numbers(again) == expected[7:]


def test_errors_match_torch_texts(StreamingDataset, tmp_path):
    def changed(change):
        folder = tmp_path / "changed"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SHARDS / "zstd", folder)
        index = json.loads((folder / "index.json").read_text())
        change(index, folder)
        (folder / "index.json").write_text(json.dumps(index))
        return list(StreamingDataset(local=str(folder)))

    def shard(**values):
        return lambda index, folder: index["shards"][0].update(values)

    with pytest.raises(RuntimeError, match="unable to open file <.*index.json>: No such file"):
        StreamingDataset(local=str(tmp_path))
    with pytest.raises(ValueError, match="nothing is downloaded here"):
        StreamingDataset(local=str(SHARDS / "zstd"), remote="s3://bucket")
    with pytest.raises(ValueError, match="Unsupported streaming data version: 3. Expected version 2."):
        changed(lambda index, folder: index.update(version=3))
    with pytest.raises(ValueError, match='column "i" has pickles'):
        changed(lambda index, folder: index["shards"][0]["column_encodings"].__setitem__(COLUMN, "pkl"))
    with pytest.raises(RuntimeError, match="is not the name of a file in the dataset's folder"):
        changed(lambda index, folder: index["shards"][0]["raw_data"].update(basename="../../secret"))
    with pytest.raises(NotImplementedError, match='shards are compressed with "br:3"'):
        changed(shard(compression="br:3"))
    with pytest.raises(RuntimeError, match="instead of 999|ends too early|holds"):
        changed(lambda index, folder: index["shards"][0]["raw_data"].update(bytes=999))
    with pytest.raises(RuntimeError, match="is not what zstd wrote"):
        changed(lambda index, folder: (folder / "shard.00000.mds.zstd").write_bytes(b"nothing" * 9))
    with pytest.raises(RuntimeError, match="ends too early"):
        changed(lambda index, folder: index["shards"][0]["column_sizes"].__setitem__(COLUMN, 4096))


def test_importing_torch_does_not_import_numpy():
    program = (
        "import sys; from mindtorch.streaming import StreamingDataset\n"
        f"list(StreamingDataset(local={str(SHARDS / 'zstd')!r}))\n"
        "assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
