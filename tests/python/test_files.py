"""mindtorch.files: named tensors in every format, with the bytes of NumPy, and damaged compressed files."""

import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def files_module(mt):
    from mindtorch import files

    return files


@pytest.fixture(scope="module")
def sample_tensors(mt):
    mt.manual_seed(0)
    return {
        "w.weight": mt.randn(1000, 700),  # three blocks of a compressed file
        "turned": mt.randn(30, 50).T,
        "scalar": mt.tensor(7, dtype=mt.int64),
        "none": mt.empty(0, 3),
        "é": mt.tensor([True, False]),
        "c": mt.randn(3, dtype=mt.complex64),
        "conj": mt.randn(3, dtype=mt.complex128).conj(),
        "half": mt.arange(5, dtype=mt.float16),
    }


@pytest.mark.parametrize("suffix", [".mtz", ".npz", ".pt"])
def test_tensors_round_trip(mt, files_module, sample_tensors, tmp_path, suffix):
    path = tmp_path / f"saved{suffix}"
    files_module.save_file(sample_tensors, path)
    for mmap in (False, True):
        again = files_module.load_file(path, mmap=mmap)
        assert list(again) == list(sample_tensors)
        for name, tensor in sample_tensors.items():
            assert again[name].dtype == tensor.dtype and mt.equal(again[name], tensor), name
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_compressed_file_is_smaller_and_keeps_metadata(mt, files_module, tmp_path):
    weights = {"w": mt.randn(500_000), "bf16": mt.randn(500_000).bfloat16(), "zeros": mt.zeros(1 << 20)}
    files_module.save_file(weights, tmp_path / "w.mtz", metadata={"step": "7"})
    # Exponents of normal numbers take about 3 of their 8 bits, so that 27 of 32 and 11 of 16 bits remain.
    assert (tmp_path / "w.mtz").stat().st_size < 0.87 * 2_000_000 + 0.75 * 1_000_000
    assert files_module.load_metadata(tmp_path / "w.mtz") == {"step": "7"}
    files_module.save_file(weights, tmp_path / "small.mtz", level=19)
    assert all(
        mt.equal(tensor, weights[name]) for name, tensor in files_module.load_file(tmp_path / "small.mtz").items()
    )


def test_damaged_compressed_files_raise(mt, files_module, tmp_path):
    path = tmp_path / "w.mtz"
    files_module.save_file({"w": mt.arange(3000)}, path)
    whole = path.read_bytes()
    for length in (8, 23, 24, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(RuntimeError, match="compressed checkpoint"):
            files_module.load_file(path)
    for at in range(8, len(whole) - 16, 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x11]) + whole[at + 1 :])
        try:
            loaded = files_module.load_file(path)
        except (RuntimeError, ValueError):
            continue
        # A file that still loads has changed only in a tensor's name, because a checksum protects the elements.
        assert [tensor.tolist() for tensor in loaded.values()] in ([list(range(3000))], []), at


def test_arrays_have_the_bytes_of_numpy(mt, files_module, sample_tensors, tmp_path):
    numpy = pytest.importorskip("numpy")
    for name, tensor in sample_tensors.items():
        plain = tensor.resolve_conj()
        files_module.save_file({"x": plain}, tmp_path / "ours.npy")
        numpy.save(tmp_path / "theirs.npy", numpy.ascontiguousarray(plain.numpy()).reshape(plain.shape))
        assert (tmp_path / "ours.npy").read_bytes() == (tmp_path / "theirs.npy").read_bytes(), name
    files_module.save_file(sample_tensors, tmp_path / "ours.npz")
    with numpy.load(tmp_path / "ours.npz") as arrays:
        assert list(arrays) == list(sample_tensors)
        assert all(
            numpy.array_equal(arrays[name], tensor.resolve_conj().numpy()) for name, tensor in sample_tensors.items()
        )


def test_what_a_format_cannot_hold_is_refused(mt, files_module, tmp_path):
    one, two = {"a": mt.ones(2)}, {"a": mt.ones(2), "b": mt.ones(2)}
    for arguments, text in (
        ((two, "x.npy"), "a .npy file holds one array, and the dict has 2"),
        (({"a": mt.ones(2).bfloat16()}, "x.npz"), 'NumPy has no type for torch.bfloat16, which tensor "a" has'),
        (({"a": mt.ones(2).to_sparse()}, "x.mtz"), '"a" is not a dense tensor'),
        ((one, "x.txt"), "the suffix '.txt' names no format"),
        ((one, "x.mtz", {"level": 23}), "a level of compression is 1 to 22, got 23"),
        ((one, "x.pt", {"level": 3}), "torch files have no level of compression"),
        ((one, "x.npz", {"metadata": {"a": "b"}}), "npz files have no metadata"),
        ((one, "x", {"format": "zip"}), "unknown format 'zip'"),
    ):
        sample_tensors, name, *options = arguments
        with pytest.raises(ValueError, match=text):
            files_module.save_file(sample_tensors, tmp_path / name, **(options[0] if options else {}))
    with pytest.raises(TypeError, match='"a" is no tensor, but int'):
        files_module.save_file({"a": 3}, tmp_path / "x.pt")
    assert not list(tmp_path.iterdir())
    with pytest.raises(RuntimeError, match="unable to open file"):
        files_module.load_file(tmp_path / "absent.mtz")


def test_saving_and_loading_imports_no_numpy(tmp_path):
    program = (
        "import sys, torch; from mindtorch.files import load_file, save_file\n"
        f"for suffix in ('mtz', 'npz', 'npy'):\n    path = {str(tmp_path)!r} + '/x.' + suffix\n"
        "    save_file({'': torch.ones(2)} if suffix == 'npy' else {'x': torch.ones(2)}, path); load_file(path)\n"
        "assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-m", "mindtorch", "-c", program], check=True, timeout=60)
