"""Every operator behaves the same inside and outside of a pipeline: bits, errors, warnings, arguments, gradients."""

import os
import re

import pytest
from carried import Carrier
from compare import exists, skip_unless_offered, stir
from generated import Call, calls, copied, find, is_sampled, paths, samples, unwritten
from harness import outcome_differs, run
from test_generated import OPERATORS

EVERY = bool(os.environ.get("MINDTORCH_TESTS_FULL"))


def waits(mt, value):
    """The same arguments as results of operators, which are pending inside a pipeline."""
    if isinstance(value, mt.Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {key: waits(mt, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(waits(mt, item) for item in value)
    return value


def plain(mt, call, args, kwargs):
    return find(mt, call.path)(*args, **kwargs)


def make_pending(mt, call, args, kwargs):
    result = find(mt, call.path)(*waits(mt, args), **waits(mt, kwargs))
    later = [t * 2 + 1 for t in floating(mt, result)]
    return result, later


def with_gradients(mt, call, args, kwargs):
    leaves = [leaf.requires_grad_() for leaf in floating(mt, [args, kwargs])]
    result = find(mt, call.path)(*waits(mt, args), **waits(mt, kwargs))
    ends = [t for t in floating(mt, result) if t.requires_grad]
    if ends:
        mt.autograd.backward([(t * t).sum() for t in ends if not t.is_complex()])
    return result, [leaf.grad for leaf in leaves]


def floating(mt, value):
    if isinstance(value, mt.Tensor):
        return [value] if value.is_floating_point() else []
    if isinstance(value, dict):
        value = list(value.values())
    return [t for item in value for t in floating(mt, item)] if isinstance(value, (list, tuple)) else []


def outcome(mt, program, call, carried, waiting):
    args, kwargs = copied(mt, carried)

    def run_call():
        mt.manual_seed(0)
        if not waiting:
            return program(mt, call, args, kwargs)
        with mt.pipeline():
            return program(mt, call, args, kwargs)

    found = run(mt, run_call, (args, kwargs))
    if found.error:  # later calls did not happen, but may have run immediately outside
        found.error = (found.error[0], re.sub(r"\n\(aten::.* was queued in a pipeline at .*\)", "", found.error[1]))
        found.arguments = None
    return found


def differing(torch, mt, operator):
    """Returns the calls of an operator that differ inside a pipeline, with both outcomes, and the number of all
    calls."""
    carry = Carrier(torch, mt)
    programs = [(call, plain) for call in calls(torch, operator) if EVERY or is_sampled(call)]
    for args, kwargs in samples(torch, operator, 40 if EVERY else 4):
        for path in paths(torch, operator.name):
            good = Call(path, "as it is", args, kwargs)
            programs += [(good, make_pending), (good, with_gradients)] if str(good) not in unwritten() else []
    count, found = 0, []
    for call, program in programs:
        try:
            carried = carry((call.args, call.kwargs))
        except LookupError:
            continue
        if not exists(mt, call.path):
            continue
        at_once, waited = (outcome(mt, program, call, carried, waiting) for waiting in (False, True))
        count += 1
        if repr(at_once) == repr(waited):
            continue
        stir(mt, 2.0)
        if repr(outcome(mt, program, call, carried, False)) == repr(at_once):  # otherwise uninitialised memory
            difference = outcome_differs(waited, at_once) or "the last bits"
            found.append(f"{call} ({program.__name__})\n  {difference.replace('torch', 'outside')}")
    return count, found


@pytest.mark.parametrize("name", OPERATORS)
def test_operator_agrees_inside_and_outside_a_pipeline(name, torch, mt, counted):
    skip_unless_offered(torch, mt, name)
    count, found = differing(torch, mt, OPERATORS[name])
    counted("pipeline, as outside", count - len(found))
    assert not found, f"{len(found)} of {count} calls differ:\n" + "\n".join(found)
