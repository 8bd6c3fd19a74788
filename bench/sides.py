"""The two libraries as two processes that run alternately, so that a busy moment of the machine affects both."""

import json
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
PAUSE = 0.02
PATIENCE = 1.0
OURS = [sys.executable, "-m", "mindtorch"]
COMMANDS = {
    "mindtorch": OURS,
    "torch": [sys.executable],
    "NumPy": [sys.executable],
    "onnxruntime": [sys.executable],
    "floor": OURS,
}
# Environment variables that limit the libraries of either side to AVX2.
AVX2 = {
    "MINDTORCH_CPU_CAPABILITY": "avx2",
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "OPENBLAS_CORETYPE": "Haswell",
}
NATIVE = HERE.parent / "build" / "release" / "mindtorch_bench"


def make_environment(thread_count):
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "MINDTORCH_NUM_THREADS")
    quiet = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
    return {**os.environ, **dict.fromkeys(names, str(thread_count)), **quiet}


def make_cpu_pinning(thread_count):
    """Keeps a child on as many cores as it has threads, the same ones on either side."""
    cores = sorted(os.sched_getaffinity(0))[:thread_count]
    return lambda: os.sched_setaffinity(0, cores)


class Worker:
    def __init__(self, side, threads):
        command = [*COMMANDS[side], str(HERE / "worker.py"), str(threads), side]
        self.side = side
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=make_environment(threads),
            preexec_fn=make_cpu_pinning(threads),
        )
        self.about = self.read_answer()

    def read_answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise ChildProcessError(f"the {self.side} side ended with status {self.process.wait()}")
        return json.loads(line)

    def request_answer(self, *request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self.read_answer()

    def is_computing(self):
        """Whether a thread of the process computes, or spins."""
        for stat in Path(f"/proc/{self.process.pid}/task").glob("*/stat"):
            try:
                if stat.read_text().rpartition(")")[2].split()[0] == "R":
                    return True
            except OSError:  # the thread ended meanwhile
                continue
        return False

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def run_in_fresh_process(side, code, threads):
    """The number that a program prints in a process of its own."""
    command = [*COMMANDS[side], "-c", code]
    run = subprocess.run(
        command, capture_output=True, text=True, env=make_environment(threads), preexec_fn=make_cpu_pinning(threads)
    )
    if run.returncode:
        return None, (run.stderr.strip().splitlines() or ["no output"])[-1]
    return float(run.stdout.split()[-1]), None


def time_native_benchmark(name):
    """What a benchmark of the C ABI takes per call."""
    command = [NATIVE, f"--benchmark_filter=^{name}$", "--benchmark_format=json", "--benchmark_min_time=0.05"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    (measured,) = json.loads(run.stdout)["benchmarks"]
    return measured["real_time"] * {"ns": 1e-9, "us": 1e-6}[measured["time_unit"]]


def find_difference(ours, theirs, tolerance):
    """The first difference of two digests, in words; None where they agree."""
    if len(ours) != len(theirs):
        return f"{len(ours)} numbers against {len(theirs)}"
    scale = max((abs(x) for x in theirs if math.isfinite(x)), default=1.0)
    for a, b in zip(ours, theirs, strict=True):
        if a != b and not (math.isnan(a) and math.isnan(b)) and not abs(a - b) <= tolerance * max(scale, 1e-30):
            return f"{a!r} against {b!r}"
    return None


class Sides:
    def __init__(self, threads, rounds):
        self.threads, self.rounds, self.workers = threads, rounds, {}

    def worker_of_side(self, side):
        if side not in self.workers:
            self.workers[side] = Worker(side, self.threads)
        return self.workers[side]

    def wait_until_idle(self):
        """Waits until all sides are at rest: OpenMP's threads spin on for 10 ms, NumPy's OpenBLAS for 90 ms."""
        end = time.monotonic() + PATIENCE
        time.sleep(PAUSE)
        while time.monotonic() < end and any(worker.is_computing() for worker in self.workers.values()):
            time.sleep(PAUSE / 10)

    def close(self):
        for worker in self.workers.values():
            worker.close()

    def measure_case(self, case):
        """A record: the medians of both sides, the ratio of each round, and what went wrong."""
        record = {"key": case.key, "group": case.group, "name": case.name, "at_most": case.at_most, "unit": case.unit}
        sides = ("mindtorch", "torch", *(case.beside or ()))
        measured = self.time_processes if isinstance(case.prepare, str) else self.time_calls
        columns = measured(case, sides, record)
        if columns:
            medians = {side: statistics.median(values) for side, values in columns.items()}
            record["mindtorch"], record["torch"] = medians.pop("mindtorch"), medians.pop("torch")
            record["beside"] = medians
            ratios = sorted(a / b for a, b in zip(columns["mindtorch"], columns["torch"], strict=True))
            record["ratio"] = record["mindtorch"] if case.unit == "x" else statistics.median(ratios)
            record["spread"] = [ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]]
        return record

    def time_processes(self, case, sides, record):
        columns = {side: [] for side in sides}
        for _ in range(max(3, self.rounds // 2) if case.unit == "s" else 1):
            for side in sides:
                value, error = run_in_fresh_process(side, case.prepare, self.threads)
                if error:
                    record["error"] = f"{side}: {error}"
                    return None
                columns[side].append(value)
        return columns

    def time_calls(self, case, sides, record):
        if case.native and not NATIVE.exists():
            record["error"] = "mindtorch_bench is not built"
            return None
        answers = {}
        for side in sides:
            try:
                answers[side] = self.worker_of_side(side).request_answer("prepare_case", case.key)
            except ChildProcessError as error:
                self.workers.pop(side, None)
                answers[side] = {"error": str(error)}
        failed = {side: answer["error"] for side, answer in answers.items() if "error" in answer}
        if failed:
            record["error"] = "; ".join(f"{side}: {error}" for side, error in failed.items())
        if failed.keys() & {"mindtorch", "torch"}:
            return None
        sides = [side for side in sides if side not in failed]
        difference = find_difference(answers["mindtorch"]["digest"], answers["torch"]["digest"], case.tolerance)
        if difference:
            record["error"] = f"the sides differ: {difference}"
        columns = {side: [] for side in sides}
        for _ in range(self.rounds):
            for side in sides:
                native = case.native if side == "mindtorch" else None
                self.wait_until_idle()
                columns[side].append(
                    time_native_benchmark(native)
                    if native
                    else self.worker_of_side(side).request_answer("time_case")["seconds"]
                )
        return columns
