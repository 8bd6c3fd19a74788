"""Files exchanged with real torch: each library loads the other's files, and equal objects give equal bytes."""

import fcntl
import json
import os
import pickletools
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("exchange.py")
SIDES = {"ours": ["-m", "mindtorch"], "theirs": []}
FORMATS = ("zip", "legacy")


def run_on_side(program, arguments, side, folder):
    environment = {name: value for name, value in os.environ.items() if name != "MINDTORCH_AS_TORCH"}
    command = [sys.executable, *SIDES[side], str(program), *map(str, arguments)]
    process = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder, timeout=240)
    assert process.returncode == 0, process.stderr
    return process.stdout


def save_and_describe_on_all_sides(folder):
    """Saves each side's files in a folder, and has each side describe the contents of all files."""
    for side in SIDES:
        (folder / side).mkdir(parents=True)
        run_on_side(PROGRAM, ["save", folder / side], side, folder)
    for side in SIDES:
        contents = run_on_side(PROGRAM, ["load", *(folder / writer for writer in SIDES)], side, folder)
        (folder / f"{side}.json").write_text(contents)


@pytest.fixture(scope="module")
def exchanged_folder(has_oracle, tmp_path_factory):
    """The folder that `save_and_describe_on_all_sides` writes once for all workers of a run."""
    if not has_oracle:
        pytest.skip("needs real torch")
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "exchanged"
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            shutil.rmtree(folder.with_suffix(".made"), ignore_errors=True)  # left by a failed worker
            save_and_describe_on_all_sides(folder.with_suffix(".made"))
            folder.with_suffix(".made").rename(folder)
    return folder


@pytest.fixture(scope="module")
def contents_by_reader(exchanged_folder):
    """The contents of all files as each side loads them: {reader: {"writer/file": {how it was loaded: contents}}}."""
    return {side: json.loads((exchanged_folder / f"{side}.json").read_text()) for side in SIDES}


# Real torch cannot load legacy files of dtypes without a storage class, not even its own (python/DIFFERENCES.md).
FAILS_ON_ITS_OWN = ["AttributeError", "type object 'torch.storage.UntypedStorage' has no attribute 'dtype'"]


def list_differing_contents(one, other):
    """Lists (file, how it was loaded, one description, the other), truncated."""
    assert one.keys() == other.keys()
    return [
        (file, how, str(one[file][how])[:600], str(other[file][how])[:600])
        for file in one
        for how in one[file]
        if one[file][how] != other[file][how] and FAILS_ON_ITS_OWN not in (one[file][how], other[file][how])
    ]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("writer", SIDES)
def test_both_libraries_load_the_same_contents_from_a_file(contents_by_reader, writer, form):
    ours, theirs = (
        {
            file: about
            for file, about in contents_by_reader[reader].items()
            if file.startswith(writer) and file.endswith(form)
        }
        for reader in SIDES
    )
    assert len(ours) > 90
    assert not list_differing_contents(ours, theirs)


@pytest.mark.parametrize("reader", SIDES)
def test_files_of_both_libraries_have_the_same_contents(contents_by_reader, reader):
    ours, theirs = (
        {file.partition("/")[2]: about for file, about in contents_by_reader[reader].items() if file.startswith(writer)}
        for writer in SIDES
    )
    assert not list_differing_contents(ours, theirs)


def test_both_formats_have_the_same_contents(contents_by_reader):
    zips, legacy = (
        {
            file.removesuffix(form): {"anything": kept["anything"]}
            for file, kept in contents_by_reader["ours"].items()
            if file.endswith(form)
        }
        for form in FORMATS
    )
    assert not list_differing_contents(zips, legacy)


# Legacy files contain the source text of modules' classes, which differs between the libraries.
WITH_SOURCE = b"X\6\0\0\0module"


def split_legacy_file(data):
    """Returns a legacy file's pickles, with numbers instead of addresses of storages, and the size of the storages."""
    ends, here = [], 0
    for _ in range(5):
        *_, (_, _, last) = pickletools.genops(data[here:])
        here += last + 1
        ends.append(here)
    numbers = {}
    key = rb"X[\x05-\x14]\0\0\0([0-9]{5,20})(?=[^0-9])"  # strings of digits
    thing = re.sub(key, lambda found: b"key %d" % numbers.setdefault(found[1], len(numbers)), data[: ends[3]])
    return thing, len(data) - ends[4]


@pytest.mark.parametrize("form", [*FORMATS, "protocol2", "protocol3", "protocol4", "protocol5"])
def test_equal_objects_give_equal_bytes(exchanged_folder, form):
    ours, theirs = (
        {file.name: file.read_bytes() for file in (exchanged_folder / side).glob(f"*.{form}*")} for side in SIDES
    )
    assert ours.keys() == theirs.keys()
    if form == "legacy":
        with_source = [name for name in ours if WITH_SOURCE in ours[name]]
        assert with_source == [name for name in ours if WITH_SOURCE in theirs[name]]
        ours, theirs = (
            {name: data if name.endswith("refused") else split_legacy_file(data) for name, data in side.items()}
            for side in ({name: side[name] for name in side.keys() - with_source} for side in (ours, theirs))
        )
    assert len(ours) > 80
    assert not [name for name in ours if ours[name] != theirs[name]]


SAFETENSORS = """
import os, sys, torch
from safetensors.torch import load, load_file, save_file
names = 'float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool uint16 uint32 uint64 float8_e5m2'
tensors = {name: torch.arange(6).view(2, 3).to(getattr(torch, name)) for name in names.split()}
tensors |= {'complex64': torch.ones(2, dtype=torch.complex64), 'scalar': torch.tensor(1.5), 'empty': torch.empty(0, 3)}
here = os.path.join(sys.argv[1], 't.safetensors')
if sys.argv[2] == 'save':
    save_file(tensors, here, metadata={'format': 'pt'})
else:
    for loaded in (load_file(here), load(open(here, 'rb').read()), torch.load(here)):
        for name in sorted(loaded):
            value = loaded[name]
            bytes = value.reshape(-1).view(torch.uint8).tolist()
            print(name, value.dtype, tuple(value.shape), value.stride(), bytes)
"""


def test_safetensors_files_are_equal_and_load_in_both_libraries(has_oracle, tmp_path):
    pytest.importorskip("safetensors")
    if not has_oracle:
        pytest.skip("needs real torch")
    program = tmp_path / "both.py"
    program.write_text(SAFETENSORS)
    for side in SIDES:
        (tmp_path / side).mkdir()
        run_on_side(program, [tmp_path / side, "save"], side, tmp_path)
    files = [(tmp_path / side / "t.safetensors").read_bytes() for side in SIDES]
    assert files[0] == files[1]
    assert run_on_side(program, [tmp_path / "ours", "load"], "ours", tmp_path) == run_on_side(
        program, [tmp_path / "ours", "load"], "theirs", tmp_path
    )
