"""Reductions of sparse COO tensors: sums, norms, softmax."""

import itertools
import math

import pytest
from sparse_kinds import KINDS, assert_each_same, make_coo, make_hybrid, make_ordered

DIMS = [0, 1, -1, (0, 1), (1, 0), (0, 2), (1, 2), (2,), (), (0, 0), (0, 1, 2), 3]


@pytest.mark.parametrize("dims", DIMS, ids=str)
def test_sums_over_dimensions_match_torch(mt, oracle, dims):
    calls = []
    for kind in KINDS:
        for keepdim in (False, True):
            calls.append((f"{kind.__name__} {keepdim}", lambda t, k=kind, d=keepdim: k(t).sum(dims, d)))
        calls.append((f"{kind.__name__} sparse", lambda t, k=kind: t._sparse_sum(k(t), dims)))
        calls.append((f"{kind.__name__} dtype", lambda t, k=kind: t._sparse_sum(k(t), dims, dtype=t.float64)))
        calls.append((f"{kind.__name__} int", lambda t, k=kind: k(t, "int32").sum(dims)))
        calls.append((f"{kind.__name__} bool", lambda t, k=kind: k(t, "bool").sum(dims)))
    assert_each_same(mt, oracle, calls)


def test_full_reductions_match_torch(mt, oracle):
    calls = []
    for kind in KINDS:
        name = kind.__name__
        calls += [
            (f"{name} sum", lambda t, k=kind: k(t).sum()),
            (f"{name} sum dtype", lambda t, k=kind: k(t, "int32").sum(dtype=t.float64)),
            (f"{name} sparse sum", lambda t, k=kind: t._sparse_sum(k(t))),
            (f"{name} any", lambda t, k=kind: k(t).any()),
            (f"{name} any of zeros", lambda t, k=kind: (k(t) * 0).any()),
            (f"{name} norm of int", lambda t, k=kind: k(t, "int32").norm()),
            (f"{name} norm of complex", lambda t, k=kind: k(t, "complex64").norm()),
            (f"{name} norm keepdim", lambda t, k=kind: t.norm(k(t), 2, (), True)),
            (f"{name} norm dtype", lambda t, k=kind: t.norm(k(t), 2, dtype=t.float64)),
            (f"{name} norm dims", lambda t, k=kind: t.norm(k(t), 2, (0, 1))),
            (f"{name} norm dim", lambda t, k=kind: t.norm(k(t), 2, 0)),
            (f"{name} dist", lambda t, k=kind: t.dist(k(t), k(t) * 3)),
            (f"{name} item", lambda t, k=kind: k(t).item()),
            (f"{name} len", lambda t, k=kind: len(k(t))),
            (f"{name} bool", lambda t, k=kind: bool(k(t))),
        ]
        calls += [
            (f"{name} norm {p}", lambda t, k=kind, p=p: k(t).norm(p))
            for p in ("fro", 0, 1, 2, 3, 0.5, math.inf, -math.inf)
        ]
    assert_each_same(mt, oracle, calls)


@pytest.mark.parametrize("name", ["_sparse_softmax", "_sparse_log_softmax"])
def test_softmax_over_stored_elements_matches_torch(mt, oracle, name):
    def softmax_of(t, x, *args, **options):
        return getattr(t.ops.aten, name)(x, *args, **options)

    def softmax_backward_of(t, x, dim):
        gradient = make_coo(t, [[0, 0, 1, 1, 2], [0, 1, 0, 2, 1]], [1, 2, 3, 4, 5], (3, 4), coalesced=True)
        return getattr(t.ops.aten, name + "_backward_data")(gradient, softmax_of(t, x, dim), dim, x)

    calls = []
    for kind, dim in itertools.product(KINDS, (0, 1, -1, 2, 5)):
        if kind is not make_hybrid:  # logarithms of numbers near 1 are only rounding errors
            calls.append((f"{kind.__name__} {dim}", lambda t, k=kind, d=dim: softmax_of(t, k(t), d)))
        calls.append(
            (f"{kind.__name__} {dim} double", lambda t, k=kind, d=dim: softmax_of(t, k(t), d, dtype=t.float64))
        )
    for dtype in ("float64", "float16", "int32"):
        calls.append((dtype, lambda t, d=dtype: softmax_of(t, make_ordered(t, d), 0)))
    for value in (math.nan, math.inf, -math.inf):
        calls.append(
            (
                str(value),
                lambda t, v=value: softmax_of(
                    t, make_coo(t, [[0, 1, 1], [0, 0, 1]], [v, 1, v], (2, 2), coalesced=True), 0
                ),
            )
        )
    for dim in (0, 1):
        calls.append((f"gradient {dim}", lambda t, d=dim: softmax_backward_of(t, make_ordered(t), d)))
    assert_each_same(mt, oracle, calls)


@pytest.mark.parametrize("name", ["_sparse_softmax", "_sparse_log_softmax"])
@pytest.mark.parametrize("sizes", [(4, 5, 3), (40, 50, 30)])
def test_softmax_along_every_dimension_equals_that_of_a_dense_tensor(mt, oracle, name, sizes):
    """Contiguous lines, lines that are counted in a table, and more indices than a table can hold."""

    def are_close(t, dim, values):
        size = sizes + ((2,) if isinstance(values[0], list) else ())
        places = [[(3 * k) % sizes[0], (2 * k) % sizes[1], (k * k) % sizes[2]] for k in range(30)]
        x = make_coo(t, [list(column) for column in zip(*places, strict=True)], values, size, dtype="float64")
        made = getattr(t.ops.aten, name)(x, dim)
        return [made._indices(), (made._values() * 1e9).round()]

    calls = []
    for dim in (0, 1, 2):
        calls.append((f"{dim}", lambda t, d=dim: are_close(t, d, [k % 7 / 4 for k in range(30)])))
        calls.append((f"{dim} hybrid", lambda t, d=dim: are_close(t, d, [[k % 7 / 4, k % 5 / 4] for k in range(30)])))
    assert_each_same(mt, oracle, calls)


def test_softmax_along_a_sparse_dimension_does_not_warn(same_as_oracle):
    same_as_oracle("""
import torch, warnings
indices = torch.tensor([[0, 0, 1], [0, 1, 1]])
s = torch.sparse_coo_tensor(indices, torch.tensor([1.0, 1.0, float("nan")]), (2, 2), check_invariants=True)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    print(torch.sparse.softmax(s, 1)._values().tolist())
""")
