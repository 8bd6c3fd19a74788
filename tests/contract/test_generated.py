"""Generated calls of every operator match torch, except those in by_design.txt."""

import os

import pytest
from compare import differences, skip_unless_offered
from conftest import by_design, real_torch
from generated import UNWRITTEN, is_sampled


def operators():
    if real_torch() is None:
        return {}
    from torch.testing._internal.common_methods_invocations import op_db

    return {found.name: found for found in op_db if not found.variant_test_name and found.name not in UNWRITTEN}


OPERATORS = operators()
EVERY = bool(os.environ.get("MINDTORCH_TESTS_FULL"))


def differing(torch, mt, name, wanted):
    count, found = differences(torch, mt, OPERATORS[name], wanted=wanted)
    return count, {str(call): difference for call, difference in found}


@pytest.mark.parametrize("name", OPERATORS)
def test_generated_calls_answer_as_torch(name, torch, mt, counted):
    skip_unless_offered(torch, mt, name)
    count, found = differing(torch, mt, name, lambda call: EVERY or is_sampled(call))
    first = {call: difference for call, difference in found.items() if call not in by_design()}
    news = first
    # Uninitialised results differ each time; a real difference occurs in the same way again.
    for _ in range(3 if news else 0):
        _, again = differing(torch, mt, name, lambda call: str(call) in first)
        news = {call: difference for call, difference in news.items() if again.get(call) == difference}
    counted("generated, equal", count - len(found))
    counted("generated, differ by design", len(by_design() & found.keys()))
    report = "\n".join(f"{call}\n  {difference}" for call, difference in news.items())
    assert not news, f"{len(news)} of {count} calls differ:\n{report}"
