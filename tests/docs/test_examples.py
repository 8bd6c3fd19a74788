"""Every block of code in the written pages runs, or states why it does not."""

import re
import subprocess
from pathlib import Path

import blocks
import pytest
from conftest import PAGES, ROOT

EXAMPLES = ROOT / "docs/examples"
LANGUAGES_PRINT = "/repo/docs/examples/languages/expected.txt"  # each one's first program, which has the same lines
# The suites `install` and `examples` build and run the programs of examples/ as a user would.
OTHER_SUITES = re.compile(r"/repo/(examples/|impl/|bindings/|python/|capi/|tests/contract/)")


def relative_page_name(page: Path) -> str:
    return str(page.relative_to(ROOT / "docs"))


def run_command(command: list[str], folder: Path, environment: dict[str, str], **more) -> str:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240, **more)
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=relative_page_name)
def test_the_code_of_a_page_runs_and_prints_what_the_page_shows(page, request, tmp_path):
    found = [block for block in blocks.read_code_blocks(page) if not block.not_run]
    languages = {block.language for block in found}
    printed = ""
    if languages & {"python", "pycon"}:
        python, environment = request.getfixturevalue("python_with_mindtorch"), request.getfixturevalue("environment")
        command = [python, "-m", "mindtorch", str(Path(__file__).parent / "page.py"), str(page)]
        printed += run_command(command, tmp_path, environment)
    if "sh" in languages:
        script = "set -eu\n" + "\n".join(block.text for block in found if block.language == "sh")
        printed += run_command(["sh"], tmp_path, request.getfixturevalue("sdk_environment"), input=script)
    for block in found:
        if block.language == "text":
            missing = [line for line in block.text.strip().split("\n") if line.replace("...", "") not in printed]
            assert not missing, f"{block.page_and_line} shows {missing}, and the page printed:\n{printed}"
        elif block.argument == LANGUAGES_PRINT:
            assert (ROOT / LANGUAGES_PRINT.removeprefix("/repo/")).read_text() in printed


@pytest.mark.parametrize("page", PAGES, ids=relative_page_name)
def test_skipped_code_block_states_a_reason(page):
    directives = {"literalinclude", "toctree", "image", "include"}
    silent = [
        b.page_and_line
        for b in blocks.read_code_blocks(page)
        if b.language not in blocks.RUN | directives and not b.not_run
    ]
    assert silent == []


@pytest.mark.parametrize("page", PAGES, ids=relative_page_name)
def test_a_program_that_a_page_includes_is_run_somewhere(page):
    included = [block.argument for block in blocks.read_code_blocks(page) if block.language == "literalinclude"]
    unknown = [
        path for path in included if not path.startswith("/repo/docs/examples/") and not OTHER_SUITES.match(path)
    ]
    assert unknown == []
    assert [path for path in included if not (ROOT / path.removeprefix("/repo/")).is_file()] == []


COMPILERS = {".c": ["cc", "-std=c99"], ".cpp": ["c++", "-std=c++11"]}


@pytest.mark.parametrize("source", sorted([*EXAMPLES.glob("c/*.c"), *EXAMPLES.glob("cpp/*.cpp")]), ids=lambda p: p.name)
def test_a_program_compiles_without_a_warning_and_prints_what_is_expected(source, sdk_environment, tmp_path):
    flags = run_command(["pkg-config", "--cflags", "--libs", "mindtorch"], tmp_path, sdk_environment).split()
    warnings = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
    run_command(
        [*COMPILERS[source.suffix], *warnings, str(source), *flags, "-pthread", "-o", "program"],
        tmp_path,
        sdk_environment,
    )
    assert run_command(["./program"], tmp_path, sdk_environment) == source.with_suffix(".txt").read_text()
