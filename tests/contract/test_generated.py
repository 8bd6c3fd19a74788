"""Every generated call of every operator answers as torch does, but for those that known.txt names."""

import os

import pytest
from conftest import known, real_torch


def operators():
    if real_torch() is None:
        return {}
    from torch.testing._internal.common_methods_invocations import op_db

    return {operator.name: operator for operator in op_db if not operator.variant_test_name}


OPERATORS = operators()


@pytest.fixture(scope="session")
def carrier(torch, mt):
    from carried import Carrier

    return Carrier(torch, mt)


@pytest.mark.skipif(not os.environ.get("MINDTORCH_TESTS_FULL"), reason="tests/run --full: tens of thousands of calls")
@pytest.mark.parametrize("name", OPERATORS)
def test_generated_calls_answer_as_torch(name, torch, mt, carrier, counted):
    from compare import differences, exists

    if not exists(mt, name):
        pytest.skip("the operator is not in the library yet")
    count, found = differences(torch, mt, carrier, OPERATORS[name])
    counted("generated", count)
    news = [f"{call}\n  {difference}" for call, difference in found if str(call) not in known()]
    assert not news, f"{len(news)} of {count} calls differ:\n" + "\n".join(news)
