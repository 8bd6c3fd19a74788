"""Checks that real torch of the compared release is installed."""

import sys

RELEASE = "2.13.0"


def need_oracle():
    """Ends the program with status 2 if it is not."""
    try:
        import torch
    except ModuleNotFoundError:
        found = "there is no torch"
    else:
        version = torch.__version__
        is_real = version.startswith(RELEASE) and "mindtorch" not in version
        found = "" if is_real else f"what answers as torch is {version}"
    if found:
        print(f"error: real torch {RELEASE} (the oracle) is needed, and {found}", file=sys.stderr)
        raise SystemExit(2)
