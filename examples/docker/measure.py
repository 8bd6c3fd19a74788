"""Measures the embedding service in several root file systems: size, start, requests per second, latency, memory.

    python measure.py mindtorch=ROOT torch=ROOT [--requests N] [--rounds N] [--json FILE]

A ROOT is a folder that holds a whole system with the service's environment in /venv and service.py in /app (entered by
chroot, so root may run it), or an environment's folder that has bin/python (then service.py beside this file is run).
The load comes from ApacheBench (`ab`, Debian's apache2-utils) over loopback.
"""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

TEXTS = ["The committee will publish its report on river levels and harbour traffic before the month ends."]
DEADLINE = 180  # seconds for a start
MOUNTS = "mount -t proc proc {root}/proc && mount -t tmpfs -o size=64m tmpfs {root}/dev/shm && exec chroot {root} "


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def command(root, port):
    serve = ["-m", "uvicorn", "service:app", "--host", "127.0.0.1", "--port", str(port), "--log-level", "warning"]
    if (root / "venv").is_dir():
        inside = f"sh -c 'cd /app && exec /venv/bin/python {' '.join(serve)}'"
        return ["unshare", "--mount", "sh", "-c", MOUNTS.format(root=root) + inside], None
    return [str(root / "bin" / "python"), *serve], Path(__file__).parent


def ask(port, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def until_first_answer(process, port):
    """Waits for the first embedding and returns the seconds."""
    begun = time.perf_counter()
    while time.perf_counter() - begun < DEADLINE:
        if process.poll() is not None:
            raise SystemExit(f"the service ended with status {process.returncode}")
        try:
            vectors = ask(port, "/embed", {"texts": TEXTS})["embeddings"]
        except OSError:
            time.sleep(0.02)
            continue
        return time.perf_counter() - begun, vectors
    raise SystemExit(f"no answer within {DEADLINE} s")


def load(port, requests, clients):
    """Runs ApacheBench and returns requests per second and percentiles of the latency in ms."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as body:
        json.dump({"texts": TEXTS}, body)
        body.flush()
        command = ["ab", "-q", "-k", "-l", "-n", str(requests), "-c", str(clients), "-p", body.name]
        command += ["-T", "application/json", f"http://127.0.0.1:{port}/embed"]
        text = subprocess.run(command, check=True, capture_output=True, text=True, timeout=1800).stdout
    failed = sum(int(count) for count in re.findall(r"(?:Failed requests|Non-2xx responses):\s+(\d+)", text))
    if failed:
        raise SystemExit(f"{failed} of {requests} requests failed")
    percentile = dict(re.findall(r"^\s+(50|99)%\s+(\d+)", text, re.MULTILINE))
    return {
        "requests_per_second": float(re.search(r"Requests per second:\s+([\d.]+)", text)[1]),
        "p50_ms": int(percentile["50"]),
        "p99_ms": int(percentile["99"]),
    }


def measure(root, requests, clients):
    port = free_port()
    arguments, folder = command(root, port)
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    process = subprocess.Popen(arguments, cwd=folder, env=environment, start_new_session=True)
    try:
        seconds, vectors = until_first_answer(process, port)
        found = {"first_answer_s": round(seconds, 2), "vector": vectors[0]}
        found |= load(port, requests, clients)
        found |= {k: v for k, v in ask(port, "/health").items()}
        return found
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


def size_of(root):
    """Returns the size of all files in MB, counting hard links once."""
    seen, total = set(), 0
    for folder, _, names in os.walk(root):
        for name in names:
            about = os.lstat(os.path.join(folder, name))
            if about.st_ino not in seen:
                seen.add(about.st_ino)
                total += about.st_size
    return total / 1e6


def largest_packages(root, count=12):
    """Returns the largest folders of the environment's site-packages in MB."""
    site = next(iter(sorted(root.glob("**/site-packages"))), None)
    sizes = {p.name: size_of(p) for p in site.iterdir() if p.is_dir()} if site else {}
    return dict(sorted(sizes.items(), key=lambda item: -item[1])[:count])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sides", nargs="+", metavar="NAME=ROOT")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3, help="starts of each side, in turn; the report has medians")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if shutil.which("ab") is None:
        raise SystemExit("ApacheBench is missing: apt-get install apache2-utils")
    sides = {name: Path(root).resolve() for name, root in (side.split("=", 1) for side in options.sides)}
    runs = {name: [] for name in sides}
    for turn in range(options.rounds):
        for name, root in sides.items():
            print(f"round {turn + 1} of {options.rounds}: {name}", file=sys.stderr)
            runs[name].append(measure(root, options.requests, options.clients))
    rows = {name: {"size_mb": round(size_of(root))} for name, root in sides.items()}
    for name, found in runs.items():
        for key in ("first_answer_s", "requests_per_second", "p50_ms", "p99_ms", "peak_mb"):
            rows[name][key] = statistics.median(run[key] for run in found)
        rows[name]["torch"] = found[0]["torch"]
    first, *others = sides
    print(f"{'':24}" + "".join(f"{name:>14}" for name in sides) + (f"{first + '/' + others[0]:>20}" if others else ""))
    for key in rows[first]:
        line = f"{key:24}" + "".join(f"{rows[name][key]:>14}" for name in sides)
        if others and key != "torch":
            line += f"{rows[first][key] / rows[others[0]][key]:>20.2f}"
        print(line)
    for name, root in sides.items():
        packages = ", ".join(f"{package} {size:.0f}" for package, size in largest_packages(root).items())
        print(f"largest packages of {name}, MB: {packages}")
    vectors = [runs[name][0]["vector"] for name in sides]
    differences = [max(abs(a - b) for a, b in zip(vectors[0], v, strict=True)) for v in vectors]
    print(f"largest difference of an embedding: {max(differences):.1e}")
    if options.json:
        options.json.write_text(json.dumps({"rows": rows, "runs": runs}, indent=1))
    return max(differences) > 1e-5


if __name__ == "__main__":
    sys.exit(main())
