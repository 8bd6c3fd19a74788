"""Truncated, flipped, spliced and hostile files: a clear error or a value; no code run, no crash, no hang."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FULL = bool(os.environ.get("MINDTORCH_TESTS_FULL"))
READER = str(Path(__file__).with_name("reader.py"))
AT_ONCE = 250
CHUNKS = 40 if FULL else 4
COMPARED = 8 if FULL else 1
# What a load may raise: what torch raises for such files. Never SystemError, RecursionError, an interrupt or an exit.
CLEAR = "RuntimeError ValueError TypeError KeyError IndexError EOFError AttributeError AssertionError OverflowError "
CLEAR += (
    "NotImplementedError MemoryError LookupError UnicodeDecodeError UnicodeEncodeError UnicodeError OSError BadZipFile "
)
CLEAR += "UnpicklingError error StopIteration"  # struct.error

# Where both sides raise and the texts may differ: ours refuses before it does what torch does first, ...
EARLIER = "nested too deeply|what the file holds|copies what it holds|^rebuilding (nested|quantized|sparse)"
# ... or torch asks for the memory first, cannot load storages of its own legacy files, or passes on an error of a read.
THEIRS = r"alloc_cpu\.cpp|^$|has no attribute 'dtype'|Errno 22|negative seek"
# Texts of constructors that have their own tests.
CONSTRUCTORS = (
    r"device\(\)|__new__\(X\)|^new\(\) received|not a type object|get_storage_from_record|_make_wrapper_subclass"
)


def outcomes(library, folder, first, last, cwd):
    """What loading each of the numbered files did, by number; a process that ended is started again after the file."""
    found = {}
    while first < last:
        process = subprocess.run(
            [sys.executable, READER, library, str(folder / "files.pkl"), str(first), str(last)],
            capture_output=True,
            text=True,
            cwd=cwd,
            env=os.environ | {"OMP_NUM_THREADS": "1", "MINDTORCH_NUM_THREADS": "1"},
        )
        lines = [json.loads(line) for line in process.stdout.splitlines()]
        assert lines, process.stderr
        current = None
        for line in lines:
            current = line.get("number", current)
            found[current] = found.get(current, {}) | line
        if process.returncode == 0:
            break
        found[current] |= {"died": process.returncode, "stderr": process.stderr[-2000:]}
        first = current + 1
    return found


def private(genuine_files, tmp_path):
    """A folder of this test's own with the genuine files: the reader writes beside them."""
    for path in genuine_files.iterdir():
        shutil.copy(path, tmp_path)
    return tmp_path


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_damaged_files_end_in_a_value_or_a_clear_error(chunk, genuine_files, tmp_path):
    folder = private(genuine_files, tmp_path)
    found = outcomes("mindtorch", folder, chunk * AT_ONCE, (chunk + 1) * AT_ONCE, tmp_path)
    bad = {
        number: outcome
        for number, outcome in found.items()
        if "died" in outcome
        or "ran" in outcome
        or "value" not in outcome
        and outcome["error"].rpartition(".")[2] not in CLEAR.split()
    }
    assert not bad
    assert len(found) == AT_ONCE
    assert sorted(path.name for path in tmp_path.iterdir()) == ["files.pkl", "whole.pt"]  # nothing else was written


def plain(text):
    """A text without what is the process's own: addresses, the root's name, file names."""
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    text = re.sub(r"\S*/(torch|mindtorch)-\d+\.pt", "FILE", text)
    return re.sub(r"\bmindtorch\b", "torch", text)


def may_differ(ours, theirs):
    return bool(
        re.search(EARLIER, ours["text"])
        or re.search(THEIRS, theirs["text"])
        or re.search(CONSTRUCTORS, ours["text"])
        or re.search(CONSTRUCTORS, theirs["text"])
        or "tagged with npu" in theirs["text"]  # a place that only we know
    )


@pytest.mark.parametrize("chunk", range(COMPARED))
def test_errors_are_torchs(chunk, genuine_files, has_oracle, tmp_path):
    if not has_oracle:
        pytest.skip("needs real torch")
    folder = private(genuine_files, tmp_path)
    span = (chunk * AT_ONCE, (chunk + 1) * AT_ONCE)
    ours, theirs = (outcomes(library, folder, *span, tmp_path) for library in ("mindtorch", "torch"))
    both = [n for n in ours if "error" in ours[n] and "error" in theirs[n] and not may_differ(ours[n], theirs[n])]
    assert len(both) > AT_ONCE // 2
    different = {
        n: (ours[n], theirs[n])
        for n in both
        if (ours[n]["error"], plain(ours[n]["text"])) != (theirs[n]["error"], plain(theirs[n]["text"]))
    }
    # torch finds either of two records of one name, and gives memory that it never wrote for what it takes for folders.
    assert len(different) <= len(both) // 100, different
