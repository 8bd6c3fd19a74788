"""Makes random calls on both libraries: python tests/contract/random_calls.py [--seed N] [--calls N] [OPERATOR...]

Each call is one of torch's own samples, in a random dtype, with up to three random changes; or a random sequence of
views and in-place writes with a backward pass. Prints each difference, and what share of the calls agrees.
"""

import argparse
import collections
import datetime
import random
import sys
import time

from carried import Carrier
from compare import fill_freed_memory, has_operator, reads_values_of_meta_tensor, run_call
from conftest import list_accepted_differences, make_repeatable
from generated import (
    UNWRITTEN,
    Call,
    copy_arguments,
    list_operator_paths,
    list_unwritten_operators,
    make_other_tensors,
    make_wrong_values,
    yield_calls_with_out,
)
from harness import find_outcome_difference, record_outcome
from survey import run_in_child

DTYPES = ("float32", "float64", "int64", "bfloat16", "complex64", "bool", "uint8", "float16", "int32")
NOT_COMPARED = object()


def sample_inputs_of_dtype(torch, operator, dtype, random_source):
    """A few of an operator's small samples in one dtype, in random order."""
    torch.manual_seed(random_source.randrange(2**31))
    found = []
    for sample in operator.sample_inputs("cpu", dtype, requires_grad=False):
        given = (sample.input, *sample.args, *sample.kwargs.values())
        tensors = [value for value in given if isinstance(value, torch.Tensor)]
        if sum(t.numel() for t in tensors) <= 600 and all(t.layout == torch.strided for t in tensors):
            found.append(((sample.input, *sample.args), dict(sample.kwargs)))
        if len(found) == 12:
            break
    return random_source.sample(found, len(found))


def change_one_argument(torch, call, random_source):
    """A call with one random argument replaced, dropped or added."""
    args, kwargs = list(call.args), dict(call.kwargs)
    places = [*range(1 if call.path.startswith("Tensor.") else 0, len(args)), *kwargs]
    what = random_source.random()
    if what < 0.05:
        return Call(
            call.path, f"{call.label}; one argument more", (*args, random_source.choice([3, None, 1.5])), kwargs
        )
    if what < 0.1 and len(args) > 1:
        return Call(call.path, f"{call.label}; {len(args) - 1} arguments", tuple(args[:-1]), kwargs)
    if what < 0.25:
        made = [
            made
            for made in yield_calls_with_out(torch, call.path, call.args, kwargs)
            if not call.path.startswith("Tensor.")
        ]
        if made and "out" not in kwargs:
            chosen = random_source.choice(made)
            return Call(call.path, f"{call.label}; {chosen.label}", chosen.args, chosen.kwargs)
    if not places:
        return call
    place = random_source.choice(places)
    value = args[place] if isinstance(place, int) else kwargs[place]
    others = list(make_wrong_values(torch))
    if isinstance(value, torch.Tensor) and random_source.random() < 0.8:
        others = list(make_other_tensors(torch, value))
    elif isinstance(value, int) and random_source.random() < 0.6:
        others = [(str(other), other) for other in (value + 1, -value, 0, 2**31, 2**63, float(value))]
    label, other = random_source.choice(others)
    if isinstance(place, int):
        args[place] = other
    else:
        kwargs[place] = other
    return Call(call.path, f"{call.label}; {place}={label}", tuple(args), kwargs)


def random_calls(torch, operator, count, random_source):
    dtypes = [getattr(torch, name) for name in DTYPES if getattr(torch, name) in operator.dtypes]
    forms = list(list_operator_paths(torch, operator.name))
    found = collections.defaultdict(list)
    for _ in range(count):
        dtype = random_source.choice(dtypes)
        if not found[dtype]:
            found[dtype] = sample_inputs_of_dtype(torch, operator, dtype, random_source)
        if not found[dtype]:
            continue
        args, kwargs = found[dtype].pop()
        call = Call(random_source.choice(forms), str(dtype), args, kwargs)
        for _ in range(random_source.choice([0, 1, 1, 1, 2, 3])):
            call = change_one_argument(torch, call, random_source)
        yield call


# ---- sequences -------------------------------------------------------------------------------------------------------

STEPS = (
    *(
        "t.view(-1)",
        "t.t() if t.dim() == 2 else t",
        "t[1:]",
        "t[..., ::2]",
        "t.unsqueeze(0)",
        "t.squeeze()",
        "t.detach()",
    ),
    *(
        "t.expand(2, *t.shape)",
        "t.diagonal() if t.dim() > 1 else t",
        "t.flatten()",
        "t.select(0, 0)",
        "t.clone()",
        "t.narrow(0, 0, 1)",
    ),
    *(
        "t.mul_(2)",
        "t.add_(1)",
        "t.zero_()",
        "t.exp_()",
        "t.clamp_(0, 1)",
        "t.fill_(3)",
        "t.copy_(t.detach() + 1)",
        "t.unbind(0)[0]",
    ),
    *(
        "t * t",
        "t.sigmoid()",
        "t.sum(0)",
        "t.cumsum(0)",
        "t.relu()",
        "t.abs()",
        "t.max(0)[0]",
        "t.softmax(0)",
        "base.mul_(3)",
    ),
    *(
        "t.split(1)[0]",
        "t.permute(*range(t.dim() - 1, -1, -1))",
        "t.__setitem__(0, 5) or t",
        "t.index_fill_(0, torch.tensor([0]), 2)",
    ),
    *(
        "t.masked_fill_(t > 1, 0)",
        "t.t_() if t.dim() == 2 else t",
        "t.as_strided((2,), (1,))",
        "t.data",
        "t.real",
        "t.contiguous()",
    ),
)


def run_statement_sequence(torch, steps, start, needs_gradient):
    base = torch.arange(12.0).view(start).requires_grad_(needs_gradient)
    t = base = base * 1 if needs_gradient else base
    for step in steps:
        t = eval(step, {"torch": torch, "t": t, "base": base})
    leaf = base.grad_fn.next_functions[0][0].variable if needs_gradient and base.grad_fn is not None else None
    if t.requires_grad:
        t.sum().backward()
    return [t, base, t._is_view(), t.grad_fn and t.grad_fn.name(), leaf.grad if leaf is not None else None]


def compare_sequences(torch, mt, count, source):
    found = []
    for _ in range(count):
        steps = source.choices(STEPS, k=source.randint(2, 7))
        start, needs_gradient = source.choice([(12,), (3, 4), (2, 3, 2)]), source.random() < 0.7

        def record_sequence(library, steps=steps, start=start, needs_gradient=needs_gradient):
            return record_outcome(library, lambda: run_statement_sequence(library, steps, start, needs_gradient))

        difference = find_outcome_difference(record_sequence(mt), record_sequence(torch))
        if difference is not None:
            found.append((f"sequence: {start} {needs_gradient} {'; '.join(steps)}", difference))
    return count, found


# ---- the comparison --------------------------------------------------------------------------------------------------


def compare_one_call(torch, mt, call, carrier, note):
    """The difference, None without one, or NOT_COMPARED."""
    given = copy_arguments(torch, (call.args, call.kwargs))
    try:
        carried = carrier(given)
    except LookupError:
        return NOT_COMPARED
    again = copy_arguments(torch, given)
    note("torch", call)
    fill_freed_memory(torch, 1.0)
    theirs = run_call(torch, call.path, given)
    fill_freed_memory(torch, 2.0)
    if find_outcome_difference(run_call(torch, call.path, again), theirs) is not None or reads_values_of_meta_tensor(
        theirs
    ):
        return NOT_COMPARED  # uninitialised memory
    note("ours", call)
    return find_outcome_difference(run_call(mt, call.path, carried), theirs)


def compare_operator(torch, mt, operator, count, source, note):
    carrier, compared, found = Carrier(torch, mt), 0, []
    for call in random_calls(torch, operator, count, source):
        if not has_operator(mt, call.path):
            continue
        difference = compare_one_call(torch, mt, call, carrier, note)
        compared += difference is not NOT_COMPARED
        if difference is not None and difference is not NOT_COMPARED:
            found.append((str(call), difference))
    return compared, found


def is_accepted_difference(call):
    """Whether a call without its dtype and with a single change is listed."""
    path, _, changes = call.partition(": ")
    return f"{path}: {changes.partition('; ')[2]}" in list_accepted_differences() | list_unwritten_operators()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("operators", nargs="*")
    args = parser.parse_args()
    import mindtorch
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    make_repeatable(torch), make_repeatable(mindtorch)
    source = random.Random(args.seed)
    operators = [
        operator
        for operator in op_db
        if not operator.variant_test_name
        and operator.name not in UNWRITTEN
        and has_operator(mindtorch, operator.name)
        and (not args.operators or operator.name in args.operators)
    ]
    in_sequences = 0 if args.operators else args.calls // 10
    drawn = collections.Counter(source.choices(range(len(operators)), k=args.calls - in_sequences))
    compared, found, began = 0, [], time.monotonic()
    work = [
        lambda note, i=i, n=n: compare_operator(
            torch, mindtorch, operators[i], n, random.Random(f"{args.seed} {operators[i].name}"), note
        )
        for i, n in sorted(drawn.items())
    ]
    work += [
        lambda note, part=part: compare_sequences(torch, mindtorch, 100, random.Random(f"{args.seed} sequence {part}"))
        for part in range(in_sequences // 100)
    ]
    for piece in work:
        count, differences = run_in_child(piece)
        compared += count
        differences = [pair for pair in differences if not is_accepted_difference(pair[0])]
        found += differences
        for call, difference in differences:
            print(f"- {call}\n  {difference}", flush=True)
    print(f"seed {args.seed}: {compared} calls compared in {time.monotonic() - began:.0f} s, {len(found)} differ")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
