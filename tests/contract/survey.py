"""Prints the generated calls that differ: python tests/contract/survey.py [--show] [--list] [OPERATOR...]"""

import argparse
import multiprocessing
import sys

from compare import find_differences, has_operator
from conftest import list_accepted_differences, make_repeatable
from generated import UNWRITTEN


def run_in_child(work):
    """Runs `work(note)`, which returns a count and pairs of a call and its difference, in a forked child. If invalid
    input kills it, returns the call that it noted last."""
    context = multiprocessing.get_context("fork")
    doing = context.Array("c", 4096)
    receiver, sender = context.Pipe(duplex=False)

    def report_work_to_parent():
        def note_call(side, call):
            doing.value = f"{side}: {call}".encode()[:4095]

        count, found = work(note_call)
        sender.send((count, [(str(call), difference) for call, difference in found]))

    child = context.Process(target=report_work_to_parent)
    child.start()
    sender.close()
    try:
        answer = receiver.recv()
    except EOFError:
        child.join()
        answer = (1, [(doing.value.decode(), f"died with exit code {child.exitcode}")])
    child.join()
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print each call and its difference")
    parser.add_argument("--list", action="store_true", help="print only the calls that differ and are not by design")
    parser.add_argument("--samples", type=int, default=1)
    parser.add_argument("operators", nargs="*")
    args = parser.parse_args()
    import mindtorch
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    make_repeatable(torch), make_repeatable(mindtorch)
    every = failed = 0
    for operator in op_db:
        if operator.variant_test_name or (args.operators and operator.name not in args.operators):
            continue
        if operator.name in UNWRITTEN or not has_operator(mindtorch, operator.name):
            continue
        count, found = run_in_child(
            lambda note, operator=operator: find_differences(torch, mindtorch, operator, args.samples, note_call=note)
        )
        every, failed = every + count, failed + len(found)
        if args.list:
            print(
                *(f"{call}\n" for call, _ in found if call not in list_accepted_differences()),
                sep="",
                end="",
                flush=True,
            )
            continue
        print(f"{operator.name}: {count} calls, {len(found)} differ", flush=True)
        if args.show:
            for call, difference in found:
                print(f"- {call}\n  {difference}")
    if not args.list:
        print(f"{every} calls, {failed} differ")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
