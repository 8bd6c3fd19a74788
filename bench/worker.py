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


def flatten_result(value):
    """The tensors and numbers in a result, in order."""
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in flatten_result(part)]
    return [] if value is None or isinstance(value, (str, dict)) else [value]


def sample_elements(value, most_per_tensor=64):
    """Numbers that tell whether both sides computed the same: some elements of each tensor, evenly spread."""
    numbers = []
    for leaf in flatten_result(value):
        if isinstance(leaf, (int, float)):
            numbers.append(float(leaf))
            continue
        leaf = leaf.detach().to_dense().reshape(-1)
        numbers.append(float(leaf.shape[0]))
        step = max(1, leaf.shape[0] // most_per_tensor)
        for x in leaf[::step].tolist():
            numbers.extend((x.real, x.imag) if isinstance(x, complex) else (float(x),))
    return numbers


def time_per_call(call, count):
    start = time.perf_counter()
    for _ in itertools.repeat(None, count):
        call()
    return (time.perf_counter() - start) / count


def choose_call_count(call):
    """How many calls fill a measurement; warms up on the way."""
    count = 1
    while True:
        seconds = time_per_call(call, count)
        if seconds * count >= SECONDS / 2:
            return max(1, round(SECONDS / seconds))
        count *= 4


class Side:
    def __init__(self, threads, library):
        import cases

        self.cases = {case.key: case for case in cases.select_cases()}
        self.beside = library if library in cases.BESIDE else None
        self.library = importlib.import_module(cases.BESIDE[library] if self.beside else "torch")
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(threads)
        self.call = self.count = None

    def describe_library(self):
        about = {"version": self.library.__version__}
        if hasattr(self.library, "set_num_threads"):
            about["configuration"] = self.library.__config__.show()
            about["capability"] = self.library.backends.cpu.get_cpu_capability()
        return about

    def prepare_case(self, key):
        self.call = None  # frees what the last case held, before this one allocates
        case = self.cases[key]
        if not self.beside:
            self.library.manual_seed(0)
        self.call = (case.beside[self.beside] if self.beside else case.prepare)(self.library)
        result = self.call()
        numbers = None if self.beside else sample_elements(result)
        del result
        self.count = choose_call_count(self.call)
        return {"digest": numbers, "count": self.count}

    def time_case(self):
        return {"seconds": time_per_call(self.call, self.count)}


def main():
    # Redirects what a library prints, because the pipe to the parent process carries only answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    side = Side(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "torch")
    print(json.dumps(side.describe_library()), file=answers)
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        try:
            answer = getattr(side, name)(*arguments)
        except Exception as error:  # a case that one side cannot run is a line of the report, not the end of it
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
        print(json.dumps(answer), file=answers)


if __name__ == "__main__":
    main()
