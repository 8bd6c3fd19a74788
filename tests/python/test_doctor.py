"""python -m mindtorch doctor, and the search for a BLAS."""

import json
import os
import re
from pathlib import Path

import pytest


def read_report(finished):
    report = json.loads(finished.out)
    return report, {finding["name"]: finding for finding in report["findings"]}


@pytest.fixture
def run_doctor(run_python):
    return lambda *arguments, env=None: run_python(None, "-m", "mindtorch", "doctor", *arguments, env=env)


def test_doctor_finds_the_tests_requirements(run_doctor):
    finished = run_doctor("--json")
    report, findings = read_report(finished)
    assert finished.returncode == 0 and report["well"], report
    assert findings["BLAS"]["lapack"] and findings["shared memory"]["writable"]
    assert findings["CPU"]["capability"] in ("DEFAULT", "AVX2", "AVX512") and findings["CPU"]["threads"] >= 1
    assert Path(findings["mindtorch"]["path"]).name == "mindtorch"


def test_doctor_names_the_package_for_a_missing_blas(run_doctor):
    finished = run_doctor(env={"MINDTORCH_BLAS": "none"})
    assert finished.returncode == 1
    assert re.search(r"^missing BLAS: no LAPACK", finished.out, re.MULTILINE)
    assert "-> unset MINDTORCH_BLAS, or pip install scipy-openblas32, or on Debian: apt-get install" in finished.out
    assert not read_report(run_doctor("--json", env={"MINDTORCH_BLAS": "none"}))[0]["well"]


def test_doctor_misses_an_npu_library_that_was_named(run_doctor):
    finished = run_doctor("--json", env={"MINDTORCH_ACL_PATH": "/nowhere/libascendcl.so"})
    assert finished.returncode == 1 and read_report(finished)[1]["NPU"]["state"] == "missing"


def test_doctor_knows_a_real_torch(oracle, run_doctor):
    finding = read_report(run_doctor("--json"))[1]["import torch"]
    assert finding["state"] == "note" and finding["text"].startswith("torch 2.13.0")
    assert finding["ours"] is False


def test_doctor_explains_unknown_causes(run_doctor):
    finished = run_doctor("--zzz")
    assert finished.returncode == 2 and "usage: python -m mindtorch doctor" in finished.err


DESCRIBE = "import mindtorch as t; t.linalg.svd(t.eye(2)); print(t.__config__.show())"


def find_blas_line(output):
    return Path(re.search(r"- BLAS: .*, (/\S+)", output)[1])


@pytest.fixture
def folder_of_other_packages(tmp_path, run_python):
    """A folder of packages with its own BLAS in scipy_openblas32, like another site-packages."""
    library = find_blas_line(run_python(DESCRIBE).ok())
    folder = tmp_path / "packages" / "scipy_openblas32"
    folder.mkdir(parents=True)
    copy = folder / "libopenblas.so.0"
    copy.write_bytes(library.read_bytes())
    return copy


def test_a_blas_is_found_in_any_folder_of_packages(run_python, folder_of_other_packages):
    path = os.pathsep.join([str(folder_of_other_packages.parents[1]), os.environ.get("PYTHONPATH", "")])
    assert find_blas_line(run_python(DESCRIBE, env={"PYTHONPATH": path}).ok()) == folder_of_other_packages


def test_no_blas_is_looked_for_before_it_is_needed(run_python, folder_of_other_packages):
    path = os.pathsep.join([str(folder_of_other_packages.parents[1]), os.environ.get("PYTHONPATH", "")])
    code = (
        "import sys, mindtorch as t; t.ones(2) @ t.ones(2)\n"
        "print('openblas' in open('/proc/self/maps').read(), [m for m in sys.modules if 'openblas' in m])"
    )
    assert run_python(code, env={"PYTHONPATH": path}).ok() == "False []\n"


def test_error_without_a_blas_names_the_package_to_install(run_python):
    finished = run_python("import mindtorch as t; t.linalg.svd(t.eye(2))", env={"MINDTORCH_BLAS": "none"})
    assert "Install the package scipy-openblas32 (pip) or libopenblas0 (Debian)" in finished.err
