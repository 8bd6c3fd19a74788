"""Remainders and floored quotients are bit-identical to real torch, for any neighbouring elements."""

import math
import random

import pytest

OPERATORS = ["fmod", "remainder", "floor_divide"]


def _are_same(ours, theirs):
    return all(
        (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))
        for a, b in zip(ours, theirs, strict=True)
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", OPERATORS)
def test_quotients_of_any_size_match_torch(mt, oracle, name, dtype):
    draw = random.Random(0)
    pairs = [(draw.uniform(-9, 9) * 2.0 ** draw.randrange(-20, 20), draw.uniform(-3, 3)) for _ in range(500)]
    # Multiples of the divisor and their neighbours, for which an error of one unit would change the integer.
    pairs += [(k * 0.1 + e, 0.1) for k in range(-60, 60) for e in (0, 1e-8, -1e-8)]

    def divide(torch):
        a, b = torch.tensor(pairs, dtype=torch.float64).to(getattr(torch, dtype)).unbind(1)
        return getattr(torch, name)(a, b).tolist()

    assert _are_same(divide(mt), divide(oracle))


@pytest.mark.parametrize("name", OPERATORS)
def test_special_values_among_ordinary_ones_divide_as_in_torch(mt, oracle, name):
    special = [0.0, -0.0, math.inf, -math.inf, math.nan, 3e38, -3e38, 1e-45, 1e30, 7.5]
    pairs = [(a, b) for a in special for b in special]
    plain = [(float(k), 2.5) for k in range(200)]

    def divide(torch):
        a, b = torch.tensor(plain + pairs + plain).unbind(1)
        return getattr(torch, name)(a, b).tolist()

    assert _are_same(divide(mt), divide(oracle))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 300.0])
def test_halves_round_after_each_step(mt, oracle, dtype, scale):
    draw = random.Random(1)
    special = [0.0, -0.0, math.inf, -math.inf, math.nan, 65504.0, 6e-8, -6e-8, 6.2e-5, 0.1, 7.5]
    pairs = [(a, b) for a in special for b in special]
    pairs += [(draw.gauss(0, 1) * scale, draw.gauss(0, 1)) for _ in range(5000)]
    pairs += [(draw.gauss(0, 1), draw.gauss(0, 1) * scale) for _ in range(5001)]

    def floor_divide(torch):
        a, b = torch.tensor(pairs, dtype=torch.float64).to(getattr(torch, dtype)).unbind(1)
        return torch.floor_divide(a, b).tolist()

    assert _are_same(floor_divide(mt), floor_divide(oracle))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64"])
@pytest.mark.parametrize("name", OPERATORS)
def test_integer_quotients_of_any_size_match_torch(mt, oracle, name, dtype):
    draw = random.Random(2)
    bits = 8 if dtype == "uint8" else int(dtype[3:])
    low, high = (0, 255) if dtype == "uint8" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    edges = {low, low + 1, high, high - 1, 0, 1, 2, 3, -1, -2, -7, 100}
    edges |= {sign * 2**k + e for k in range(bits) for e in (-1, 0, 1) for sign in (1, -1)}
    edges = [x for x in edges if low <= x <= high]
    if dtype != "uint8":
        edges.remove(low)  # real torch crashes for some divisions by -1
    pairs = [(a, b) for a in edges for b in edges if b]
    small = [(draw.randint(max(low, -1000), min(high, 1000)), draw.choice([1, 2, 3, 7, 100])) for _ in range(1003)]
    # Multiples of a divisor and their neighbours just below 2^51 and far above.
    multiples = [(k * b + e, b) for b in (3, 10, 12345) for k in (high // b - 1, 2**51 // b, 7) for e in (-1, 0, 1)]
    multiples = [(a, b) for a, b in multiples if low <= a <= high and b <= high]

    def divide_integers(torch):
        results = []
        for numbers in (small, multiples or small, small + pairs):
            a, b = torch.tensor(numbers, dtype=getattr(torch, dtype)).unbind(1)
            operator = getattr(torch, name)
            results += [
                operator(a, b).tolist(),
                operator(a[:1], b[:1]).tolist(),
                operator(a[:0], b[:0]).tolist(),
                operator(a, 7).tolist(),
            ]
        return results

    assert divide_integers(mt) == divide_integers(oracle)


def test_lowest_integer_divided_by_minus_one_wraps(mt):
    for dtype in (mt.int32, mt.int64):
        low = mt.tensor([mt.iinfo(dtype).min, 6], dtype=dtype)
        minus_one = mt.tensor([-1, -1], dtype=dtype)
        assert mt.floor_divide(low, minus_one).tolist() == [mt.iinfo(dtype).min, -6]
        assert mt.remainder(low, minus_one).tolist() == mt.fmod(low, minus_one).tolist() == [0, 0]


@pytest.mark.parametrize("shape", [(0,), (2, 0), (2,), ()])
@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool", "float32"])
def test_zero_divides_nothing_and_shapes_are_looked_at_first(mt, oracle, dtype, shape):
    def describe_division(call, torch):
        try:
            found = call()
            return found.tolist(), str(found.dtype)
        except Exception as error:
            return type(error).__name__, str(error)

    def divide_by_zero(torch):
        found = []
        for size in [None, (), (0,), (1,), (2,), (3,), (2, 2)]:
            a = torch.ones(shape, dtype=getattr(torch, dtype))
            zero = 0 if size is None else torch.zeros(size, dtype=torch.int64)
            calls = [getattr(torch, name) for name in OPERATORS] + [
                lambda x, y: torch.div(x, y, rounding_mode="trunc"),
                lambda x, y: x.floor_divide_(y),
                lambda x, y: x.remainder_(y),
                lambda x, y: y // x,
            ]
            found += [describe_division(lambda call=call, a=a, zero=zero: call(a, zero), torch) for call in calls]
        return found

    for ours, theirs in zip(divide_by_zero(mt), divide_by_zero(oracle), strict=True):
        assert str(ours) == str(theirs)


NARROWED = {
    "remainder": lambda t, x, n: x % n,
    "floor_divide": lambda t, x, n: x // n,
    "fmod": lambda t, x, n: t.fmod(x, n),
    "div, down": lambda t, x, n: t.div(x, n, rounding_mode="floor"),
    "div, to zero": lambda t, x, n: t.div(x, n, rounding_mode="trunc"),
    "remainder_": lambda t, x, n: x.remainder_(n),
    "floor_divide_": lambda t, x, n: x.floor_divide_(n),
    "fmod_": lambda t, x, n: x.fmod_(n),
    "div_": lambda t, x, n: x.div_(n, rounding_mode="floor"),
    "by a tensor without dimensions": lambda t, x, n: x % t.tensor(n),
}


@pytest.mark.parametrize(
    "dtype,number", [("uint8", 256), ("int8", 256), ("int16", 2**16), ("int32", 2**32), ("int64", 0)]
)
@pytest.mark.parametrize("name", NARROWED)
def test_a_divisor_that_is_zero_in_the_dtype_is_refused(name, dtype, number, mt, oracle):
    for torch in (mt, oracle):
        x = torch.tensor([5], dtype=getattr(torch, dtype))
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            NARROWED[name](torch, x, number)
        assert x.item() == 5


def test_a_divisor_that_is_another_number_in_the_dtype_divides(mt, oracle):
    for torch in (mt, oracle):
        assert (torch.tensor([5], dtype=torch.uint8) % 258).item() == 1
        assert (torch.tensor([7], dtype=torch.int8) // -254).item() == 3


def test_least_common_multiples_wrap_last(mt, oracle):
    def take_lcm(torch, dtype):
        smallest, largest = torch.iinfo(dtype).min, torch.iinfo(dtype).max
        a = torch.tensor([smallest, largest, largest - 27, 0, smallest], dtype=dtype)
        b = torch.tensor([-1 if smallest else 1, largest - 1, largest - 28, 0, smallest], dtype=dtype)
        return torch.lcm(a, b).tolist()

    for name in ("int8", "uint8", "int16", "int32", "int64"):
        assert take_lcm(mt, getattr(mt, name)) == take_lcm(oracle, getattr(oracle, name))
    assert mt.lcm(mt.tensor([127], dtype=mt.int8), mt.tensor([126], dtype=mt.int8)).item() == -126
