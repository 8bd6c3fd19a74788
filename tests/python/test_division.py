"""Remainders and floored quotients of floats are real torch's to the last bit, whatever stands beside them."""

import math
import random

import pytest

OPERATORS = ["fmod", "remainder", "floor_divide"]


def _same(ours, theirs):
    return all(
        (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))
        for a, b in zip(ours, theirs, strict=True)
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", OPERATORS)
def test_quotients_of_any_size(mt, oracle, name, dtype):
    draw = random.Random(0)
    pairs = [(draw.uniform(-9, 9) * 2.0 ** draw.randrange(-20, 20), draw.uniform(-3, 3)) for _ in range(500)]
    # Multiples of the divisor and their neighbours: one unit off would be another integer.
    pairs += [(k * 0.1 + e, 0.1) for k in range(-60, 60) for e in (0, 1e-8, -1e-8)]

    def run(torch):
        a, b = torch.tensor(pairs, dtype=torch.float64).to(getattr(torch, dtype)).unbind(1)
        return getattr(torch, name)(a, b).tolist()

    assert _same(run(mt), run(oracle))


@pytest.mark.parametrize("name", OPERATORS)
def test_hard_numbers_among_plain_ones(mt, oracle, name):
    special = [0.0, -0.0, math.inf, -math.inf, math.nan, 3e38, -3e38, 1e-45, 1e30, 7.5]
    pairs = [(a, b) for a in special for b in special]
    plain = [(float(k), 2.5) for k in range(200)]

    def run(torch):
        a, b = torch.tensor(plain + pairs + plain).unbind(1)
        return getattr(torch, name)(a, b).tolist()

    assert _same(run(mt), run(oracle))
