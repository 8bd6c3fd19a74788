"""Operators of torch's database match the CPU's values and gradients on a device; absent.txt lists exceptions."""

import os

import pytest
from survey import find_absent, list_kernels, name_of, survey

ABSENT = find_absent()


def operators():
    if os.environ.get("MINDTORCH_WITHOUT_ORACLE"):
        return {}
    from torch.testing._internal.common_methods_invocations import op_db

    wanted = set(list_kernels())
    return {name_of(operator): operator for operator in op_db if name_of(operator) in wanted}


OPERATORS = operators()


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_runs_as_on_the_cpu_or_lacks_the_kernels_that_are_listed(mt, name):
    import torch

    lacking, _ = survey(torch, mt, OPERATORS[name])
    assert lacking == ABSENT.get(name, set())


def test_absent_list_names_are_in_torchs_database():
    if not OPERATORS:
        pytest.skip("needs real torch")
    assert sorted(ABSENT.keys() - OPERATORS.keys()) == []
