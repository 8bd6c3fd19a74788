"""Helpers of the autograd tests: a leaf with numbers, and a comparison of one program on both libraries."""

import re

import pytest
from outcomes import outcome


def make_leaf(torch, *sizes):
    count = 1
    for size in sizes:
        count *= size
    return (torch.arange(count, dtype=torch.float32).view(*sizes) / 5 - 0.7).requires_grad_()


def assert_same_as_oracle(run, mt, oracle):
    ours, theirs = outcome(run, mt), outcome(run, oracle)
    assert _mask_numbers(ours[0]) == _mask_numbers(theirs[0])
    assert _extract_numbers(ours[0]) == pytest.approx(_extract_numbers(theirs[0]), rel=1e-4, abs=1e-5, nan_ok=True)


NUMBER = re.compile(r"(?<=')-?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|nan|inf)(?=')")


def _mask_numbers(value):
    return NUMBER.sub("#", str(value))


def _extract_numbers(value):
    return [float(number) for number in NUMBER.findall(str(value))]
