"""One side of the bench: a process that prepares cases and times them on request, one JSON line in, one out.

Started as `python worker.py THREADS` (torch is torch) or `python -m mindtorch worker.py THREADS` (torch is mindtorch);
another library instead, if a case names it: `python worker.py THREADS NumPy`.
"""

import importlib
import itertools
import json
import os
import sys
import time

SECONDS = 0.03  # one measurement lasts about this long, or one call


def flat(value):
    """The tensors and numbers in a result, in order."""
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in flat(part)]
    return [] if value is None or isinstance(value, (str, dict)) else [value]


def digest(value, most=64):
    """Numbers that tell whether both sides computed the same: some elements of each tensor, evenly spread."""
    numbers = []
    for leaf in flat(value):
        if isinstance(leaf, (int, float)):
            numbers.append(float(leaf))
            continue
        leaf = leaf.detach().to_dense().reshape(-1)
        numbers.append(float(leaf.shape[0]))
        step = max(1, leaf.shape[0] // most)
        for x in leaf[::step].tolist():
            numbers.extend((x.real, x.imag) if isinstance(x, complex) else (float(x),))
    return numbers


def measure(call, count):
    start = time.perf_counter()
    for _ in itertools.repeat(None, count):
        call()
    return (time.perf_counter() - start) / count


def calibrate(call):
    """How many calls fill a measurement; warms up on the way."""
    count = 1
    while True:
        seconds = measure(call, count)
        if seconds * count >= SECONDS / 2:
            return max(1, round(SECONDS / seconds))
        count *= 4


class Side:
    def __init__(self, threads, library):
        import cases

        self.cases = {case.key: case for case in cases.cases()}
        self.beside = library if library in cases.BESIDE else None
        self.library = importlib.import_module(cases.BESIDE[library] if self.beside else "torch")
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(threads)
        self.call = self.count = None

    def about(self):
        about = {"version": self.library.__version__}
        if hasattr(self.library, "set_num_threads"):
            about["configuration"] = self.library.__config__.show()
            about["capability"] = self.library.backends.cpu.get_cpu_capability()
        return about

    def prepare(self, key):
        self.call = None  # frees what the last case held, before this one allocates
        case = self.cases[key]
        if not self.beside:
            self.library.manual_seed(0)
        self.call = (case.beside[self.beside] if self.beside else case.prepare)(self.library)
        result = self.call()
        numbers = None if self.beside else digest(result)
        del result
        self.count = calibrate(self.call)
        return {"digest": numbers, "count": self.count}

    def time(self):
        return {"seconds": measure(self.call, self.count)}


def main():
    # Only answers go to the parent; what a library prints must not mix with them.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    side = Side(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "torch")
    print(json.dumps(side.about()), file=answers)
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        try:
            answer = getattr(side, name)(*arguments)
        except Exception as error:  # a case that one side cannot run is a line of the report, not the end of it
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
        print(json.dumps(answer), file=answers)


if __name__ == "__main__":
    main()
