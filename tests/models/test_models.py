"""Every small architecture of transformers matches real torch's numbers, in training and generation."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def _read_listed_lines(name):
    return [line for line in (FOLDER / name).read_text().splitlines() if not line.startswith("#")]


NAMES, ROUNDED = _read_listed_lines("names.txt"), tuple(_read_listed_lines("rounded.txt"))


def _start_program(launcher):
    return subprocess.Popen(
        [sys.executable, *launcher, str(FOLDER / "program.py"), *NAMES],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
    )


def _read_results(program):
    lines = [line for line in program.communicate()[0].splitlines() if line.startswith('{"name"')]
    return {made["name"]: made for made in map(json.loads, lines)}


@pytest.fixture(scope="session")
def results_of_both_libraries():
    """The results of ours and of torch, by architecture. Both programs run at the same time, with one thread each."""
    if find_spec("torch") is None:
        pytest.skip("needs real torch")
    programs = [_start_program(["-m", "mindtorch"]), _start_program([])]
    return [_read_results(program) for program in programs]


@pytest.mark.parametrize("name", NAMES)
def test_an_architectures_numbers_are_torchs(results_of_both_libraries, name):
    ours, theirs = (
        made.get(name, {"error": "the program ended before this architecture"}) for made in results_of_both_libraries
    )
    assert "error" not in theirs and ours.get("error") is None
    for exact in ("parameters", "greedy", "beams", "sampled", "stream"):
        assert ours.get(exact) == theirs.get(exact), exact
    assert ours["initial"].keys() == theirs["initial"].keys()
    for key, (bits, *sums) in theirs["initial"].items():
        assert ours["initial"][key][0] == bits or key.endswith(ROUNDED), f"the bits of {key}"
        assert ours["initial"][key][1:] == pytest.approx(sums, rel=1e-6, abs=1e-6, nan_ok=True), key
    for close in ("loss", "after"):
        assert ours[close] == pytest.approx(theirs[close], rel=1e-5), close
    assert ours["logits"][1] == pytest.approx(theirs["logits"][1], rel=2e-5)
    assert ours["gradients"].keys() == theirs["gradients"].keys()
    # The largest value that rounding leaves in a float gradient that is zero in exact arithmetic.
    rounding = 1e-7 * max(theirs["gradients"].values())
    assert ours["gradients"] == pytest.approx(theirs["gradients"], rel=3e-4, abs=rounding)
