"""Shared fixtures of the tests with a device: the package on the simulator, and programs in fresh processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = "libmindtorch_npu_sim.so"


def _find_simulator():
    """The path of the simulator, or None."""
    given = os.environ.get("MINDTORCH_ACL_PATH")
    found = [given] if given else sorted(ROOT.glob(f"build/*/lib/{LIBRARY}"))
    return str(found[-1]) if found else None


os.environ["MINDTORCH_ACL_PATH"] = _find_simulator() or ""
os.environ["MINDTORCH_NPU_SIM_DEVICES"] = "2"

try:
    import mindtorch
except ModuleNotFoundError:  # run from a checkout that is not installed
    sys.path.insert(0, str(ROOT / "python"))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])
    import mindtorch


@pytest.fixture(scope="session")
def package_on_simulator():
    if not os.environ["MINDTORCH_ACL_PATH"]:
        pytest.fail(f"needs {LIBRARY}, which is not built")
    assert mindtorch.npu.is_available() and mindtorch._C._npu_isSimulator()
    return mindtorch


@pytest.fixture
def mt(package_on_simulator):
    """Our package, with device 0 and its default stream current, and no pending faults."""
    yield package_on_simulator
    package_on_simulator._C._npu_simulatorFaults("")
    for index in reversed(range(package_on_simulator.npu.device_count())):
        package_on_simulator.npu.set_device(index)
        package_on_simulator.npu.synchronize()
        package_on_simulator.npu.set_stream(package_on_simulator.npu.default_stream())


@pytest.fixture
def run_as_torch(package_on_simulator, tmp_path):
    """Runs code with mindtorch as torch, on the simulator; returns its output."""

    def run(code):
        command = [sys.executable, "-m", "mindtorch", "-c", code]
        process = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=240)
        assert process.returncode == 0, f"{process.stdout}\n{process.stderr}"
        return process.stdout

    return run
