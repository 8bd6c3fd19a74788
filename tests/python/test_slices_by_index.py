"""Gathers and scatters with an index expanded over slices, which run slice by slice; and in-place forms."""

import itertools

import pytest

SHAPES = [
    ((7, 17), 0, 30),
    ((3, 6, 9), 1, 4),
    ((3, 6, 2, 5), 1, 9),
    ((2, 3, 300), 0, 130),
    ((1, 4), 0, 6),
    ((6, 3, 8), 0, 0),
    ((4, 6), 1, 3),
]


def tensors_of_both_libraries(mt, oracle, tensor):
    """Converts a tensor of real torch to ours."""
    return mt.tensor(tensor.tolist(), dtype=getattr(mt, str(tensor.dtype)[6:])).reshape(tensor.shape)


def assert_same_result(oracle, ours, expected):
    ours = oracle.tensor(ours.tolist(), dtype=expected.dtype).reshape(tuple(ours.shape))
    return oracle.allclose(ours.double(), expected.double(), rtol=1e-5, equal_nan=True)


@pytest.mark.parametrize("shared", [True, False], ids=["one index", "an index for each block"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "bool"])
@pytest.mark.parametrize("shape, dim, count", SHAPES)
def test_slices_are_combined_as_torch_does(mt, oracle, shape, dim, count, dtype, shared):
    """Every reduction, also in place and into non-contiguous tensors: values of torch.Tensor.scatter_reduce."""
    oracle.manual_seed(count)
    sizes = list(shape)
    sizes[dim] = count
    x, source = ((oracle.randn(s) * 5).to(getattr(oracle, dtype)) for s in (shape, sizes))
    if dtype.startswith("float") and count:
        x.view(-1)[1] = source.view(-1)[3] = float("nan")
    own = [1] * len(shape) if shared else sizes[: dim + 1] + [1] * (len(shape) - dim - 1)
    own[dim] = count
    index = oracle.randint(0, shape[dim], own)
    ours, ours_source, ours_index = (tensors_of_both_libraries(mt, oracle, t) for t in (x, source, index))
    index, ours_index = index.expand(sizes), ours_index.expand(sizes)
    assert assert_same_result(oracle, ours.gather(dim, ours_index), x.gather(dim, index))
    assert assert_same_result(oracle, ours.scatter(dim, ours_index, 1), x.scatter(dim, index, 1))
    for how in ("sum", "prod", "amax", "amin") + (("mean",) if dtype != "bool" else ()):
        for include_self in (True, False):
            expected = x.scatter_reduce(dim, index, source, how, include_self=include_self)
            changed = ours.clone()
            across = ours.transpose(0, -1).clone(memory_format=mt.contiguous_format).transpose(0, -1)
            for result in (
                ours.scatter_reduce(dim, ours_index, ours_source, how, include_self=include_self),
                changed.scatter_reduce_(dim, ours_index, ours_source, how, include_self=include_self),
                across.scatter_reduce_(dim, ours_index, ours_source, how, include_self=include_self),
            ):
                assert assert_same_result(oracle, result, expected), (how, include_self)
            assert assert_same_result(oracle, changed, expected)


IN_PLACE = [
    "x.scatter_(0, i, 1.)",
    "x.scatter_(0, i, x)",
    "x.scatter_(0, i, y, reduce='multiply')",
    "x.scatter_add_(0, i, x)",
    "x.scatter_add_(0, i, x.clone())",
    "x.t().scatter_add_(1, i.t(), y.t())",
    "x.index_add_(0, i[:, 0], x)",
    "x.index_add_(0, i[:, 0], y, alpha=2)",
    "x.index_copy_(0, i[:, 0], x)",
    "x.index_copy_(1, i[:, 0], y[:, :3])",
    "x.index_fill_(0, i[:2, 0], 5)",
    "x.index_fill_(1, i[:2, 0], x[0, 0])",
    "x.index_reduce_(0, i[:, 0], y, 'amax')",
    "x.tril_()",
    "x.t().triu_(1)",
    "x[:, 1:3].tril_(-1)",
    "x[0].scatter_(0, torch.tensor([1]), x[0])",
    "x.scatter_(0, i + 1, 1.)",
    "x.index_fill_(0, i[:, 0] + 1, 1.)",
    "x.index_copy_(0, i[:, 0] + 1, y)",
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("statement", IN_PLACE)
def test_inplace_operators_match_torch(mt, oracle, statement):
    """Real torch's tensor, version and text; it refuses a source that is the written tensor."""

    def run_statement(torch):
        x, y = torch.arange(12.0).reshape(3, 4) - 4, torch.arange(12.0).reshape(3, 4) * 2
        i = torch.tensor([2, 0, 1]).unsqueeze(1).expand(3, 4)
        scope = {"torch": torch, "x": x, "y": y, "i": i}
        try:
            result = eval(statement, scope)
        except (RuntimeError, IndexError) as error:
            return type(error).__name__, str(error)
        return result.tolist(), x.tolist(), x._version

    assert run_statement(mt) == run_statement(oracle)


def test_a_gradient_through_an_index_add_in_place_is_torchs(mt, oracle):
    """Both the written tensor and the source get gradients: values of torch.autograd.grad."""

    def differentiate_index_add(torch):
        a = torch.arange(12.0).reshape(3, 4).requires_grad_()
        s = torch.arange(8.0).reshape(2, 4).requires_grad_()
        x = a * 1
        x.index_add_(0, torch.tensor([2, 2]), s)
        x.scatter_add_(0, torch.tensor([[1], [0]]).expand(2, 4), s * s)
        return [g.tolist() for g in torch.autograd.grad((x * x).sum(), (a, s))]

    assert differentiate_index_add(mt) == differentiate_index_add(oracle)


@pytest.mark.parametrize("dtype", ["uint8", "bool", "int16"])
@pytest.mark.parametrize("dim", [0, 1])
def test_index_select_of_narrow_elements(mt, oracle, dtype, dim):
    x = (oracle.arange(6 * 40).reshape(6, 40) * 7 % 5).to(getattr(oracle, dtype))
    for count in (0, 1, 3, 50):
        index = oracle.arange(count) * 5 % 6
        for rows in (x, x[:, 0], x.t()[:6]):
            d = min(dim, rows.dim() - 1)
            expected = rows.index_select(d, index)
            places = mt.tensor(index.tolist(), dtype=mt.int64)
            assert assert_same_result(
                oracle, tensors_of_both_libraries(mt, oracle, rows).index_select(d, places), expected
            )


def test_index_select_of_strided_tensors(mt, oracle):
    x = oracle.arange(6.0 * 40).reshape(2, 3, 40)
    views = [
        lambda x: x[:, :, 3:30],
        lambda x: x[0].t(),
        lambda x: x[:, 1],
        lambda x: x[1, :, ::2],
        lambda x: x[0, :, 7],
    ]
    for view in views:
        given, ours = view(x), view(tensors_of_both_libraries(mt, oracle, x))
        for d, count in itertools.product(range(given.dim()), (1, 2, 60)):
            index = oracle.arange(count) * 5 % given.shape[d]
            places = mt.tensor(index.tolist(), dtype=mt.int64)
            assert assert_same_result(oracle, ours.index_select(d, places), given.index_select(d, index))


@pytest.mark.parametrize("n", [0, 1, 2, 50])
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_consecutive_runs_and_their_counts_match_torch(mt, oracle, n, dtype):
    x = (oracle.arange(n) // 3 % 4).to(getattr(oracle, dtype))
    expected = oracle.unique_consecutive(x, return_inverse=True, return_counts=True)
    ours = mt.unique_consecutive(tensors_of_both_libraries(mt, oracle, x), return_inverse=True, return_counts=True)
    assert all(assert_same_result(oracle, a, b) for a, b in zip(ours, expected, strict=True))


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3), (2, 0, 3), ()])
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "bfloat16", "complex64"])
@pytest.mark.parametrize("name", ["unique", "unique_consecutive"])
def test_unique_slices_of_nothing(name, dtype, shape, mt, oracle):
    def find_unique_slices(torch, dim, asked):
        try:
            found = getattr(torch, name)(torch.zeros(shape, dtype=getattr(torch, dtype)), dim=dim, **asked)
            return [(x.tolist(), tuple(x.shape)) for x in (found if asked else [found])]
        except Exception as error:
            return type(error).__name__, str(error)

    for dim in (None, 0, 1, -1, 5):
        for asked in ({}, {"return_inverse": True}, {"return_counts": True, "return_inverse": True}):
            assert find_unique_slices(mt, dim, asked) == find_unique_slices(oracle, dim, asked)


@pytest.mark.parametrize("sizes", [(0, 2, 3), (2, 0, 3), (2, 3, 0)])
def test_an_expanded_index_of_no_elements_changes_nothing(mt, sizes):
    """Its zero strides do not mean repetition: the tensor has no elements."""
    narrow = [size and 1 if k < 2 else size for k, size in enumerate(sizes)]
    index = mt.zeros(narrow, dtype=mt.int32).expand(sizes).long()
    x, source = mt.zeros(sizes), mt.ones(1).expand(sizes)
    assert x.scatter_(-1, index, source).shape == sizes
    assert x.scatter_(-1, index, 1.0).shape == sizes
    assert x.scatter_add_(-1, index, source).shape == sizes
    for how in ("sum", "prod", "mean", "amax", "amin"):
        assert x.scatter_reduce(-1, index, source, how).shape == sizes


@pytest.mark.parametrize("index", [[5], [-1], [0], [3], [-4]])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 1), (2, 3, 2)])
@pytest.mark.parametrize("name", ["index_select", "index_add", "take_along_dim"])
def test_out_of_range_index_errors_match_torch(name, shape, index, mt, oracle):
    calls = {
        "index_select": lambda torch, x, dim, at: x.index_select(dim, at),
        "index_add": lambda torch, x, dim, at: x.index_add(dim, at, x.narrow(dim, 0, 1) if x.dim() else x),
        "take_along_dim": lambda torch, x, dim, at: x.take_along_dim(at.view((1,) * x.dim()), dim),
    }

    def read_index_error(torch, dim, dtype):
        at = torch.tensor(index, dtype=getattr(torch, dtype))
        try:
            return calls[name](torch, torch.zeros(shape), dim, at).tolist()
        except Exception as error:
            return type(error).__name__, str(error)

    for dim in range(-max(1, len(shape)), max(1, len(shape))):
        for dtype in ("int64", "int32"):
            assert read_index_error(mt, dim, dtype) == read_index_error(oracle, dim, dtype), (dim, dtype)
