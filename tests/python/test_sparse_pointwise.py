"""Sums, products, powers and functions of sparse COO tensors, in every form."""

import itertools
import math

import pytest
from sparse_kinds import (
    DTYPES,
    KINDS,
    assert_each_same,
    assert_same_sparse,
    make_coo,
    make_empty,
    make_hybrid,
    make_ordered,
    make_repeated,
    make_vector,
)

UNARY = (
    "abs asin asinh atan atanh ceil floor round trunc frac sin sinh tan tanh sqrt expm1 log1p erf erfinv neg sign sgn "
    "signbit deg2rad rad2deg relu nan_to_num isnan isinf isposinf isneginf conj_physical positive square"
).split()
WRITING = [
    name
    for name in UNARY
    if not name.startswith("is") and name not in ("signbit", "positive", "square", "conj_physical")
]


@pytest.mark.parametrize("name", UNARY)
def test_unary_operators_take_the_summed_values(mt, oracle, name):
    calls = [(kind.__name__, lambda t, kind=kind: getattr(t, name)(kind(t))) for kind in KINDS]
    calls += [(dtype, lambda t, dtype=dtype: getattr(t, name)(make_repeated(t, dtype))) for dtype in DTYPES]
    assert_each_same(mt, oracle, calls)


@pytest.mark.parametrize("name", WRITING)
def test_unary_operators_in_place_and_into_out(mt, oracle, name):
    def apply_in_place(t, x):
        values = x._values()
        getattr(x, name + "_")()
        return [x, values]

    calls = [(f"{kind.__name__}_", lambda t, kind=kind: apply_in_place(t, kind(t))) for kind in KINDS]
    calls.append(("int_", lambda t: apply_in_place(t, make_ordered(t, "int32"))))
    if name != "relu":
        for dtype in ("float32", "float64"):
            calls.append((dtype, lambda t, dtype=dtype: getattr(t, name)(make_repeated(t), out=make_empty(t, dtype))))
        if name != "neg":
            calls.append(("dense", lambda t: getattr(t, name)(make_ordered(t), out=t.zeros(3, 4))))
    assert_each_same(mt, oracle, calls)


@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_operators_of_two_sparse_tensors_match_torch(mt, oracle, name):
    calls = []
    for first, second in itertools.product(KINDS, KINDS):
        label = f"{first.__name__} {second.__name__}"
        calls.append((label, lambda t, a=first, b=second: getattr(t, name)(a(t), b(t))))
        if name != "mul":
            calls.append((label + " alpha", lambda t, a=first, b=second: getattr(t, name)(a(t), b(t), alpha=2)))
    for first, second in itertools.product(DTYPES[:-1], DTYPES):  # signs of complex zeros
        calls.append(
            (
                f"{first} {second}",
                lambda t, a=first, b=second: getattr(t, name)(make_ordered(t, a), make_repeated(t, b).abs()),
            )
        )
    if name == "mul":  # torch's text is about accessors in its loops
        refused = ("make_ordered make_hybrid", "make_hybrid make_ordered")
        calls = [(label, call) for label, call in calls if label not in refused]
    assert_each_same(mt, oracle, calls)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "floor_divide", "true_divide"])
def test_operators_of_a_sparse_and_a_dense_operand_match_torch(mt, oracle, name):
    others = {
        "matrix": lambda t: t.arange(12.0).view(3, 4) + 0.5,
        "double": lambda t: t.arange(12.0, dtype=t.float64).view(3, 4),
        "int": lambda t: t.arange(12).view(3, 4),
        "transposed": lambda t: t.arange(12.0).view(4, 3).t(),
        "row": lambda t: t.arange(4.0),
        "column": lambda t: t.arange(3.0).view(3, 1),
        "one": lambda t: t.tensor([2.0]),
        "zero-dim": lambda t: t.tensor(2.5),
        "zero-dim double": lambda t: t.tensor(2.0, dtype=t.float64),
        "batch": lambda t: t.arange(24.0).view(2, 3, 4),
        "other": lambda t: t.ones(5),
        "nan": lambda t: t.full((3, 4), math.nan),
        "number": lambda t: 2,
        "real": lambda t: 0.5,
        "complex": lambda t: 1j,
        "true": lambda t: True,
    }
    calls = []
    for kind, (label, other) in itertools.product(KINDS, others.items()):
        calls.append((f"{kind.__name__} {label}", lambda t, k=kind, o=other: getattr(t, name)(k(t), o(t))))
        calls.append((f"{label} {kind.__name__}", lambda t, k=kind, o=other: getattr(t, name)(o(t), k(t))))
    for dtype in DTYPES:
        calls.append((dtype, lambda t, d=dtype: getattr(t, name)(make_ordered(t, d), 2)))
        calls.append((f"{dtype} dense", lambda t, d=dtype: getattr(t, name)(t.ones(3, 4), make_ordered(t, d))))
    assert_each_same(mt, oracle, calls)


@pytest.mark.parametrize("name", ["add_", "sub_", "mul_", "div_", "floor_divide_"])
def test_sums_and_products_in_place_match_torch(mt, oracle, name):
    def apply_operator_in_place(t, first, second):
        getattr(first, name)(second)
        return first

    calls = []
    for kind in KINDS:
        for label, other in {
            "sparse": make_ordered,
            "number": lambda t: 2,
            "zero-dim": lambda t: t.tensor(3.0, dtype=t.float64),
            "dense": lambda t: t.arange(12.0).view(3, 4),
        }.items():
            if (name, label, kind) != ("mul_", "sparse", make_hybrid):
                calls.append(
                    (f"{kind.__name__} {label}", lambda t, k=kind, o=other: apply_operator_in_place(t, k(t), o(t)))
                )
        calls.append(
            (f"dense {kind.__name__}", lambda t, k=kind: apply_operator_in_place(t, t.arange(12.0).view(3, 4), k(t)))
        )
        calls.append(
            (
                f"columns {kind.__name__}",
                lambda t, k=kind: apply_operator_in_place(t, t.arange(12.0).view(4, 3).t(), k(t)),
            )
        )
    calls.append(("int", lambda t: apply_operator_in_place(t, make_ordered(t, "int32"), make_ordered(t))))
    if name != "mul_":  # torch computes it from a sum, and its text names that
        calls.append(("int dense", lambda t: apply_operator_in_place(t, t.ones(3, 4, dtype=t.int32), make_ordered(t))))
        calls.append(("int number", lambda t: apply_operator_in_place(t, make_ordered(t, "int32"), 0.5)))
    calls.append(("itself", lambda t: (lambda x: apply_operator_in_place(t, x, x))(make_repeated(t))))
    assert_each_same(mt, oracle, calls)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "floor_divide"])
def test_sums_and_products_into_out_match_torch(mt, oracle, name):
    def apply_into_out(t):
        return 2 if name in ("div", "floor_divide") else make_repeated(t)

    calls = [
        (dtype, lambda t, d=dtype: getattr(t, name)(make_ordered(t), apply_into_out(t), out=make_empty(t, d)))
        for dtype in ("float32", "float64", "int32")
    ]
    calls.append(("other size", lambda t: getattr(t, name)(make_ordered(t), apply_into_out(t), out=make_vector(t))))
    calls.append(("its own", lambda t: (lambda x: [getattr(t, name)(x, apply_into_out(t), out=x), x])(make_ordered(t))))
    if name in ("add", "sub"):
        calls.append(("dense", lambda t: getattr(t, name)(t.ones(3, 4), make_ordered(t), out=t.empty(3, 4))))
        calls.append(("sparse for dense", lambda t: getattr(t, name)(t.ones(3, 4), make_ordered(t), out=make_empty(t))))
    assert_each_same(mt, oracle, calls)


def test_noncontiguous_values_are_concatenated_instead_of_merged(mt, oracle):
    def concatenate_values(t, n):
        x = t.ops.aten._sparse_coo_tensor_unsafe(t.tensor([[0, 1][:n]]), t.ones(1, 1).expand(n, 3), (3, 3))
        return [x + x, x + make_coo(t, [[0, 2]], [[1, 2, 3], [4, 5, 6]], (3, 3))]

    assert_same_sparse(mt, oracle, lambda t: concatenate_values(t, 2))
    assert_same_sparse(mt, oracle, lambda t: concatenate_values(t, 1))
    wide = lambda t: t.ops.aten._sparse_coo_tensor_unsafe(t.tensor([[0, 2, 1]]), t.ones(1, 1).expand(3, 1), (3, 1))  # noqa: E731
    assert_same_sparse(mt, oracle, lambda t: wide(t) + wide(t))


def test_powers_match_torch(mt, oracle):
    calls = []
    for exponent in (2, 3, 1, 0.5, 0, True, 1j):
        calls += [
            (f"{exponent} {d}", lambda t, e=exponent, d=d: make_repeated(t, d) ** e)
            for d in ("float32", "int32", "complex64", "float16")
        ]
    for dtype in ("float32", "float64", "int32"):
        calls.append((f"out {dtype}", lambda t, d=dtype: t.pow(make_repeated(t), 2, out=make_empty(t, d))))
    calls.append(("in place", lambda t: make_ordered(t).pow_(2)))
    calls.append(("tensor", lambda t: t.pow(make_ordered(t), t.tensor(2.0))))
    calls.append(("base", lambda t: 2 ** make_ordered(t)))
    calls.append(("float_power", lambda t: make_ordered(t, "int32").float_power(2)))
    assert_each_same(mt, oracle, calls)


def test_rounding_quotients_match_torch(mt, oracle):
    calls = []
    for mode in ("floor", "trunc", None, "up"):
        for divisor in (2, -2, 0.5):
            calls.append(
                (f"{mode} {divisor}", lambda t, m=mode, d=divisor: t.div(make_repeated(t), d, rounding_mode=m))
            )
            calls.append(
                (
                    f"{mode} {divisor} int",
                    lambda t, m=mode, d=divisor: t.div(make_repeated(t, "int32"), d, rounding_mode=m),
                )
            )
    calls.append(("zero", lambda t: t.div(make_repeated(t, "int32"), 0, rounding_mode="floor")))
    assert_each_same(mt, oracle, calls)


def make_coo_at(t, places, coalesced=True):
    return make_coo(
        t,
        [[p // 50 for p in places], [p % 50 for p in places]],
        [p + 0.5 for p in places],
        (40, 50),
        coalesced=coalesced,
    )


PLACES = {
    "few": [3, 1999],
    "all": list(range(2000)),
    "every third": list(range(1, 2000, 3)),
    "late": list(range(1500, 2000)),
    "runs": [k for k in range(2000) if k // 100 % 3 == 0],
}


def test_products_and_masks_match_equal_indices(mt, oracle):
    calls = []
    for first, second in itertools.product(PLACES, PLACES):
        a, b = PLACES[first], PLACES[second]
        calls += [
            (f"{first} * {second}", lambda t, a=a, b=b: make_coo_at(t, a) * make_coo_at(t, b)),
            (f"{first} mask {second}", lambda t, a=a, b=b: make_coo_at(t, a).sparse_mask(make_coo_at(t, b))),
            (f"{first} * {second} reversed", lambda t, a=a, b=b: make_coo_at(t, a[::-1], False) * make_coo_at(t, b)),
            (f"{first} * {second} twice", lambda t, a=a, b=b: make_coo_at(t, a + a[::-1], False) * make_coo_at(t, b)),
        ]
    assert_each_same(mt, oracle, calls)


def test_a_product_shares_nothing_with_its_factors(mt):
    x = make_ordered(mt)
    y = x * x
    y._indices().zero_()
    y._values().zero_()
    assert x._values().tolist() == make_ordered(mt)._values().tolist()
    assert x._indices().tolist() == make_ordered(mt)._indices().tolist()
