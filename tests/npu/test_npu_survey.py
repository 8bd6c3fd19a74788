"""Operators of torch's database match the CPU's values and gradients on a device; absent.txt lists exceptions."""

import os

import pytest
from survey import full_name_of, list_kernels, read_absent_kernels, survey_operator

ABSENT = read_absent_kernels()


def operators():
    if os.environ.get("MINDTORCH_WITHOUT_ORACLE"):
        return {}
    from torch.testing._internal.common_methods_invocations import op_db

    wanted = set(list_kernels())
    return {full_name_of(operator): operator for operator in op_db if full_name_of(operator) in wanted}


OPERATORS = operators()


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_runs_as_on_the_cpu_or_lacks_the_kernels_that_are_listed(mt, name):
    import torch

    lacking, _ = survey_operator(torch, mt, OPERATORS[name])
    assert lacking == ABSENT.get(name, set())


def test_absent_list_names_are_in_torchs_database():
    if not OPERATORS:
        pytest.skip("needs real torch")
    assert sorted(ABSENT.keys() - OPERATORS.keys()) == []
