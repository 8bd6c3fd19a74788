"""Why a case is short of its promise: shortfalls.txt, a line each, "GROUP/NAME: why, and what would be needed"."""

import functools
from pathlib import Path

LISTED = Path(__file__).parent / "shortfalls.txt"


@functools.cache
def listed():
    lines = [line for line in LISTED.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split(": ", 1) for line in lines)


def reason(key):
    """The reason of the longest listed beginning of `key`."""
    found = [start for start in listed() if key.startswith(start)]
    return listed()[max(found, key=len)] if found else "short of the promise, and nobody has looked why"
