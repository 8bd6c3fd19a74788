"""Compares two reports of main.py and fails if embeddings or losses differ."""

import json
import sys

EMBEDDING_BOUND = 1e-5  # absolute
LOSS_BOUND = 1e-5  # relative


def largest_difference(a, b):
    return max(abs(x - y) for row, other in zip(a, b, strict=True) for x, y in zip(row, other, strict=True))


def largest_relative(a, b):
    """Returns the largest relative difference and its step, counted from 1."""
    return max((abs(x - y) / max(abs(y), 1e-30), i) for i, (x, y) in enumerate(zip(a, b, strict=True), 1))


def show_losses(names, a, b):
    print(f"\n{'step':>6s}  {names[0]:>14s}  {names[1]:>14s}  {'relative':>10s}")
    for i in range(0, len(a)):
        if i < 3 or (i + 1) % 20 == 0 or i == len(a) - 1:
            print(f"{i + 1:6d}  {a[i]:14.8f}  {b[i]:14.8f}  {abs(a[i] - b[i]) / abs(b[i]):10.1e}")


def show_runtime(names, a, b):
    rows = [(f"{k} (s)", f"{v:.2f}", f"{b['seconds'].get(k, 0):.2f}") for k, v in a["seconds"].items()]
    rows.append(("sum (s)", *(f"{sum(x['seconds'].values()):.2f}" for x in (a, b))))
    rows += [(k, str(a["runtime"][k]), str(b["runtime"][k])) for k in ("peak memory (MB)", "threads", "capability")]
    print(f"\n{'':24s}{names[0]:>14s}{names[1]:>14s}")
    for name, left, right in rows:
        print(f"{name:24s}{left:>14s}{right:>14s}")


def main(left, right):
    a, b = (json.load(open(path)) for path in (left, right))
    names = [x["runtime"]["torch.__version__"] for x in (a, b)]
    if len(a["losses"]) != len(b["losses"]):
        print(f"error: {len(a['losses'])} steps on one side, {len(b['losses'])} on the other")
        return 1
    embedding = largest_difference(a["embeddings"], b["embeddings"])
    loss, step = largest_relative(a["losses"], b["losses"])
    show_losses(names, a["losses"], b["losses"])
    show_runtime(names, a, b)
    print(f"\nlargest difference of embeddings: {embedding:.2e} (bound {EMBEDDING_BOUND:.0e})")
    steps = len(a["losses"])
    print(f"largest relative difference of {steps} losses: {loss:.2e} at step {step} (bound {LOSS_BOUND:.0e})")
    agree = embedding <= EMBEDDING_BOUND and loss <= LOSS_BOUND
    print("the two agree" if agree else "THE TWO DIFFER")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
