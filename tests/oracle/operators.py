#!/usr/bin/env python3
"""Compares a library with torch's API with real torch, on torch's own operator database.

For every entry of torch's database of operators, both libraries get torch's sample inputs in one process, and the
results are compared: values, dtype, shape, strides, gradients, gradients of gradients, the method, in-place and out=
forms, and the type and text of the exception for invalid inputs. A check that torch itself cannot run does not count.
Entries run in separate processes, so that a crash affects one entry.

  operators.py                                  all entries
  operators.py --operators add,mm,svd           these        operators.py --family linalg    names with this prefix
  operators.py --listed tests/data/opinfo-clean.txt --count counts.txt       entries that must be clean
  operators.py --library torch                  checks this tool: everything must pass

Exit status: 0 if no entry failed, 1 if one did, 2 if the oracle (real torch 2.13) is missing.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

from operator_checks import CHECKS, OperatorChecks, load_operator_database
from requirement import need_oracle

DTYPES = "float32,float64,bfloat16,float16,int64,int32,uint8,bool,complex64"
BATCH = 12  # entries of one process; importing both libraries takes some seconds


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default="mindtorch", metavar="MODULE", help="what is compared with torch")
    parser.add_argument("--operators", default="", metavar="NAME,...", help="these entries only")
    parser.add_argument("--listed", metavar="FILE", help="the entries of a file, one name a line; all have to exist")
    parser.add_argument("--family", default="", metavar="PREFIX", help="entries whose names begin so")
    parser.add_argument("--dtypes", default=DTYPES, metavar="NAME,...", help="of the samples without gradient")
    parser.add_argument("--checks", default=",".join(CHECKS), metavar="NAME,...", help="the default is all of them")
    parser.add_argument("--samples", type=int, default=1000, metavar="N", help="at most so many for each dtype")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of torch's samples")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes at once")
    parser.add_argument("--limit", type=int, default=120, metavar="S", help="seconds until an entry counts as hanging")
    parser.add_argument("--json", metavar="FILE", help="one record for every entry")
    parser.add_argument("--count", metavar="FILE", help="`passed failed skipped`, counted in entries")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def select_entries(options):
    names = list(load_operator_database())
    if options.listed:
        return Path(options.listed).read_text().split()
    if options.operators:
        chosen = options.operators.split(",")
        names = [name for name in names if name in chosen or name.split(".")[0] in chosen]
    return [name for name in names if name.startswith(options.family)]


# ---- a worker: checks its entries, and prints one line of JSON at the start and at the end of each ----


def run_worker(options):
    from library import Library

    library, entries = Library(options.library), load_operator_database()
    checks = OperatorChecks(library, Library("torch"), options.checks.split(","), options.dtypes.split(","),
                            options.samples, options.seed)  # fmt: skip
    for name in options.operators.split(","):
        print(json.dumps({"begun": name}), flush=True)
        print(json.dumps({"operator": name, "checks": check_entry(checks, entries.get(name))}), flush=True)
    os._exit(0)  # errors at a library's exit are not an operator's fault


def check_entry(checks, entry):
    found = {}

    def count_outcome(check, sample, error):
        counts = found.setdefault(check, {"passed": 0, "failed": 0, "first": ""})
        counts["failed" if error is not None else "passed"] += 1
        if error is not None and not counts["first"]:
            counts["first"] = f"{sample}: {type(error).__name__}: {' '.join(str(error).split())[:300]}"

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if entry is None:
            count_outcome("forward", "entry", LookupError("torch's database has no such entry"))
        else:
            checks.check(entry, count_outcome)
    return found


# ---- the driver: sends batches of entries to workers ----


class Driver:
    def __init__(self, options, names):
        self.options, self.names = options, names
        self.left, self.results, self.lock = collections.deque(names), {}, threading.Lock()

    def run(self):
        threads = [threading.Thread(target=self.run_batches_until_done) for _ in range(self.options.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {name: self.results.get(name) or make_crash_record("no result") for name in self.names}

    def run_batches_until_done(self):
        while True:
            with self.lock:
                batch = [self.left.popleft() for _ in range(min(BATCH, len(self.left)))]
            if not batch:
                return
            while batch:
                self.run_batch(batch)

    def run_batch(self, batch):
        """Removes finished entries from the batch; if the worker ended early, records a crash for the entry that it
        was checking."""
        with tempfile.TemporaryFile("w+") as log:
            worker = subprocess.Popen(self.worker_command(batch), stdout=subprocess.PIPE, stderr=log, text=True)
            watch = Watch(worker, self.options.limit)
            at = batch[0]
            for line in worker.stdout:
                watch.note_progress()
                message = parse_worker_message(line)
                if "begun" in message:
                    at = message["begun"]
                elif "operator" in message:
                    self.results[message["operator"]] = message["checks"]
                    batch.remove(message["operator"])
            status = worker.wait()
            watch.stop()
            if batch:
                at = at if at in batch else batch[0]
                log.seek(0)
                self.results[at] = make_crash_record(f"exit status {status}: {' '.join(log.read()[-300:].split())}")
                batch.remove(at)

    def worker_command(self, batch):
        options = self.options
        return [sys.executable, __file__, "--worker", "--library", options.library, "--operators", ",".join(batch),
                "--dtypes", options.dtypes, "--checks", options.checks, "--samples", str(options.samples),
                "--seed", str(options.seed)]  # fmt: skip


class Watch:
    """Kills a process that has printed nothing for `limit` seconds."""

    def __init__(self, process, limit):
        self.process, self.limit, self.stopped = process, limit, threading.Event()
        self.note_progress()
        threading.Thread(target=self.kill_when_stuck, daemon=True).start()

    def note_progress(self):
        self.last = time.monotonic()

    def stop(self):
        self.stopped.set()

    def kill_when_stuck(self):
        while not self.stopped.wait(2):
            if time.monotonic() - self.last > self.limit:
                self.process.kill()


def parse_worker_message(line):
    """Parses a worker's message; libraries may print other lines in between."""
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def make_crash_record(why):
    return {"crash": {"passed": 0, "failed": 1, "first": why}}


def print_report(options, results):
    """Prints the failures and the totals: entries that are clean, that are not, and that have no check here."""
    totals, entries = collections.Counter(), collections.Counter()
    for name, checks in results.items():
        for check, counts in checks.items():
            totals[check, "passed"] += counts["passed"]
            totals[check, "failed"] += counts["failed"]
            if counts["failed"]:
                print(f"{name} {check}: {counts['failed']} of {counts['passed'] + counts['failed']}: {counts['first']}")
        is_bad = any(counts["failed"] for counts in checks.values())
        entries["failed" if is_bad else "passed" if checks else "skipped"] += 1
        if not checks:
            print(f"{name}: skipped: torch has no sample of these dtypes")
    for check in (*CHECKS, "crash"):
        passed, count = totals[check, "passed"], totals[check, "passed"] + totals[check, "failed"]
        if count:
            print(f"{check:9s} {passed:7d} of {count:7d}  {100 * passed / count:6.2f} %")
    print(f"clean: {entries['passed']} of {len(results)} operators")
    return entries["passed"], entries["failed"], entries["skipped"]


def main():
    options = parse_arguments()
    if options.worker:
        run_worker(options)
    need_oracle()
    results = Driver(options, select_entries(options)).run()
    if options.json:
        Path(options.json).write_text(json.dumps(results))
    passed, failed, skipped = print_report(options, results)
    if options.count:
        Path(options.count).write_text(f"{passed} {failed} {skipped}\n")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
