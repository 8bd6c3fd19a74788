"""Printing tensors: the same characters as torch."""

import math
import random

import pytest

DTYPES = (
    "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128 uint16 uint32 uint64 "
    "float8_e5m2 float8_e4m3fn"
).split()


@pytest.fixture(autouse=True)
def default_print_options(mt):
    mt.set_printoptions(profile="default")
    yield
    mt.set_printoptions(profile="default")


# Expected texts are torch 2.13's for the same expressions.


def test_integral_floats_print_with_a_point(mt):
    assert repr(mt.tensor([1.0, 2.0, -3.0])) == "tensor([ 1.,  2., -3.])"


def test_four_digits_by_default(mt):
    assert repr(mt.tensor([0.1, 2.5])) == "tensor([0.1000, 2.5000])"


def test_wide_ranges_are_scientific(mt):
    assert repr(mt.tensor([1e-5, 1.0])) == "tensor([1.0000e-05, 1.0000e+00])"


def test_nonfinite_values(mt):
    assert repr(mt.tensor([math.nan, math.inf, -math.inf, -0.0])) == "tensor([nan, inf, -inf, -0.])"


def test_dtype_is_named_unless_it_is_the_default(mt):
    assert repr(mt.tensor([1, 2])) == "tensor([1, 2])"
    assert repr(mt.tensor([1, 2], dtype=mt.int32)) == "tensor([1, 2], dtype=torch.int32)"
    assert repr(mt.tensor([True])) == "tensor([True])"
    assert repr(mt.tensor([1 + 2j])) == "tensor([1.+2.j])"


def test_empty_tensors_show_their_size(mt):
    assert repr(mt.empty(0)) == "tensor([])"
    assert repr(mt.empty(0, 3)) == "tensor([], size=(0, 3))"
    assert repr(mt.empty(2, 0, dtype=mt.int64)) == "tensor([], size=(2, 0), dtype=torch.int64)"


def test_meta_tensors_show_no_values(mt):
    assert repr(mt.empty(2, 3, device="meta")) == "tensor(..., device='meta', size=(2, 3))"


def test_large_tensors_are_summarised(mt):
    assert repr(mt.arange(1001)) == "tensor([   0,    1,    2,  ...,  998,  999, 1000])"
    assert repr(mt.zeros(1001, 2)).count("\n") == 6


def test_repr_shows_requires_grad_and_grad_fn(mt):
    x = mt.ones(1, requires_grad=True)
    assert repr(x) == "tensor([1.], requires_grad=True)"
    assert repr(x * 2) == "tensor([2.], grad_fn=<MulBackward0>)"


def test_parameters_and_subclasses(mt):
    class Special(mt.Tensor):
        pass

    assert repr(mt.nn.Parameter(mt.ones(1))) == "Parameter containing:\ntensor([1.], requires_grad=True)"
    assert repr(mt.ones(1).as_subclass(Special)) == "Special([1.])"


def test_long_suffixes_go_to_a_line_of_their_own(mt):
    text = repr(mt.arange(11).float().requires_grad_())
    assert text.endswith("],\n       requires_grad=True)")


def test_formatting_a_scalar_formats_its_number(mt):
    assert f"{mt.tensor(1.23456):.2f}" == "1.23"
    assert f"{mt.tensor(3):>4}" == "   3"


def test_options(mt):
    mt.set_printoptions(precision=2, sci_mode=False)
    assert repr(mt.tensor([1e-5, 1.0])) == "tensor([0.00, 1.00])"
    with mt._tensor_str.printoptions(edgeitems=1, threshold=2):
        assert repr(mt.arange(9)) == "tensor([0,  ..., 8])"
    assert mt._tensor_str.get_printoptions()["edgeitems"] == 3


def _sample_values(rng, count, kind):
    draw = {
        "whole": lambda: float(rng.randint(-5, 20)),
        "fraction": lambda: rng.uniform(-3, 3),
        "any size": lambda: rng.uniform(-1, 1) * 10 ** rng.randint(-12, 12),
        "special": lambda: rng.choice([math.nan, math.inf, -math.inf, -0.0, 0.0]),
    }
    return [draw[rng.choice(kind)]() for _ in range(count)]


def _make_tensor(torch, dtype, values, shape):
    dtype = getattr(torch, dtype)
    if dtype.is_complex:
        made = torch.tensor([complex(a, b) for a, b in zip(values, values[::-1], strict=True)], dtype=torch.complex128)
    elif dtype.is_floating_point:
        made = torch.tensor(values, dtype=torch.float64)
    else:
        made = torch.tensor([int(v) % 100 if math.isfinite(v) else 7 for v in values], dtype=torch.int64)
    return made.to(dtype).reshape(shape)


@pytest.mark.parametrize("seed", range(8))
def test_generated_tensors_print_as_torch_prints_them(mt, oracle, seed):
    rng = random.Random(seed)
    oracle.set_printoptions(profile="default")
    try:
        for _ in range(60):
            shape = [rng.choice([0, 1, 2, 3, 7, 20]) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
            kind = rng.choice([["whole"], ["fraction"], ["any size"], ["whole", "special"], ["fraction", "special"]])
            values = _sample_values(rng, math.prod(shape), kind)
            options = {
                "precision": rng.choice([None, 0, 2, 6]),
                "threshold": rng.choice([None, 0, 5, 100]),
                "edgeitems": rng.choice([None, 1, 2]),
                "linewidth": rng.choice([None, 40, 120]),
                "sci_mode": rng.choice([None, None, True, False]),
            }
            dtype = rng.choice(DTYPES)
            for torch in (mt, oracle):
                torch.set_printoptions(profile="default", **options)
            assert repr(_make_tensor(mt, dtype, values, shape)) == repr(_make_tensor(oracle, dtype, values, shape)), (
                dtype,
                options,
            )
    finally:
        oracle.set_printoptions(profile="default")
