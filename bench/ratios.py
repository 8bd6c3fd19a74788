"""Times mindtorch and torch in turn on the same machine in the same run, and prints the ratios."""

import argparse
import json
import statistics
import subprocess
import sys
import time

ROUNDS = 7


def in_turn(ours, theirs, rounds=ROUNDS):
    """The median seconds of two measurements that alternate, so that a busy moment of the machine meets both."""
    pairs = [(ours(), theirs()) for _ in range(rounds)]
    return tuple(statistics.median(column) for column in zip(*pairs, strict=True))


def per_call(function, seconds=0.05):
    """Seconds of one call, from as many calls as fill the time."""
    count = 1
    while True:
        start = time.perf_counter()
        for _ in range(count):
            function()
        spent = time.perf_counter() - start
        if spent >= seconds:
            return spent / count
        count = max(count * 2, int(count * seconds / max(spent, 1e-9)))


def import_seconds(module):
    """A fresh process each; a name is used, since mindtorch loads on first use."""
    code = f"import time; s = time.perf_counter(); import {module}; {module}.add; print(time.perf_counter() - s)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def sides():
    import mindtorch
    import torch

    return mindtorch, torch


def same_work(make, seconds=0.05):
    """Times one function of each library; `make(library)` prepares its arguments and returns it."""
    ours, theirs = (make(library) for library in sides())
    return in_turn(lambda: per_call(ours, seconds), lambda: per_call(theirs, seconds))


def add_one(lib):
    a, b = lib.ones(1), lib.ones(1)
    return lambda: a + b


def add_with_grad(lib):
    a, b = lib.ones(1, requires_grad=True), lib.ones(1)
    return lambda: a + b


def backward_small(lib):
    a, b = lib.ones(1, requires_grad=True), lib.ones(1)
    return lambda: (a * b).sum().backward()


def pointwise(name, size):
    def make(lib):
        a = lib.rand(size)
        function = getattr(lib, name)
        return lambda: function(a)

    return make


def matmul(m, k, n):
    def make(lib):
        a, b = lib.rand(m, k), lib.rand(k, n)
        return lambda: lib.mm(a, b)

    return make


def linear_module(lib):
    layer, x = lib.nn.Linear(4, 4), lib.ones(1, 4)
    return lambda: layer(x)


MEASUREMENTS = {
    "import": lambda: in_turn(lambda: import_seconds("mindtorch"), lambda: import_seconds("torch")),
    "a + b, one element": lambda: same_work(add_one),
    "a + b, one element, grad": lambda: same_work(add_with_grad),
    "(a * b).sum().backward()": lambda: same_work(backward_small),
    "nn.Linear(4, 4)": lambda: same_work(linear_module),
    "exp, 1M": lambda: same_work(pointwise("exp", 1 << 20)),
    "tanh, 1M": lambda: same_work(pointwise("tanh", 1 << 20)),
    "sum, 1M": lambda: same_work(pointwise("sum", 1 << 20)),
    "mm 512x768x768": lambda: same_work(matmul(512, 768, 768)),
    "mm 1x768x768": lambda: same_work(matmul(1, 768, 768)),
}


def scaled(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.2f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", help="write {name: [ours, torch's]} in seconds")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("names", nargs="*", help="measurements whose name begins so")
    args = parser.parse_args()
    if args.list:
        print("\n".join(MEASUREMENTS))
        return
    results = {}
    print(f"{'':28s}{'mindtorch':>12s}{'torch':>12s}{'ratio':>8s}")
    for name, measure in MEASUREMENTS.items():
        if args.names and not any(name.startswith(wanted) for wanted in args.names):
            continue
        ours, theirs = results[name] = measure()
        print(f"{name:28s}{scaled(ours):>12s}{scaled(theirs):>12s}{ours / theirs:8.2f}", flush=True)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file)


if __name__ == "__main__":
    main()
