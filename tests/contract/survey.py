"""Which generated calls differ: python tests/contract/survey.py [--show] [--known] [OPERATOR...]"""

import argparse
import sys

from carried import Carrier
from compare import differences, exists


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print each call and its difference")
    parser.add_argument("--known", action="store_true", help="print the lines of known.txt alone")
    parser.add_argument("--samples", type=int, default=1)
    parser.add_argument("operators", nargs="*")
    args = parser.parse_args()
    import mindtorch
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    carrier, every, failed = Carrier(torch, mindtorch), 0, 0
    for operator in op_db:
        if operator.variant_test_name or (args.operators and operator.name not in args.operators):
            continue
        if not exists(mindtorch, operator.name):
            continue
        count, found = differences(torch, mindtorch, carrier, operator, args.samples)
        every, failed = every + count, failed + len(found)
        if args.known:
            print(*(f"{call}\n" for call, _ in found), sep="", end="", flush=True)
            continue
        print(f"{operator.name}: {count} calls, {len(found)} differ", flush=True)
        if args.show:
            for call, difference in found:
                print(f"- {call}\n  {difference}")
    if not args.known:
        print(f"{every} calls, {failed} differ")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
