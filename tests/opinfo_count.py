"""Prints `passed failed skipped` over the operators of a list, from a report of the operator-database tool."""

import json
import pathlib
import sys

listed, report, failures = map(pathlib.Path, sys.argv[1:4])
results = json.loads(report.read_text())
failed = []
names = listed.read_text().split()
for name in names:
    checks = results.get(name, {}).get("checks", {"run": {"failed": 1, "first": "no result"}})
    failed += [f"{name} {check}: {found['first']}" for check, found in checks.items() if found["failed"]]
failures.write_text("\n".join(failed))
bad = {line.split()[0] for line in failed}
print(len(names) - len(bad), len(bad), 0)
