"""Files exchanged between the C library and real torch, the package safetensors, and NumPy."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.fixture(scope="module")
def library_path():
    spec = importlib.util.find_spec("mindtorch")
    folders = [Path(p) / "lib" for p in spec.submodule_search_locations] if spec else []
    for folder in [*folders, ROOT / "build" / "release" / "lib"]:
        if (folder / "libmindtorch.so.0").exists():
            return folder / "libmindtorch.so.0"
    pytest.fail("no libmindtorch.so.0 is built")


def run_beside_torch(program, *arguments):
    """Runs a program in a fresh process, where torch is real torch, and returns its output."""
    environment = {name: value for name, value in os.environ.items() if name != "MINDTORCH_AS_TORCH"}
    environment["PYTHONPATH"] = str(HERE)
    command = [sys.executable, *program, *map(str, arguments)]
    process = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240)
    assert process.returncode == 0, process.stderr
    return process.stdout


@pytest.fixture(scope="module")
def require_torch(has_oracle):
    if not has_oracle:
        pytest.skip("needs real torch")


# The error of torch for legacy files of its own that it cannot load (python/DIFFERENCES.md).
UNREADABLE = "type object 'torch.storage.UntypedStorage' has no attribute 'dtype'"


def test_library_reads_and_refuses_the_same_files_as_torch(require_torch, library_path, tmp_path):
    lines = [
        json.loads(line) for line in run_beside_torch([HERE / "c_exchange.py"], library_path, tmp_path).splitlines()
    ]
    read = [line for line in lines if "differs" in line]
    refused = [line for line in lines if "refused" in line and line["refused"] != UNREADABLE]
    assert len(read) > 90 and len(refused) > 60
    assert [line for line in read if line["differs"]] == []
    assert [line for line in refused if not line["alike"]] == []


PROGRAM_SAVES = """
import sys, c_files, torch
from objects import TENSORS
library, folder = c_files.Library(sys.argv[1]), sys.argv[2]
for name in ("dtypes", "matrices of dtypes", "views", "views of dtypes", "many"):
    for tensors in (TENSORS[name], dict(list(TENSORS[name].items())[:1]), {}):
        library.save(f"{folder}/a.pt", tensors, c_files.TORCH)
        ours = open(f"{folder}/a.pt", "rb").read()
        torch.save(tensors, f"{folder}/a.pt")
        assert ours == open(f"{folder}/a.pt", "rb").read(), name
many = {f"layer.{i}": torch.full((2, 2, 2, 2), float(i)) for i in range(2500)}
library.save(f"{folder}/b.pt", many, c_files.TORCH)
ours = open(f"{folder}/b.pt", "rb").read()
torch.save(many, f"{folder}/b.pt")
assert ours == open(f"{folder}/b.pt", "rb").read()
numbers = {"c": torch.tensor([1 + 2j]).conj(), "n": torch._neg_view(torch.ones(2))}
torch.save(numbers, f"{folder}/c.pt")
for access in (c_files.MAP, c_files.COPY):
    again = c_files.File(library, f"{folder}/c.pt", access).read_tensors()
    assert all(torch.equal(again[k], numbers[k]) for k in numbers) and again["c"].is_conj() and again["n"].is_neg()
"""


def test_library_saves_the_same_bytes_as_torch(require_torch, library_path, tmp_path):
    run_beside_torch(["-c", PROGRAM_SAVES], library_path, tmp_path)


PROGRAM_SHARED = """
import sys, c_files, ctypes, torch
library, path = c_files.Library(sys.argv[1]), sys.argv[2] + "/shared.pt"
base = torch.arange(6.0)
torch.save({"a": base, "b": base[2:4]}, path)
for access in (c_files.MAP, c_files.COPY):
    file = c_files.File(library, path, access)
    a, b = (library.create_handle("mt_checkpoint_read", file.handle, ctypes.c_int64(i)) for i in range(2))
    pa, pb = ctypes.c_void_p(), ctypes.c_void_p()
    library("mt_tensor_data", a, ctypes.byref(pa)), library("mt_tensor_data", b, ctypes.byref(pb))
    assert pb.value - pa.value == 8, (pa, pb)
"""


def test_tensors_of_one_storage_share_it(require_torch, library_path, tmp_path):
    run_beside_torch(["-c", PROGRAM_SHARED], library_path, tmp_path)


PROGRAM_SAFETENSORS = """
import sys, c_files, torch, safetensors.torch
from objects import TENSORS
library, folder = c_files.Library(sys.argv[1]), sys.argv[2]
unknown = ("complex32", "complex128", "float8_e8m0fnu")
saved = {name: tensor for name, tensor in TENSORS["matrices of dtypes"].items() if name not in unknown}
saved |= {"scalar": torch.tensor(3.0), "none": torch.ones(0, 3), "é": torch.ones(1)}
saved |= {"b.a": torch.ones(2), "a.b": torch.zeros(2)}
for metadata in ({}, {"format": "pt"}):
    library.save(f"{folder}/ours", saved, metadata=metadata)
    safetensors.torch.save_file(saved, f"{folder}/theirs", metadata=metadata or None)
    assert open(f"{folder}/ours", "rb").read() == open(f"{folder}/theirs", "rb").read()
again = safetensors.torch.load_file(f"{folder}/ours")
assert list(again) == list(c_files.File(library, f"{folder}/ours").list_entries())
for access in (c_files.MAP, c_files.COPY):
    file = c_files.File(library, f"{folder}/theirs", access)
    assert file.read_metadata() == {"format": "pt"}
    tensors = file.read_tensors()
    assert set(tensors) == set(saved)
    for name, tensor in saved.items():
        assert tensors[name].dtype == tensor.dtype and tensors[name].shape == tensor.shape
        assert bytes(tensors[name].untyped_storage()) == bytes(tensor.contiguous().untyped_storage()), name
"""


def test_safetensors_files_equal_those_of_the_package(require_torch, library_path, tmp_path):
    run_beside_torch(["-c", PROGRAM_SAFETENSORS], library_path, tmp_path)


PROGRAM_NUMPY = """
import sys, c_files, numpy, torch
library, folder = c_files.Library(sys.argv[1]), sys.argv[2]
arrays = {
    code.strip("<>|") + order: numpy.arange(6).reshape(2, 3, order=order).astype(code)
    for code in "<f4 >f4 <f8 >f8 <f2 >i2 <i8 |u1 |b1 <c8 >c16 <u4 <i4 |i1 >u2 <u8".split() for order in "CF"
}
arrays |= {"scalar": numpy.float32(7), "none": numpy.ones((0, 3)), "part": numpy.arange(10)[::2]}
numpy.savez(f"{folder}/stored.npz", **arrays)
numpy.savez_compressed(f"{folder}/deflated.npz", **arrays)
for path in ("stored.npz", "deflated.npz"):
    for access in (c_files.MAP, c_files.COPY):
        tensors = c_files.File(library, f"{folder}/{path}", access).read_tensors()
        assert list(tensors) == list(arrays)
        for name, array in arrays.items():
            array = numpy.asarray(array)
            native = array.astype(array.dtype.newbyteorder("="))
            expected = torch.from_numpy(native)
            assert tensors[name].dtype == expected.dtype and torch.equal(tensors[name], expected), (path, name)
for version in ((1, 0), (2, 0), (3, 0)):
    with open(f"{folder}/a.npy", "wb") as file:
        numpy.lib.format.write_array(file, numpy.arange(6.0).reshape(2, 3), version)
    (name, tensor), = c_files.File(library, f"{folder}/a.npy").read_tensors().items()
    assert name == "" and torch.equal(tensor, torch.arange(6.0, dtype=torch.float64).reshape(2, 3))
for bad in (numpy.array([{}]), numpy.zeros(2, [("a", "f4")]), numpy.array(["x"]), numpy.array(["2020"], "M8[D]")):
    numpy.save(f"{folder}/bad.npy", bad)
    try:
        c_files.File(library, f"{folder}/bad.npy")
        raise SystemExit(f"{bad.dtype} was read")
    except c_files.Failure as failure:
        assert "tensors have no type" in failure.message or "arrays of records" in failure.message
"""


def test_library_reads_numpy_arrays(require_torch, library_path, tmp_path):
    run_beside_torch(["-c", PROGRAM_NUMPY], library_path, tmp_path)


PROGRAM_ALLOWED = """
import sys, fractions, c_files, torch
library, path = c_files.Library(sys.argv[1]), sys.argv[2] + "/a.pt"
torch.save({"d": fractions.Fraction(3, 4)}, path)
try:
    c_files.File(library, path)
    raise SystemExit("it was read")
except c_files.Failure as failure:
    assert failure.kind == "UnpicklingError"
    assert "GLOBAL fractions.Fraction was not an allowed global" in failure.message
file = c_files.File(library, path, allowed=["fractions.Fraction"])
made = file.read_content()["d"]
assert made.made_by == ("global", "fractions.Fraction") and made.arguments == [(3, 4)], (made.made_by, made.arguments)
class Kind(torch.Tensor):
    pass
tensor = torch.arange(3.0).as_subclass(Kind)
tensor.note = "n"
torch.save([tensor], path)
file = c_files.File(library, path, allowed=["__main__.Kind"])
made, = file.read_content()
assert made.made_by == ("global", "__main__.Kind") and made.attributes == {"note": "n"}
assert torch.equal(made.arguments[0], torch.arange(3.0)) and list(file.list_entries()) == ["0"]
"""


def test_allowed_globals_are_returned_as_objects(require_torch, library_path, tmp_path):
    run_beside_torch(["-c", PROGRAM_ALLOWED], library_path, tmp_path)


PROGRAM_GGUF = """
import sys, c_files, torch
library, folder, data = c_files.Library(sys.argv[1]), sys.argv[2], sys.argv[3]
expected = torch.frombuffer(bytearray(open(f"{data}/quantised.f32", "rb").read()), dtype=torch.float32)
file = c_files.File(library, f"{data}/quantised.gguf", c_files.MAP)
at = 0
for name, tensor in file.read_tensors().items():
    wanted = expected[at : at + tensor.numel()].reshape(tensor.shape)
    at += tensor.numel()
    assert tensor.dtype == {"F16": torch.float16, "I32": torch.int32}.get(name, torch.float32)
    # The package gguf, which computed the expected values, rounds products in another order.
    torch.testing.assert_close(tensor.float(), wanted, rtol=3e-7, atol=1e-5, msg=lambda text: f"{name}: {text}")
assert at == expected.numel()
assert file.list_entries()["F16"] == (torch.float16, [2, 3]), file.list_entries()["F16"]
metadata = file.read_metadata()
pairs = {"a.count": "3", "a.name": 'x "y"', "a.list": '["p", "q"]', "a.real": "0.5", "a.flag": "true", "a.long": "-5"}
assert pairs.items() <= metadata.items(), metadata
"""


def test_dequantised_gguf_tensors_match_the_package(require_torch, library_path, tmp_path):
    """tests/data/quantised.gguf has two random blocks of each type; the package gguf 0.19 dequantised them."""
    run_beside_torch(["-c", PROGRAM_GGUF], library_path, tmp_path, ROOT / "tests" / "data")
