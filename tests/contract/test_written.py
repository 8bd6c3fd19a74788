"""Every written case matches torch: value, warnings, error type and text."""

import ast
import importlib
from pathlib import Path

import pytest
from conftest import list_accepted_differences, real_torch
from harness import find_outcome_difference, record_outcome

FOLDER = Path(__file__).parent / "written"
# Names that a case may use without an import; module("overrides") is the library's own torch.overrides.
PRELUDE = "import copy, gc, io, math, operator, pickle, threading, warnings, weakref"


def parse_cases(path):
    """Parses the cases of a file: one per line, or several lines between { and }. The last statement is the value."""
    found, block = [], None
    for line in path.read_text().splitlines():
        if line == "{":
            block = []
        elif line == "}":
            found.append("\n".join(block))
            block = None
        elif block is not None:
            block.append(line)
        elif line and not line.startswith("#"):
            found.append(line)
    return found


def join_case_lines(text):
    """The text of a case in one line."""
    return " / ".join(text.splitlines())


def compile_program(text):
    """Compiles a case to code that assigns the value of its last expression to `value`."""
    tree = ast.parse(text)
    if isinstance(tree.body[-1], ast.Expr):
        name = ast.Name("value", ast.Store())
        tree.body[-1] = ast.Assign([name], tree.body[-1].value)
        ast.fix_missing_locations(tree)
    return compile(tree, "<case>", "exec")


def run_case(torch, code):
    scope = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    scope["module"] = lambda name: importlib.import_module(f"{torch.__name__}.{name}")
    exec(PRELUDE, scope)
    torch.manual_seed(0)

    def run_code():
        exec(code, scope)
        return scope.get("value")

    return record_outcome(torch, run_code)


EVERY = [
    pytest.param(path.stem, text, id=f"{path.stem}: {join_case_lines(text)}")
    for path in sorted(FOLDER.glob("*.txt"))
    for text in (parse_cases(path) if real_torch() else ())
]


@pytest.mark.parametrize("area, text", EVERY)
def test_case_answers_as_torch(area, text, torch, mt, count_cases):
    code = compile_program(text)
    theirs, ours = run_case(torch, code), run_case(mt, code)
    count_cases(area, 1)
    difference = find_outcome_difference(ours, theirs)
    name = f"{area}: {join_case_lines(text)}"
    if name in list_accepted_differences():
        assert difference is not None, "by_design.txt still names this case, which is equal now"
        pytest.xfail("by_design.txt names it")
    assert difference is None, f"{text}\n{difference}"
