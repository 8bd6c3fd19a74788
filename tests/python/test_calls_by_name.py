"""Operators that C++ calls by name: every name in the sources exists; a wrong name fails only when called."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Finds op<"name">, and the templates that take the name of the operator that they call.
CALL = re.compile(r'\b(?:op|foreach_\w+|stored_pairs|lifted|unbiased|grid_sampler_formula)<"([^"]+)"')


def test_every_operator_called_by_name_exists():
    operators = json.loads((ROOT / "build/release/generated/registry.json").read_text(encoding="utf-8"))
    full = {op["name"] + (f".{op['overload']}" if op["overload"] else "") for op in operators}
    base = {name.partition(".")[0] for name in full}
    full |= {f"{name}." for name in full if "." not in name}  # "sum." is the overload without a name
    unknown, calls = [], 0
    for path in sorted((ROOT / "impl").rglob("*")):
        if path.suffix in (".h", ".cpp"):
            names = CALL.findall(re.sub(r"//.*", "", path.read_text(encoding="utf-8")))
            calls += len(names)
            unknown += [f"{path.relative_to(ROOT)}: {n}" for n in names if n not in (full if "." in n else base)]
    assert unknown == []
    assert calls > 2000
