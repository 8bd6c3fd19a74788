"""Shared fixtures of the Python tests: the package, real torch, and programs in fresh processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch_server

CHECKOUT = Path(__file__).resolve().parents[2] / "python"

try:
    import mindtorch
except ModuleNotFoundError:  # run from a checkout that is not installed
    sys.path.insert(0, str(CHECKOUT))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(CHECKOUT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    import mindtorch

ORACLE_RELEASE = "2.13.0"


@pytest.fixture(scope="session")
def mt():
    """Our package under its own name."""
    return mindtorch


@pytest.fixture(scope="session")
def oracle():
    """Real torch."""
    found = _real_torch()
    if found is None:
        pytest.skip(f"needs real torch {ORACLE_RELEASE} (the oracle), which is not installed")
    return found


def _real_torch():
    try:
        import torch
    except ModuleNotFoundError:
        return None
    is_ours = "mindtorch" in torch.__version__
    return None if is_ours or not torch.__version__.startswith(ORACLE_RELEASE) else torch


class Finished:
    """The output and exit status of a program."""

    def __init__(self, process):
        self.returncode, self.out, self.err = process.returncode, process.stdout, process.stderr

    def ok(self):
        assert self.returncode == 0, f"{self.out}\n{self.err}"
        return self.out


def _run(arguments, code, env, cwd, timeout=240):
    environment = {name: value for name, value in os.environ.items() if name != "MINDTORCH_AS_TORCH"} | (env or {})
    command = [sys.executable, *arguments, *(["-c", code] if code is not None else [])]
    process = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd, timeout=timeout)
    return Finished(process)


@pytest.fixture
def run_python(tmp_path):
    """Runs code in a fresh interpreter."""
    return lambda code=None, *arguments, env=None, cwd=None, **more: _run(arguments, code, env, cwd or tmp_path, **more)


@pytest.fixture
def run_as_torch(tmp_path):
    """Runs code with mindtorch as torch."""
    return lambda code, env=None: _run(["-m", "mindtorch"], code, env, tmp_path)


@pytest.fixture
def same_as_oracle(oracle, run_as_torch, tmp_path):
    """Runs a program on real torch and on mindtorch as torch; asserts that the outputs are equal."""

    def compare(code):
        expected = Finished(torch_server.start_program(code, tmp_path)).ok()
        assert run_as_torch(code).ok() == expected
        return expected

    return compare
