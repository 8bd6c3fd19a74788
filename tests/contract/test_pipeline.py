"""Every operator behaves the same inside and outside of a pipeline: bits, errors, warnings, arguments, gradients."""

import os
import re

import pytest
from carried import Carrier
from compare import fill_freed_memory, has_operator, skip_unless_all_forms_exist
from generated import (
    Call,
    copy_arguments,
    get_by_path,
    is_call_sampled,
    list_operator_paths,
    list_small_samples,
    list_unwritten_operators,
    yield_calls,
)
from harness import find_outcome_difference, record_outcome
from test_generated import OPERATORS

EVERY = bool(os.environ.get("MINDTORCH_TESTS_FULL"))


def clone_to_pending(mt, value):
    """The same arguments as results of operators, which are pending inside a pipeline."""
    if isinstance(value, mt.Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {key: clone_to_pending(mt, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(clone_to_pending(mt, item) for item in value)
    return value


def call_operator(mt, call, args, kwargs):
    return get_by_path(mt, call.path)(*args, **kwargs)


def call_on_pending(mt, call, args, kwargs):
    result = get_by_path(mt, call.path)(*clone_to_pending(mt, args), **clone_to_pending(mt, kwargs))
    later = [t * 2 + 1 for t in list_floating_tensors(mt, result)]
    return result, later


def call_and_differentiate(mt, call, args, kwargs):
    leaves = [leaf.requires_grad_() for leaf in list_floating_tensors(mt, [args, kwargs])]
    result = get_by_path(mt, call.path)(*clone_to_pending(mt, args), **clone_to_pending(mt, kwargs))
    ends = [t for t in list_floating_tensors(mt, result) if t.requires_grad]
    if ends:
        mt.autograd.backward([(t * t).sum() for t in ends if not t.is_complex()])
    return result, [leaf.grad for leaf in leaves]


def list_floating_tensors(mt, value):
    if isinstance(value, mt.Tensor):
        return [value] if value.is_floating_point() else []
    if isinstance(value, dict):
        value = list(value.values())
    return [t for item in value for t in list_floating_tensors(mt, item)] if isinstance(value, (list, tuple)) else []


def record_program_outcome(mt, program, call, carried, waiting):
    args, kwargs = copy_arguments(mt, carried)

    def run_call():
        mt.manual_seed(0)
        if not waiting:
            return program(mt, call, args, kwargs)
        with mt.pipeline():
            return program(mt, call, args, kwargs)

    found = record_outcome(mt, run_call, (args, kwargs))
    if found.error:  # later calls did not happen, but may have run immediately outside
        found.error = (found.error[0], re.sub(r"\n\(aten::.* was queued in a pipeline at .*\)", "", found.error[1]))
        found.arguments = None
    return found


def find_differing_calls(torch, mt, operator):
    """Returns the calls of an operator that differ inside a pipeline, with both outcomes, and the number of all
    calls."""
    carry = Carrier(torch, mt)
    programs = [(call, call_operator) for call in yield_calls(torch, operator) if EVERY or is_call_sampled(call)]
    for args, kwargs in list_small_samples(torch, operator, 40 if EVERY else 4):
        for path in list_operator_paths(torch, operator.name):
            good = Call(path, "as it is", args, kwargs)
            programs += (
                [(good, call_on_pending), (good, call_and_differentiate)]
                if str(good) not in list_unwritten_operators()
                else []
            )
    count, found = 0, []
    for call, program in programs:
        try:
            carried = carry((call.args, call.kwargs))
        except LookupError:
            continue
        if not has_operator(mt, call.path):
            continue
        at_once, waited = (record_program_outcome(mt, program, call, carried, waiting) for waiting in (False, True))
        count += 1
        if repr(at_once) == repr(waited):
            continue
        fill_freed_memory(mt, 2.0)
        if repr(record_program_outcome(mt, program, call, carried, False)) == repr(
            at_once
        ):  # otherwise uninitialised memory
            difference = find_outcome_difference(waited, at_once) or "the last bits"
            found.append(f"{call} ({program.__name__})\n  {difference.replace('torch', 'outside')}")
    return count, found


@pytest.mark.parametrize("name", OPERATORS)
def test_operator_agrees_inside_and_outside_a_pipeline(name, torch, mt, count_cases):
    skip_unless_all_forms_exist(torch, mt, name)
    count, found = find_differing_calls(torch, mt, OPERATORS[name])
    count_cases("pipeline, as outside", count - len(found))
    assert not found, f"{len(found)} of {count} calls differ:\n" + "\n".join(found)
