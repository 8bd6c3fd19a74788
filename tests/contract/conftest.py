"""Both libraries in one process, and the count of compared calls at the end of a run."""

import functools
import importlib
import json
import sys
import warnings
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
ORACLE_RELEASE = "2.13.0"
FOLDER = Path(__file__).parent
counts = {}


def read_listed_lines(name):
    return {line for line in (FOLDER / name).read_text().splitlines() if line and not line.startswith("#")}


@functools.cache
def list_accepted_differences():
    """Cases and calls with accepted differences: python/DIFFERENCES.md gives the reasons."""
    return read_listed_lines("by_design.txt")


def real_torch():
    try:
        import torch
    except ModuleNotFoundError:
        return None
    return torch if torch.__version__.startswith(ORACLE_RELEASE) and "mindtorch" not in torch.__version__ else None


def make_repeatable(torch):
    """Settings under which a result depends on the case only: once-only warnings are always emitted, and one thread
    runs, because torch raises the error of whichever thread fails first."""
    torch.set_warn_always(True)
    torch.set_num_threads(1)
    return torch


@pytest.fixture(scope="session")
def torch():
    """Real torch, the oracle."""
    oracle = real_torch() or pytest.skip(f"needs real torch {ORACLE_RELEASE} (the oracle), which is not installed")
    with warnings.catch_warnings():  # forward mode imports a module on first use that warns about itself
        warnings.simplefilter("ignore")
        importlib.import_module("torch._decomp.decompositions_for_jvp")
    return make_repeatable(oracle)


@pytest.fixture(scope="session")
def mt():
    import mindtorch

    return make_repeatable(mindtorch)


@pytest.fixture
def count_cases(request):
    """counted(area, n): adds to the number of compared cases per area, which the report prints."""
    return lambda area, n: request.node.user_properties.append(("contract", json.dumps([area, n])))


def pytest_runtest_logreport(report):
    for name, value in report.user_properties if report.when == "call" else ():
        if name == "contract":
            area, n = json.loads(value)
            counts[area] = counts.get(area, 0) + n


def pytest_terminal_summary(terminalreporter):
    if counts:
        terminalreporter.write_line("contract cases compared with torch, by area:")
        for area, n in sorted(counts.items()):
            terminalreporter.write_line(f"  {area:24s} {n}")
        terminalreporter.write_line(f"  {'all':24s} {sum(counts.values())}")
