"""Operators that reduce by index, select by order or copy views: cases that the operator database lacks."""

import pytest
from beside import outcome

X = "torch.arange(12.).reshape(3, 4)"

EXPRESSIONS = [
    # view copies and view scatters
    "torch.permute_copy(x, (1, 0)).stride()",
    "torch.expand_copy(x, (2, 3, 4)).stride()",
    "torch.view_copy(x.t(), (12,))",
    "torch.view_copy(x, (5,))",
    "torch.permute_copy(x, (1, 0), out=torch.empty(0, dtype=torch.double))",
    "torch.narrow_copy(x, 0, 2, 5)",
    "torch.narrow_copy(x, 0, -9, 1)",
    "torch.select_scatter(x.t(), torch.zeros(3), 0, 1).stride()",
    "torch.select_scatter(x[:, ::2], torch.zeros(2), 0, 1).stride()",
    "torch.select_scatter(x[0].expand(3, 4), torch.zeros(4), 0, 1).stride()",
    "torch.slice_scatter(x, torch.zeros(2), 0, 1)",
    "torch.unsafe_split(x, 0)",
    "len(torch.unsafe_chunk(torch.zeros(0, 3), 4))",
    # concatenations of concatenations
    "torch.cat([x[0], torch.ones(2)], out=x[0])",
    "torch.cat([x[0], x[1]], out=x.view(-1)[:8])",
    "torch.cat([x[0], x[1]], out=x.view(-1)[2:10])",
    "torch.cat([x[0], x[1].int()], out=x.view(-1)[:8])",
    "torch.cat([x[0], x[1]], out=x[0])",
    "torch.cat([x[0, :2], x[0, 2:]], out=x[1])",
    "torch.stack([x[0], x[1]], out=x[:2])",
    "torch.hstack([x[0], x[1]], out=x.view(-1)[:8])",
    "torch.vstack([x[0], x[1]], out=x[:2])",
    "torch.dstack([x[0], x[1]], out=x.view(-1)[:8].view(1, 4, 2))",
    "torch.column_stack([x[0], x[1]], out=x.view(-1)[:8].view(4, 2))",
    "torch.column_stack([x[0], x[1]], out=torch.empty(4, 2))",
    "(lambda empty: torch.cat([empty, torch.ones(2, 2)], out=empty))(torch.tensor([]))",
    "(lambda empty: torch.cat([empty.view(0), torch.ones(2, 2)], out=empty))(torch.tensor([]))",
    # reductions by index
    "torch.scatter_reduce(x, 0, torch.zeros(1, 4, dtype=torch.long), x, 'foo')",
    "torch.scatter_reduce(torch.tensor([-7, 5]), 0, torch.tensor([0, 0]), torch.tensor([-2, 3]), 'mean')",
    "torch.tensor([7]).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([-2, 3]), 'mean', include_self=False)",
    "torch.scatter_reduce(torch.tensor([True]), 0, torch.tensor([0]), torch.tensor([True]), 'mean')",
    "torch.scatter_reduce(x, 0, torch.full((1, 4), 9), x, 'sum')",
    "torch.index_reduce(x, 0, torch.tensor([0, 7]), x[:2], 'mean')",
    "torch.index_reduce(x, 0, torch.tensor([0, 1]), x[:2, :2], 'mean')",
    "torch.index_add(x, 0, torch.tensor([0, 1]), x[:2, :2])",
    "torch.put(x, torch.tensor([0, -12]), torch.tensor([5., 6.]))",
    "torch.put(x, torch.tensor([0, -13]), torch.tensor([5., 6.]))",
    "torch.put(torch.zeros(0), torch.tensor([0]), torch.tensor([1.]))",
    "torch.put(x.t(), torch.tensor([1]), torch.tensor([50.]))",
    "torch.take(x, torch.tensor([[0, -1]]))",
    "torch.take(x, torch.tensor([0, 99]))",
    "torch.take(x, torch.tensor([0.]))",
    "torch._chunk_cat([torch.arange(5.), x], 0, 2)",
    # selections by order
    "torch.cummax(torch.tensor([nan, 1, 2]), 0)",
    "torch.cummin(torch.tensor([1, 3, 3, 1]), 0)",
    "torch.median(torch.tensor([]))",
    "torch.median(torch.tensor([1., nan]), 0)",
    "torch.nanmedian(torch.tensor([1., nan, 0]), 0)",
    "torch.nanmedian(torch.tensor([nan, nan]), 0)",
    "torch.median(torch.zeros(0, 2), 0)",
    "torch.mode(torch.tensor([5, 5, 1, 1, 1, 5, 2]))",
    "torch.mode(torch.tensor([nan, 1., nan]))",
    "torch.quantile(x, torch.tensor([0.1, 0.5]), dim=0, keepdim=True)",
    "torch.quantile(x, 1.5)",
    "torch.quantile(x, 0.5, interpolation='foo')",
    "torch.nanquantile(torch.tensor([nan]), 0.5)",
    "torch.aminmax(torch.tensor([nan, 1.]))",
    "torch.aminmax(torch.zeros(0, 2), dim=0)",
    "torch.rot90(x, -5, (-1, 0))",
    "torch.rot90(x, 1, (0, -2))",
    "torch.rot90(x, 3).stride()",
    # counts
    "torch.histc(torch.tensor([2., 2.]), 3)",
    "torch.histc(torch.tensor([1., nan]), 4, 0, 2)",
    "torch.histc(x, 0)",
    "torch.histogram(torch.tensor([2., 2.]), 3)",
    "torch.histogram(x, torch.tensor([1., 0.]))",
    "torch.histogram(x, 4, range=(4., 0.))",
    "torch.histogramdd(x[:, :2], [2, 3], density=True)",
    "torch.histogramdd(torch.zeros(0, 2), [2, 2])",
    "torch.histogramdd(x[:, :2], [2, 3, 4])",
    "torch.nonzero_static(torch.tensor([0, 1, 2]), size=4)",
    "torch.nonzero_static(torch.tensor(3), size=2)",
    "torch.hash_tensor(x, 0)",
    "torch.hash_tensor(torch.tensor([-1, 2], dtype=torch.int32))",
    "torch.nansum(torch.tensor([1., nan]), dtype=torch.double)",
    "torch.nanmean(torch.tensor([1, 2]))",
    "torch.segment_reduce(x, 'mean', lengths=torch.tensor([0, 3]))",
    "torch.segment_reduce(x, 'sum', lengths=torch.tensor([1, 1]))",
    "torch.segment_reduce(x, 'max', offsets=torch.tensor([1, 3]))",
    "torch.logcumsumexp(torch.tensor([-inf, -inf, 0., inf, 1]), 0)",
    # factories
    "torch.tril_indices(3, 4, 2)",
    "torch.tril_indices(3, 4, -2**63)",
    "torch.tril_indices(-3, 4)",
    "torch.triu_indices(3, 4, dtype=torch.int16)",
    "torch.empty_permuted((2, 3, 4), (2, 0, 1)).stride()",
    "torch.empty_permuted((2, 3, 4), (2, 0, 0))",
    "torch.fill(x.t(), 3).stride()",
    "torch.fill(torch.tensor([1], dtype=torch.uint8), 300)",
    # products
    "torch.addr(torch.full((2, 2), nan), torch.ones(2), torch.ones(2), beta=0)",
    "torch.addr(torch.full((99, 99), nan), torch.ones(99), torch.ones(99), beta=0, alpha=3)",
    "torch.addr(torch.ones(99, 1), torch.arange(99.0), torch.arange(101.0), beta=0.5, alpha=-2)",
    "torch.addr(x.long(), torch.zeros(3, dtype=torch.long), torch.zeros(4, dtype=torch.long), beta=1.5)",
    "torch.addbmm(x, torch.zeros(2, 3, 5), torch.zeros(3, 5, 4))",
    "torch.addbmm(x, torch.zeros(0, 3, 5), torch.zeros(0, 5, 4), beta=2)",
    "6 & torch.tensor([1, 2])",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_result_or_refusal_is_torchs(mt, oracle, expression):
    """Values, strides and texts equal those of real torch."""
    expression = f"(lambda x, nan, inf: {expression})({X}, float('nan'), float('inf'))"
    assert outcome(mt, expression) == outcome(oracle, expression)


GRADIENTS = [
    "torch.permute_copy(x, (1, 0))",
    "torch.squeeze_copy(x, 0)",
    "torch.unbind_copy(x)[1]",
    "torch.diagonal_scatter(x, torch.zeros(3))",
    "torch.scatter_reduce(x, 0, torch.zeros(3, 4, dtype=torch.long), x, 'prod')",
    "torch.cummax(x, 0)[0]",
    "torch.nanmedian(x, 0)[0]",
    "torch.median(x)",
    "torch.mode(x, 0)[0]",
    "torch.rot90(x)",
    "torch.take(x, torch.tensor([1, 1]))",
    "torch.logcumsumexp(x, 1)",
    "torch.segment_reduce(x, 'prod', lengths=torch.tensor([1, 2]))",
    "torch.var(x, 0)",
]


@pytest.mark.parametrize("expression", GRADIENTS)
def test_gradient_and_name_of_its_node_are_torchs(mt, oracle, expression):
    """Both libraries differentiate the weighted sum of the result; names and values match real torch."""

    def differentiate_call(torch):
        x = (torch.arange(12.0).reshape(3, 4) - 4).requires_grad_()
        y = eval(expression, {"torch": torch, "x": x})
        (y * (torch.arange(float(y.numel())).reshape(y.shape) + 1)).sum().backward()
        return y.grad_fn.name(), x.grad.tolist()

    (name, ours), (expected_name, expected) = differentiate_call(mt), differentiate_call(oracle)
    assert name == expected_name
    assert oracle.allclose(oracle.tensor(ours), oracle.tensor(expected), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(37, 53), (8, 128, 12, 64), (64, 64), (3, 1, 70), (130, 16), (5, 7, 33)])
def test_copies_in_any_order_of_dimensions_keep_every_element(mt, shape):
    """A permuted copy that is permuted back equals the original, whose elements are their own indices."""
    import itertools

    n = 1
    for size in shape:
        n *= size
    for dtype in (mt.int8, mt.int32, mt.int64, mt.complex128):
        x = mt.arange(n).to(dtype).reshape(shape)
        for order in itertools.permutations(range(len(shape))):
            copy = x.permute(order).contiguous()
            back = [order.index(d) for d in range(len(shape))]
            assert mt.equal(copy.permute(back), x)


def test_extremes_and_their_indices_of_long_rows(mt):
    """The first of equal elements and the first NaN, at every position of rows longer than any vector."""
    n = 200
    for place in (0, 1, 31, 32, 63, 64, 150, 199):
        x = mt.zeros(n)
        x[place] = 1
        assert x.argmax().item() == place and (-x).argmin().item() == place
        x[place:] = 1
        assert mt.max(x, 0).indices.item() == place
        x[place:] = float("nan")
        assert x.argmax().item() == place and mt.min(x, 0).indices.item() == place


def test_variance_of_a_constant_and_of_a_shifted_row(mt):
    """Zero for equal numbers; a large offset changes nothing (numbers: 0..999 have variance n(n+1)/12 = 83416.67)."""
    assert mt.full((1001,), 0.1).var().item() == 0
    assert abs((mt.arange(1000, dtype=mt.float64) + 1e9).var().item() - 1000 * 1001 / 12) < 1e-3


NAN = float("nan")


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("name", ["unique", "unique_consecutive"])
def test_slices_with_nan_equal_nothing(name, count, mt, oracle):
    def find_unique(torch):
        x = torch.stack([torch.tensor([NAN, 0, 0, NAN, NAN, 1.0])] * count, 1).squeeze(1)
        found = getattr(torch, name)(x, dim=0, return_inverse=True, return_counts=True)
        return [str(part.tolist()) for part in found]

    assert find_unique(mt) == find_unique(oracle)


def test_joined_empty_vectors_have_no_other_dimension_to_check(mt, oracle):
    def join_empty_vectors(torch, dim):
        nothing = torch.ones(0, requires_grad=True)
        joined = torch.cat((nothing, nothing), dim=dim)
        joined.sum().backward()
        return tuple(joined.shape), tuple(nothing.grad.shape)

    for dim in (0, 1, -1, 5, -5):
        assert join_empty_vectors(mt, dim) == join_empty_vectors(oracle, dim) == ((0,), (0,))
