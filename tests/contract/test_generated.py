"""Generated calls of every operator match torch, except those in by_design.txt."""

import os

import pytest
from compare import find_differences, skip_unless_all_forms_exist
from conftest import list_accepted_differences, real_torch
from generated import UNWRITTEN, is_call_sampled


def load_operator_database():
    if real_torch() is None:
        return {}
    from torch.testing._internal.common_methods_invocations import op_db

    return {found.name: found for found in op_db if not found.variant_test_name and found.name not in UNWRITTEN}


OPERATORS = load_operator_database()
EVERY = bool(os.environ.get("MINDTORCH_TESTS_FULL"))


def find_differing_calls(torch, mt, name, wanted):
    count, found = find_differences(torch, mt, OPERATORS[name], is_wanted=wanted)
    return count, {str(call): difference for call, difference in found}


@pytest.mark.parametrize("name", OPERATORS)
def test_generated_calls_answer_as_torch(name, torch, mt, count_cases):
    skip_unless_all_forms_exist(torch, mt, name)
    count, found = find_differing_calls(torch, mt, name, lambda call: EVERY or is_call_sampled(call))
    first = {call: difference for call, difference in found.items() if call not in list_accepted_differences()}
    news = first
    # Uninitialised results differ each time; a real difference occurs in the same way again.
    for _ in range(3 if news else 0):
        _, again = find_differing_calls(torch, mt, name, lambda call: str(call) in first)
        news = {call: difference for call, difference in news.items() if again.get(call) == difference}
    count_cases("generated, equal", count - len(found))
    count_cases("generated, differ by design", len(list_accepted_differences() & found.keys()))
    report = "\n".join(f"{call}\n  {difference}" for call, difference in news.items())
    assert not news, f"{len(news)} of {count} calls differ:\n{report}"
