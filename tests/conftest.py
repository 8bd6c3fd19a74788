"""A test may skip only for a reason that tests/data/skips.txt lists; if anything else is missing, the test fails."""

import fnmatch
import os
from pathlib import Path

import pytest

LISTED = (Path(__file__).parent / "data/skips.txt").read_text().splitlines()
WITHOUT_ORACLE = ["needs real torch*", "got empty parameter set*"]  # the second has tests per operator


def is_listed_skip_reason(reason):
    patterns = [line for line in LISTED if line and not line.startswith("#")]
    if os.environ.get("MINDTORCH_WITHOUT_ORACLE"):
        patterns += WITHOUT_ORACLE
    return any(fnmatch.fnmatchcase(reason, pattern) for pattern in patterns)


def fail_unlisted_skip(report):
    """Turns a skip for an unlisted reason into a failure."""
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not is_listed_skip_reason(reason):
            report.outcome = "failed"
            report.longrepr = f"skipped, for a reason that tests/data/skips.txt does not list: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return fail_unlisted_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return fail_unlisted_skip((yield))
