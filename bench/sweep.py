"""Times thousands of calls, forward and backward, on both libraries, and names those that take longer than torch's.

Where the bench has cases that are promises, this looks for what nobody promised: the calls of sweep_calls.py, in one
process and short enough that a whole sweep takes minutes. A call that seems slower is measured once more, and the
better ratio counts.
"""

import argparse
import statistics
import sys
import time
import warnings

import mindtorch
import sweep_calls
import torch
from sides import find_difference
from worker import flatten_result, sample_elements

SECONDS = 0.004  # one measurement lasts about this long, or one call
ROUNDS = 5
SETTLE = 0.02  # torch's threads spin on for 10 ms


def make_call(library, call, backward):
    """A function without arguments; None where there is nothing to differentiate."""
    names = {"t": library, "f": library.nn.functional}
    library.manual_seed(0)
    exec(call.setup, names)
    if not backward:
        return eval(f"lambda: {call.expression}", names)
    leaves = []
    for name, value in list(names.items()):
        if isinstance(value, library.Tensor) and value.dtype.is_floating_point and name != "o":
            names[name] = value.detach().requires_grad_()
            leaves.append(names[name])
        elif isinstance(value, library.nn.Module):
            leaves += value.parameters()
    forward = eval(f"lambda: {call.expression}", names)
    first = flatten_result(forward())[0] if leaves else None
    if not isinstance(first, library.Tensor) or not first.requires_grad:
        return None
    gradient = library.ones_like(first)
    return lambda: library.autograd.grad(flatten_result(forward())[0], leaves, gradient, allow_unused=True)


def time_per_call(function, count):
    start = time.perf_counter()
    for _ in range(count):
        function()
    return (time.perf_counter() - start) / count


def time_both(our_call, torch_call, thread_count):
    """Returns the minimum time of each side; the sides run alternately."""
    count = 1
    while (once := time_per_call(torch_call, count)) * count < SECONDS and count < 2000:
        count *= 3
    best = {our_call: once * 1e9, torch_call: once}
    for _ in range(ROUNDS):
        for side in (torch_call, our_call):
            if thread_count > 1:
                time.sleep(SETTLE)
            best[side] = min(best[side], time_per_call(side, count))
    return best[our_call], best[torch_call]


def compare_call(call, backward, thread_count):
    """(our seconds, torch's, what differs); None where torch has no such call."""
    try:
        theirs = make_call(torch, call, backward)
        expected = theirs and theirs()
    except (RuntimeError, TypeError, NotImplementedError, ValueError):
        return None
    if theirs is None:
        return None
    ours = make_call(mindtorch, call, backward)
    difference = find_difference(sample_elements(ours()), sample_elements(expected), call.tolerance)
    mine, others = time_both(ours, theirs, thread_count)
    if mine > others:
        again = time_both(ours, theirs, thread_count)
        mine, others = min((mine, others), again, key=lambda pair: pair[0] / pair[1])
    return mine, others, difference


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/run --sweep", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", action="append", default=[], metavar="WORD", help="calls whose name or text has it; may be repeated"
    )
    parser.add_argument("--threads", type=int, default=1, help="threads of either side (default 1)")
    parser.add_argument("--above", type=float, default=1.1, metavar="RATIO", help="name what is above it (default 1.1)")
    parser.add_argument("--list", action="store_true", help="name the calls")
    return parser.parse_args()


def main():
    args = parse_arguments()
    chosen = [
        call for call in sweep_calls.yield_all_calls() if not args.only or any(word in call.name for word in args.only)
    ]
    if args.list or not chosen:
        print("\n".join(call.name for call in chosen))
        return 0 if args.list else f"no call has {' or '.join(args.only)} in its name"
    warnings.filterwarnings("ignore")
    torch.set_num_threads(args.threads)
    mindtorch.set_num_threads(args.threads)
    ratios, failed = [], 0
    for call in chosen:
        for backward in (False, True) if call.backward else (False,):
            name = f"{'backward of ' * backward}{call.name}"
            try:
                measured = compare_call(call, backward, args.threads)
            except Exception as error:  # what torch can and we cannot is a line of the report, not the end of it
                print(f"failed: {name}: {type(error).__name__}: {error}", flush=True)
                failed += 1
                continue
            if measured is None:
                continue
            ours, theirs, difference = measured
            ratios.append(ours / theirs)
            if difference:
                print(f"the sides differ: {name}: {difference}", flush=True)
                failed += 1
            if ratios[-1] > args.above:
                print(f"{ratios[-1]:6.2f} {ours * 1e6:10.1f} us {theirs * 1e6:10.1f} us  {name}", flush=True)
    slower = sum(ratio > args.above for ratio in ratios)
    print(
        f"{len(ratios)} calls, median ratio {statistics.median(ratios):.2f}; "
        f"{slower} above {args.above}, {failed} failed or differ"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
