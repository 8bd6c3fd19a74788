#!/usr/bin/env python3
"""Runs the model tests of Hugging Face transformers, family by family, and compares the passed tests of two torches.

  transformers_tests.py run --python ENV/bin/python --checkout DIR --out torch.json bert albert
  transformers_tests.py run --python ENV/bin/python --checkout DIR --out ours.json --launcher "-m mindtorch" bert albert
  transformers_tests.py show --base torch.json --ours ours.json

DIR is a checkout of transformers with its tests, of the same release as in the environment (4.57). The environment
needs transformers, pytest, pytest-xdist, pytest-timeout, parameterized, httpx, datasets<4, huggingface_hub<1, and
torch or mindtorch. A family that is in the file of results already is not run again.

`show` exits with 1 if a test that passes on torch does not pass on ours.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
from pathlib import Path


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="runs families, and adds what passed to a file")
    run.add_argument("--python", required=True, metavar="FILE", help="the environment's interpreter")
    run.add_argument("--checkout", required=True, type=Path, metavar="DIR", help="transformers, with its tests")
    run.add_argument("--out", required=True, type=Path, metavar="FILE")
    run.add_argument("--launcher", default="", metavar="WORDS", help="between the interpreter and `-m pytest`")
    run.add_argument("--workers", type=int, default=2, metavar="N", help="processes at once")
    run.add_argument("--limit", type=int, default=1800, metavar="S", help="seconds for a family")
    run.add_argument("families", nargs="+")
    show = commands.add_parser("show", help="of the tests that pass on torch, how many pass on ours")
    show.add_argument("--base", required=True, type=Path, metavar="FILE", help="torch's results")
    show.add_argument("--ours", required=True, type=Path, metavar="FILE")
    return parser.parse_args()


def run_family(options, family):
    """{"passed": names, "failed": names, "skipped": number}; with "error" if pytest made no report."""
    folder = options.checkout / "tests/models" / family
    files = [str(path.relative_to(options.checkout)) for path in sorted(folder.glob("test_modeling_*.py"))]
    if not files:
        raise SystemExit(f"error: {folder} has no test_modeling_*.py")
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
    if options.launcher:
        environment["MINDTORCH_AS_TORCH"] = "1"  # pytest-xdist's workers are processes of their own
    with tempfile.TemporaryDirectory() as scratch:
        xml = Path(scratch) / "report.xml"
        command = [options.python, *options.launcher.split(), "-m", "pytest", "-q", "-p", "no:cacheprovider",
                   "--timeout", "300", "-n", str(options.workers), f"--junitxml={xml}", *files]  # fmt: skip
        try:
            ended = subprocess.run(command, cwd=options.checkout, env=environment, capture_output=True, text=True,
                                   timeout=options.limit)  # fmt: skip
            last_words = ended.stdout[-400:]
        except subprocess.TimeoutExpired:
            last_words = f"not done after {options.limit} s"
        found = {"passed": [], "failed": [], "skipped": 0}
        if not xml.exists():
            return found | {"error": last_words}
        for case in tree.parse(xml).iter("testcase"):
            outcomes = {child.tag for child in case}
            name = f"{case.get('classname', '').rpartition('.')[2]}.{case.get('name')}"
            if outcomes & {"failure", "error"}:
                found["failed"].append(name)
            elif "skipped" in outcomes:
                found["skipped"] += 1
            else:
                found["passed"].append(name)
        return found


def run_all_families(options):
    results = json.loads(options.out.read_text()) if options.out.exists() else {}
    for family in options.families:
        if family not in results:
            results[family] = run_family(options, family)
            options.out.write_text(json.dumps(results))
        found = results[family]
        counts = f"{len(found['passed'])} passed, {len(found['failed'])} failed, {found['skipped']} skipped"
        print(f"{family}: {counts} {found.get('error', '')}", flush=True)
    return 1 if any("error" in results[family] for family in options.families) else 0


def print_comparison(options):
    base, ours = (json.loads(path.read_text()) for path in (options.base, options.ours))
    wanted = passing = 0
    for family in sorted(set(base) & set(ours)):
        needed = set(base[family]["passed"])
        missing = sorted(needed - set(ours[family]["passed"]))
        wanted, passing = wanted + len(needed), passing + len(needed) - len(missing)
        print(f"{family}: {len(needed) - len(missing)} of {len(needed)}" + "".join(f"\n  {name}" for name in missing))
    print(f"total: {passing} of {wanted}")
    return 0 if wanted and passing == wanted else 1


if __name__ == "__main__":
    options = parse_arguments()
    sys.exit({"run": run_all_families, "show": print_comparison}[options.command](options))
