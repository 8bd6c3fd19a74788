"""Sines, cosines and tangents of large floats: argument reduction is exact, as in doubles."""

import math

import mindtorch as torch
import pytest

LARGE_ANGLES = [2.0**30, 2.0**30 + 128, -(2.0**31), 1e10, -1e15, 1e20, 2.0**100, -1e30, 3.4e38]


def make_angles_with_large_ones(n):
    """Small angles with a large one at every seventh index, and at the last one."""
    values = [0.1 * i for i in range(n)]
    for k, i in enumerate(range(n - 1, -1, -7)):
        values[i] = LARGE_ANGLES[k % len(LARGE_ANGLES)]
    return torch.tensor(values)


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@pytest.mark.parametrize("n", [1, 9, 511, 512, 513, 1500])
def test_functions_of_angles_reduce_large_floats_exactly(name, n):
    x = make_angles_with_large_ones(n)
    want = [getattr(math, name)(v) for v in x.tolist()]  # the sine of the same float, computed in double
    got = getattr(torch, name)(x).tolist()
    for v, a, b in zip(x.tolist(), got, want, strict=True):
        assert a == pytest.approx(b, rel=3e-7, abs=1e-7), v
    in_place = x.clone()
    getattr(in_place, name + "_")()
    assert in_place.tolist() == got
    strided = torch.stack([x, x], 1)[:, 0]
    assert getattr(torch, name)(strided).tolist() == got


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_functions_of_infinite_angles_are_nan(name):
    x = torch.tensor([math.inf, -math.inf, math.nan, 1e30, 0.0])
    got = getattr(torch, name)(x).tolist()
    assert all(math.isnan(v) for v in got[:3])
    assert got[3] == pytest.approx(getattr(math, name)(x[3].item()), rel=3e-7)
    assert got[4] == getattr(math, name)(0.0)


def test_sines_of_large_bfloat16_are_within_one():
    x = torch.tensor(LARGE_ANGLES[:-1], dtype=torch.bfloat16)  # the last one rounds to infinity
    want = [math.sin(v) for v in x.tolist()]
    assert torch.sin(x).tolist() == pytest.approx(want, abs=4e-3)


def test_sinc_of_large_floats_is_the_sine_over_the_angle():
    x = torch.tensor(LARGE_ANGLES)
    p = (x * torch.tensor(math.pi)).tolist()
    finite = [(v, q) for v, q in zip(torch.sinc(x).tolist(), p, strict=True) if math.isfinite(q)]
    assert len(finite) == len(LARGE_ANGLES) - 1
    for got, q in finite:
        assert got == pytest.approx(math.sin(q) / q, rel=3e-7)


@pytest.mark.parametrize("n", [9, 255, 256, 300])
def test_polar_of_large_angles(n):
    angle = make_angles_with_large_ones(n)
    got = torch.polar(torch.full((n,), 2.0), angle)
    for v, z in zip(angle.tolist(), got.tolist(), strict=True):
        assert z.real == pytest.approx(2 * math.cos(v), rel=3e-7, abs=3e-7)
        assert z.imag == pytest.approx(2 * math.sin(v), rel=3e-7, abs=3e-7)
