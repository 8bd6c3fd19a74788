"""Every written case matches torch: value, warnings, error type and text."""

import ast
import importlib
from pathlib import Path

import pytest
from conftest import by_design, real_torch
from harness import outcome_differs, run

FOLDER = Path(__file__).parent / "written"
# Names that a case may use without an import; module("overrides") is the library's own torch.overrides.
PRELUDE = "import copy, gc, io, math, operator, pickle, threading, warnings, weakref"


def cases(path):
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


def title(text):
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


def answer(torch, code):
    scope = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    scope["module"] = lambda name: importlib.import_module(f"{torch.__name__}.{name}")
    exec(PRELUDE, scope)
    torch.manual_seed(0)

    def call():
        exec(code, scope)
        return scope.get("value")

    return run(torch, call)


EVERY = [
    pytest.param(path.stem, text, id=f"{path.stem}: {title(text)}")
    for path in sorted(FOLDER.glob("*.txt"))
    for text in (cases(path) if real_torch() else ())
]


@pytest.mark.parametrize("area, text", EVERY)
def test_case_answers_as_torch(area, text, torch, mt, counted):
    code = compile_program(text)
    theirs, ours = answer(torch, code), answer(mt, code)
    counted(area, 1)
    difference = outcome_differs(ours, theirs)
    name = f"{area}: {title(text)}"
    if name in by_design():
        assert difference is not None, "by_design.txt still names this case, which is equal now"
        pytest.xfail("by_design.txt names it")
    assert difference is None, f"{text}\n{difference}"
