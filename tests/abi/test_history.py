"""Programs of earlier releases run on today's library.

Each folder of capi/abi/history holds a release's headers and programs. They are compiled against those headers, linked
to the library of this build, and print what they printed then. Nothing in the folders is ever edited.
"""

import re
import subprocess
import sys
from pathlib import Path

import declarations
import pytest

ROOT = Path(__file__).parents[2]
HISTORY = ROOT / "capi" / "abi" / "history"
LIBRARY = ROOT / "build" / "release" / "lib"
CONFORMANCE = ROOT / "build" / "release" / "mindtorch-device-conformance"
EXPECT_SPIRAL = ROOT / "tests" / "install" / "expect_spiral.py"

RELEASES = sorted(path.name for path in HISTORY.iterdir() if path.is_dir())
PROGRAMS = [(path.parts[-3], path.name) for path in sorted(HISTORY.glob("*/programs/*.c*"))]
EXPECTED = {(path.parts[-3], path.stem) for path in HISTORY.glob("*/programs/*.expected")}
PRINTING = [(release, name) for release, name in PROGRAMS if (release, Path(name).stem) in EXPECTED]


def compile_program_of_release(release, name, target, *options):
    source = HISTORY / release / "programs" / name
    compiler = ["c++", "-std=c++11"] if source.suffix == ".cpp" else ["cc", "-std=c99"]
    command = [*compiler, str(source), f"-I{HISTORY / release / 'include'}", "-o", str(target), *options]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    return target


def link_program_of_release(release, name, target):
    return compile_program_of_release(
        release, name, target, f"-L{LIBRARY}", "-lmindtorch", f"-Wl,-rpath,{LIBRARY}", "-lm"
    )


def run_and_get_output(program, *arguments):
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_there_is_a_release_to_keep():
    assert "0.2" in RELEASES and len(PROGRAMS) >= 6


@pytest.mark.parametrize("release,name", PRINTING)
def test_program_of_an_earlier_release_prints_the_same(release, name, tmp_path):
    expected = (HISTORY / release / "programs" / name).with_suffix(".expected").read_text(encoding="utf-8")
    assert run_and_get_output(link_program_of_release(release, name, tmp_path / "program")) == expected


@pytest.mark.parametrize("release,name", [p for p in PROGRAMS if p[1].startswith("spiral")])
def test_a_network_trains_to_the_losses_of_real_torch(release, name, tmp_path):
    printed = tmp_path / "printed.txt"
    printed.write_text(
        run_and_get_output(link_program_of_release(release, name, tmp_path / "program")), encoding="utf-8"
    )
    run_and_get_output(sys.executable, str(EXPECT_SPIRAL), str(printed))


@pytest.mark.parametrize("release", RELEASES)
def test_a_device_plugin_still_serves(release, tmp_path):
    plugin = compile_program_of_release(
        release, "toy_device.c", tmp_path / "toy_device.so", "-shared", "-fPIC", "-pthread"
    )
    run_and_get_output(CONFORMANCE, str(plugin))


@pytest.mark.parametrize("release", RELEASES)
def test_headers_keep_all_released_declarations(release):
    then = [(release, line) for line in declarations.list_declarations(HISTORY / release / "include")]
    assert list(declarations.find_broken_declarations(then, declarations.list_declarations())) == []


def _parse_version(version):
    return tuple(map(int, version.split(".")))


@pytest.mark.parametrize("release", RELEASES)
def test_the_ledger_adds_nothing_to_an_earlier_release(release):
    then = {line for version, line in declarations.read_ledger() if _parse_version(version) <= _parse_version(release)}
    grown = {line for line in then if declarations.split_growing_declaration(line)}
    headers = declarations.list_declarations(HISTORY / release / "include")
    assert then - grown == {line for line in headers if not declarations.split_growing_declaration(line)}
    assert grown >= {line for line in headers if declarations.split_growing_declaration(line)}


@pytest.mark.parametrize("release", RELEASES)
def test_a_released_function_has_a_symbol_of_that_release(release):
    rows = (ROOT / "capi" / "abi" / "ledger.txt").read_text(encoding="utf-8").splitlines()
    symbols = [row.split() for row in rows if row.startswith("mt_")]
    then = {symbol for symbol, version in symbols if _parse_version(version) <= _parse_version(release)}
    headers = declarations.list_declarations(HISTORY / release / "include")
    functions = {re.search(r"(mt_\w+)\(", line)[1] for line in headers if line.startswith("function ")}
    assert then == functions


def test_additions_have_the_version_of_the_next_release():
    assert declarations.find_release_of_additions() == max(
        (v for v, _ in declarations.read_ledger()), key=_parse_version
    )
