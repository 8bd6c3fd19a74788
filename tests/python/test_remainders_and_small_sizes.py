"""Sizes at which kernels switch strategies: remainders of rows, short lines, few queries, few planes."""

import pytest
from outcomes import close, result

TOLERANCES = {"float32": 1e-5, "float64": 1e-10, "float16": 4e-3, "bfloat16": 3e-2}


def _make_numbers(t, dtype, *shape):
    t.manual_seed(0)
    return t.randn(*shape).to(getattr(t, dtype))


def _assert_same_values(mt, oracle, run, near):
    assert close(result(run, mt), result(run, oracle), relative=near, absolute=near)


@pytest.mark.parametrize("width", [1, 7, 15, 16, 17, 31, 33, 100])
@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0, float("inf")])
@pytest.mark.parametrize("special", [None, float("nan"), float("inf")])
def test_distances_of_any_width_match_torch(mt, oracle, width, p, special):
    def measure_distances(t):
        x = _make_numbers(t, "float32", 5, width)
        if special is not None:
            x[1, -1] = x[2, 0] = special
        a = x.requires_grad_()
        y = t.nn.functional.pdist(a, p)
        y.backward(t.ones_like(y))
        return y, a.grad, t.cdist(x.detach(), x.detach()[:3], p)

    _assert_same_values(mt, oracle, measure_distances, 1e-4)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("n", [3, 17, 64, 127, 128, 129, 300])
@pytest.mark.parametrize("transposed", [False, True])
def test_scatter_and_gather_of_lines_of_any_length_match_torch(mt, oracle, dtype, n, transposed):
    def combine_at_indices(t):
        x = _make_numbers(t, dtype, 11, 40)
        x[3, 5] = float("nan")
        v = _make_numbers(t, dtype, 11, n)
        v[2, 1] = float("nan")
        i = (t.arange(11 * n) * 7 % 40).view(11, n)
        if transposed:
            i = i.t().contiguous().t()
        out = [x.gather(1, i), x.scatter(1, i[:, :40], v[:, :40]), x.index_select(1, i[0])]
        return out + [x.scatter_reduce(1, i, v, r) for r in ("sum", "amax", "amin")]

    _assert_same_values(mt, oracle, combine_at_indices, 10 * TOLERANCES[dtype])


@pytest.mark.parametrize("index", [-1, 40])
def test_indices_outside_of_short_lines_are_refused(mt, index):
    i = mt.zeros(11, 60, dtype=mt.int64)
    i[7, 59] = index
    with pytest.raises(RuntimeError, match="out of bounds for dimension 1 with size 40"):
        mt.zeros(11, 40).gather(1, i)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("queries", [1, 3, 4, 5])
@pytest.mark.parametrize("kind", ["plain", "causal", "mask", "hidden"])
@pytest.mark.parametrize("keys", [1, 70, 513])
def test_attention_gradients_of_few_queries_match_torch(mt, oracle, dtype, queries, kind, keys):
    def attend_and_differentiate(t):
        q, k, v = (
            _make_numbers(t, dtype, 2, 3, n, d).requires_grad_() for n, d in ((queries, 8), (keys, 8), (keys, 6))
        )
        mask = None
        if kind in ("mask", "hidden"):
            mask = (t.arange(queries * keys) % 3 != 0).view(queries, keys)
            mask[:, 0] = kind == "mask"
        y = t.nn.functional.scaled_dot_product_attention(q, k, v, mask, is_causal=kind == "causal")
        return y, *t.autograd.grad(y, (q, k, v), _make_numbers(t, dtype, *y.shape))

    _assert_same_values(mt, oracle, attend_and_differentiate, 4 * TOLERANCES[dtype])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("sizes", [((7, 5), (3, 9)), ((6, 6), (6, 6)), ((9, 7), (1, 1)), ((300, 211), (7, 33))])
def test_adaptive_averages_of_few_half_planes_match_torch(mt, oracle, dtype, sizes):
    def pool_and_differentiate(t):
        x = _make_numbers(t, dtype, 1, 3, *sizes[0]).requires_grad_()
        y = t.nn.functional.adaptive_avg_pool2d(x, sizes[1])
        return y, *t.autograd.grad(y, x, y.detach())

    _assert_same_values(mt, oracle, pool_and_differentiate, TOLERANCES[dtype])
    assert (mt.nn.functional.adaptive_avg_pool2d(mt.ones(1, 1, 97, 89, dtype=mt.half), (13, 11)) == 1).all()


@pytest.mark.parametrize("dtype", [*TOLERANCES, "int64", "bool"])
@pytest.mark.parametrize("diagonal", [-9, -2, 0, 3, 9])
def test_triangles_of_contiguous_transposed_and_empty_matrices_match_torch(mt, oracle, dtype, diagonal):
    def take_triangles(t):
        x = _make_numbers(t, dtype, 2, 5, 7)
        values = [f(y, diagonal) for f in (t.tril, t.triu) for y in (x, x.mT, x[:, ::2], x[:0], x.expand(2, 2, 5, 7))]
        kept = x.clone()
        return [(v, v.stride()) for v in [*values, x.tril_(diagonal), kept.triu_(diagonal), kept]]

    _assert_same_values(mt, oracle, take_triangles, 0)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("width", [1, 7, 64, 67])
def test_embedding_bag_maxima_match_torch(mt, oracle, dtype, width):
    def take_bag_maxima(t):
        w = _make_numbers(t, dtype, 9, width)
        w[2, 0] = float("nan")
        at, starts = t.tensor([1, 2, 1, 8, 3, 3, 2, 0]), t.tensor([0, 3, 3, 5])
        return t.ops.aten.embedding_bag(w, at, starts, False, 2, False, None, False, 3)

    _assert_same_values(mt, oracle, take_bag_maxima, TOLERANCES[dtype])


@pytest.mark.parametrize("samples", [2, 40, 400])
def test_sampling_with_replacement_matches_torch(mt, oracle, samples):
    def sample_with_replacement(t):
        weights = _make_numbers(t, "float64", 3, 400).abs()
        weights[1] = 0
        weights[1, 17] = 2
        t.manual_seed(7)
        bad = t.ones(4)
        bad[2] = -1
        try:
            t.multinomial(bad, 2, True)
            text = ""
        except RuntimeError as error:
            text = str(error)
        return t.multinomial(weights, samples, True), t.rand(2), text

    _assert_same_values(mt, oracle, sample_with_replacement, 0)
