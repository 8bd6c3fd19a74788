"""Generated calls of every operator answer as torch does, but for those that known_generated.txt names."""

import os

import pytest
from compare import differences, exists
from conftest import known_generated, real_torch
from generated import is_sampled


def operators():
    if real_torch() is None:
        return {}
    from torch.testing._internal.common_methods_invocations import op_db

    return {operator.name: operator for operator in op_db if not operator.variant_test_name}


OPERATORS = operators()
EVERY = bool(os.environ.get("MINDTORCH_TESTS_FULL"))


@pytest.mark.parametrize("name", OPERATORS)
def test_generated_calls_answer_as_torch(name, torch, mt, counted):
    if not exists(mt, name):
        pytest.skip("the operator is not in the library yet")
    count, found = differences(torch, mt, OPERATORS[name], wanted=lambda call: EVERY or is_sampled(call))
    news = [f"{call}\n  {difference}" for call, difference in found if str(call) not in known_generated()]
    counted("generated, equal", count - len(found))
    counted("generated, known to differ", len(found) - len(news))
    assert not news, f"{len(news)} of {count} calls differ:\n" + "\n".join(news)
