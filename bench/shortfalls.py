"""Why a case is short of its promise: shortfalls.txt, a line each, "GROUP/NAME: why, and what would be needed".

"AVX2 GROUP/NAME" is of runs in which our kernels were those of AVX2."""

import functools
from pathlib import Path

LISTED = Path(__file__).parent / "shortfalls.txt"


@functools.cache
def read_reasons():
    lines = [line for line in LISTED.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split(": ", 1) for line in lines)


def find_reason(case_key, cpu_capability):
    """The reason of the longest listed prefix of `case_key`; one listed for `cpu_capability` comes first."""
    for name in (f"{cpu_capability} {case_key}", case_key):
        if found := [start for start in read_reasons() if name.startswith(start)]:
            return read_reasons()[max(found, key=len)]
    return "short of the promise, and nobody has looked why"
