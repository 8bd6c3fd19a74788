"""Times reading MDS shards with zstd: python bench/shards.py [--other PYTHON]

PYTHON is the interpreter of an environment with the package mosaicml-streaming. Both sides read the same shards, in
turn and in processes of their own, by number and as a stream, from shards that are not yet decompressed; the digests of
what they read have to agree.
"""

import argparse
import hashlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SAMPLES, ROUNDS = 20_000, 5
COLUMNS = {"ids": "ndarray:int32", "text": "str", "number": "int", "weight": "float32", "notes": "json"}


def yield_samples():
    draw = random.Random(5)
    for number in range(SAMPLES):
        text = f"sentence {number} é " * draw.randrange(1, 30)
        ids = [draw.randrange(30_000) for _ in range(draw.randrange(20, 400))]
        yield {"ids": ids, "text": text, "number": number, "weight": number / 4, "notes": {"at": [number]}}


def write_shards(folder):
    import torch
    from mindtorch.streaming import MDSWriter

    with MDSWriter(columns=COLUMNS, out=folder, compression="zstd:3", size_limit="8mb") as writer:
        for sample in yield_samples():
            writer.write({**sample, "ids": torch.tensor(sample["ids"], dtype=torch.int32)})


def time_reading(folder, package):
    """Prints seconds by number and as a stream, and a digest."""
    module = __import__(package, fromlist=["StreamingDataset"])
    times = []
    for how in (lambda dataset: [dataset[i] for i in range(SAMPLES)], list):
        with tempfile.TemporaryDirectory() as scratch:
            shutil.copytree(folder, f"{scratch}/shards")
            begin = time.perf_counter()
            made = how(module.StreamingDataset(local=f"{scratch}/shards", batch_size=1))
            times.append(time.perf_counter() - begin)
    parts = ((s["number"], s["ids"].tolist(), s["text"], float(s["weight"]), s["notes"]) for s in made)
    digest = hashlib.sha256(repr(list(parts)).encode()).hexdigest()
    print(json.dumps({"times": times, "digest": digest}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--other", default=sys.executable)
    parser.add_argument("--read", nargs=2, metavar=("FOLDER", "PACKAGE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        return time_reading(*options.read)
    with tempfile.TemporaryDirectory() as scratch:
        folder = str(Path(scratch) / "made")
        write_shards(folder)
        sides = {
            "mindtorch": [sys.executable, "-m", "mindtorch", __file__, "--read", folder, "mindtorch.streaming"],
            "mosaicml-streaming": [options.other, __file__, "--read", folder, "streaming"],
        }
        seen = {name: [] for name in sides}
        for _ in range(ROUNDS):
            for name, command in sides.items():
                output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
                seen[name].append(json.loads(output.splitlines()[-1]))
    digests = {result["digest"] for results in seen.values() for result in results}
    if len(digests) != 1:
        raise SystemExit("the two packages read different samples")
    for index, what in enumerate(("by number", "as a stream")):
        ours, theirs = (sorted(r["times"][index] for r in results)[ROUNDS // 2] for results in seen.values())
        print(f"{SAMPLES} samples {what}: {ours:.3f} s, mosaicml-streaming {theirs:.3f} s, ratio {ours / theirs:.3f}")
    return None


if __name__ == "__main__":
    main()
