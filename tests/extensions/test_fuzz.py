"""Invalid arguments: every call of the stable ABI returns an error code, and the process survives."""

import subprocess

import pytest
from extension_support import HERE, our_libraries


@pytest.fixture(scope="module")
def fuzz(tmp_path_factory):
    program = tmp_path_factory.mktemp("fuzz") / "fuzz"
    subprocess.run(["c++", "-std=c++20", "-O1", str(HERE / "fuzz.cpp"), "-o", str(program), "-ldl"], check=True)
    return program


@pytest.mark.parametrize("seed", range(1, 6))
def test_calls_with_absurd_arguments_give_codes(fuzz, seed):
    done = subprocess.run(
        [fuzz, our_libraries() / "libtorch_cpu.so", "200000", str(seed)], capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
