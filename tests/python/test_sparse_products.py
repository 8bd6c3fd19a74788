"""Products of sparse COO tensors: values, layouts, dtypes, forms and errors match real torch."""

import pytest
from outcomes import outcome

# Indices are unsorted, and the index (1, 2) occurs twice.
INDICES, VALUES = [[1, 0, 1, 1], [2, 0, 1, 2]], [1, 2, 3, 4]
DTYPES = (
    "float32 float64 float16 bfloat16 complex64 complex128 int64 int32 int16 int8 uint8 bool complex32 uint16".split()
)


def make_coo(torch, dtype="float32", indices=INDICES, values=VALUES, size=(2, 3), coalesced=False):
    values = torch.tensor(values).to(getattr(torch, dtype))
    indices = torch.tensor(indices, dtype=torch.int64).view(len(size) - values.dim() + 1, -1)
    made = torch.ops.aten._sparse_coo_tensor_unsafe(indices, values, size)
    return made.coalesce() if coalesced else made


def make_batch(torch, dtype="float32"):
    indices = [[1, 0, 1, 0], [1, 0, 1, 1], [2, 0, 2, 1]]
    return make_coo(torch, dtype, indices=indices, size=(2, 2, 3))


def make_hybrid(torch):
    return make_coo(torch, indices=[[0, 1]], values=[[1, 2, 3], [4, 5, 6]], size=(4, 3))


def make_numbers(torch, *size, dtype="float32"):
    count = 1
    for s in size:
        count *= s
    return (torch.arange(count) + 1).view(size).to(getattr(torch, dtype))


def assert_same_outcome(mt, oracle, call):
    ours, theirs = outcome(call, mt)[0], outcome(call, oracle)[0]
    assert ours == theirs


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_with_a_dense_matrix_have_the_dtypes_of_torch(mt, oracle, dtype):
    def multiply_by_dense(torch):
        right, bias = make_numbers(torch, 3, 2, dtype=dtype), make_numbers(torch, 2, 2, dtype=dtype)
        return torch.mm(make_coo(torch, dtype), right), torch.addmm(bias, make_coo(torch, dtype), right)

    assert_same_outcome(mt, oracle, multiply_by_dense)
    in_order = lambda torch: make_batch(torch).coalesce().to(getattr(torch, dtype))  # noqa: E731
    assert_same_outcome(mt, oracle, lambda torch: torch.bmm(in_order(torch), make_numbers(torch, 2, 3, 2, dtype=dtype)))


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d not in ("complex32", "uint16")])
def test_products_with_a_sparse_result_have_the_dtypes_of_torch(mt, oracle, dtype):
    right = lambda torch: make_numbers(torch, 3, 2, dtype=dtype)  # noqa: E731
    self = lambda torch: make_numbers(torch, 2, 2, dtype=dtype).to_sparse()  # noqa: E731
    assert_same_outcome(mt, oracle, lambda torch: torch.hspmm(make_coo(torch, dtype), right(torch)))
    # Ignores the gaps that torch leaves between the rows of indices: a copy has none.
    assert_same_outcome(mt, oracle, lambda torch: torch.smm(make_coo(torch, dtype), right(torch)).clone())
    assert_same_outcome(
        mt, oracle, lambda torch: torch.sspaddmm(self(torch), make_coo(torch, dtype), right(torch)).clone()
    )
    if dtype == "float32":  # torch may have emitted its warning about compressed tensors earlier in this process
        assert_same_outcome(mt, oracle, lambda torch: torch.mm(make_coo(torch, dtype), right(torch).to_sparse()))
    else:
        assert_same_outcome(mt, oracle, lambda torch: torch.mm(make_coo(torch, dtype), make_coo(torch, dtype).t()))


@pytest.mark.parametrize("width", [0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 100, 128, 130, 257])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "complex64", "complex128", "int32"])
def test_every_width_of_the_dense_matrix_is_summed_right(mt, dtype, width):
    mt.manual_seed(width)
    rows, columns = mt.randint(9, (60,)), mt.randint(11, (60,))
    values = mt.randint(-4, 5, (60,)).to(getattr(mt, dtype))
    left = mt.ops.aten._sparse_coo_tensor_unsafe(mt.stack([rows, columns]), values, (9, 11))
    right = mt.randint(-4, 5, (11, width)).to(getattr(mt, dtype))
    if left.is_complex():
        right, left = right * (1 + 2j), left * (2 - 1j)
    wide = mt.complex128 if left.is_complex() else mt.float64
    expected = left.to(wide).to_dense() @ right.to(wide)
    for dense in (right, right.t().contiguous().t(), right.repeat_interleave(2, 1)[:, ::2]):
        assert mt.equal(left @ dense, expected.to(right.dtype))
    bias = mt.ones(9, width, dtype=right.dtype)
    assert mt.equal(mt.addmm(bias, left, right, beta=3, alpha=-2), (3 - 2 * expected).to(right.dtype))
    column_major = mt.empty(width, 9, dtype=right.dtype).t()
    assert mt.equal(mt.mm(left, right, out=column_major), expected.to(right.dtype))
    assert column_major.stride()[0] == 1


def test_product_is_bit_identical_for_any_number_of_threads(mt):
    mt.manual_seed(0)
    rows = (mt.rand(50_000) ** 4 * 3000).long()  # many elements in few rows
    left = mt.ops.aten._sparse_coo_tensor_unsafe(
        mt.stack([rows, mt.randint(2000, (50_000,))]), mt.randn(50_000), (3000, 2000)
    )
    right, threads = mt.randn(2000, 37), mt.get_num_threads()
    made = []
    try:
        for count in (1, 2, 3):
            mt.set_num_threads(count)
            made.append(
                [left @ right, left.coalesce() @ right, mt.mm(left, left.t()).values(), mt.mv(left, right[:, 0])]
            )
    finally:
        mt.set_num_threads(threads)
    for others in made[1:]:
        assert all(mt.equal(a, b) for a, b in zip(made[0], others, strict=True))
    assert mt.allclose(made[0][0], left.to_dense() @ right, atol=1e-3)


FORMS = {
    "mm": lambda t: t.mm(make_coo(t), make_numbers(t, 3, 2)),
    "mm method": lambda t: make_coo(t, coalesced=True).mm(make_numbers(t, 3, 2)),
    "dense @ sparse": lambda t: make_numbers(t, 3, 2) @ make_coo(t),
    "sparse @ sparse": lambda t: make_coo(t) @ make_coo(t).t(),
    "cancelled": lambda t: t.mm(
        make_coo(t, indices=[[0, 0], [0, 1]], values=[1, -1], size=(2, 2)), t.ones(2, 2).to_sparse()
    ),
    "mm out": lambda t: t.mm(make_coo(t), make_numbers(t, 3, 2), out=t.empty(0)),
    "mm out of another shape": lambda t: t.mm(make_coo(t), make_numbers(t, 3, 2), out=t.empty(5)),
    "mm strided out": lambda t: t.mm(make_coo(t), make_numbers(t, 3, 2), out=t.empty(4, 4)[::2, ::2]),
    "mm out of another dtype": lambda t: t.mm(make_coo(t), make_numbers(t, 3, 2), out=t.empty(0, dtype=t.double)),
    "mm sparse out": lambda t: t.mm(make_coo(t), make_numbers(t, 3, 2), out=t.ones(2, 2).to_sparse()),
    "mm of sparse ones with out": lambda t: t.mm(make_coo(t), make_coo(t).t(), out=t.ones(2, 2).to_sparse()),
    "addmm": lambda t: t.addmm(make_numbers(t, 2, 2), make_coo(t), make_numbers(t, 3, 2), beta=2, alpha=3),
    "addmm of a row": lambda t: t.addmm(t.ones(2), make_coo(t), make_numbers(t, 3, 2)),
    "addmm of a number": lambda t: t.addmm(t.tensor(1.0), make_coo(t), make_numbers(t, 3, 2)),
    "addmm without beta": lambda t: t.addmm(t.full((2, 2), float("nan")), make_coo(t), make_numbers(t, 3, 2), beta=0),
    "addmm of nothing": lambda t: t.addmm(
        t.full((2, 2), float("nan")), t.zeros(2, 3).to_sparse(), t.ones(3, 2), beta=0
    ),
    "addmm of integers": lambda t: t.addmm(
        t.ones(2, 2).int(), make_coo(t, "int32"), make_numbers(t, 3, 2).int(), beta=1.5, alpha=2.5
    ),
    "addmm_": lambda t: make_numbers(t, 2, 2).addmm_(make_coo(t), make_numbers(t, 3, 2), beta=2, alpha=3),
    "addmm out": lambda t: t.addmm(t.ones(2), make_coo(t), make_numbers(t, 3, 2), out=t.empty(0)),
    "sparse.addmm": lambda t: t.ops.aten._sparse_addmm(
        make_numbers(t, 2, 2), make_coo(t), make_numbers(t, 3, 2), beta=2, alpha=3
    ),
    "sparse.mm": lambda t: t.ops.aten._sparse_mm(make_coo(t), make_numbers(t, 3, 2)),
    "sparse.mm of dense ones": lambda t: t.ops.aten._sparse_mm(make_numbers(t, 2, 2), make_numbers(t, 2, 2)),
    "sparse.mm dense @ sparse": lambda t: t.ops.aten._sparse_mm(make_numbers(t, 2, 2), make_coo(t)),
    "sparse.mm sparse @ sparse": lambda t: t.ops.aten._sparse_mm(make_coo(t), make_coo(t).t()),
    "mv": lambda t: make_coo(t).mv(make_numbers(t, 3)),
    "matmul of a vector": lambda t: make_numbers(t, 2) @ make_coo(t),
    "matmul of a batch": lambda t: make_numbers(t, 1, 2, 2) @ make_coo(t),
    "bmm out": lambda t: t.bmm(make_batch(t), make_numbers(t, 2, 3, 2), out=t.empty(0)),
    "bmm of nothing": lambda t: t.bmm(t.zeros(2, 2, 3).to_sparse(), make_numbers(t, 2, 3, 2)),
    "hspmm": lambda t: t.hspmm(make_coo(t, indices=[[3, 0, 3, 1], [1, 0, 1, 2]], size=(5, 3)), make_numbers(t, 3, 2)),
    "hspmm of nothing": lambda t: t.hspmm(t.zeros(2, 3).to_sparse(), make_numbers(t, 3, 2)),
    "hspmm out": lambda t: t.hspmm(make_coo(t), make_numbers(t, 3, 2), out=t.zeros(1).to_sparse()),
    "sspaddmm": lambda t: (
        t.ones(2, 2).to_sparse().sspaddmm(make_coo(t), make_numbers(t, 3, 2), beta=2, alpha=3).clone()
    ),
    "sspaddmm out": lambda t: t.sspaddmm(
        t.ones(2, 2).to_sparse(), make_coo(t), make_numbers(t, 3, 2), out=t.zeros(1).to_sparse()
    ).clone(),
    "linear": lambda t: t.nn.functional.linear(make_numbers(t, 4, 3), make_coo(t)),
    "linear of a batch": lambda t: t.nn.functional.linear(make_numbers(t, 1, 4, 3), make_coo(t), t.ones(2)),
    "linear of a sparse input": lambda t: t.nn.functional.linear(make_coo(t), make_numbers(t, 4, 3), t.ones(4)),
    "no columns": lambda t: t.mm(make_coo(t), t.ones(3, 0)),
    "no depth": lambda t: t.mm(t.zeros(2, 0).to_sparse(), t.ones(0, 2)),
    "no rows": lambda t: t.mm(t.zeros(0, 2).to_sparse(), t.ones(2, 2)),
    "no depth of sparse ones": lambda t: t.mm(t.zeros(2, 0).to_sparse(), t.zeros(0, 2).to_sparse()),
    "not a number": lambda t: t.mm(make_coo(t, values=[float("nan"), 0, float("inf"), 1]), t.zeros(3, 2)),
    "lazily conjugated": lambda t: t.mm(make_coo(t, "complex64") * 1j, (make_numbers(t, 3, 2) * (1 + 1j)).conj()),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_a_product_matches_torch(mt, oracle, name):
    assert_same_outcome(mt, oracle, FORMS[name])


REFUSALS = {
    "hybrid": lambda t: t.mm(make_hybrid(t), make_numbers(t, 3, 2)),
    "hybrid second": lambda t: t.mm(make_coo(t), make_hybrid(t)),
    "shapes": lambda t: t.mm(make_coo(t), make_numbers(t, 2, 2)),
    "shapes of sparse ones": lambda t: t.mm(make_coo(t), make_coo(t)),
    "a vector": lambda t: t.mm(make_coo(t), make_numbers(t, 3)),
    "a vector first": lambda t: t.mm(make_numbers(t, 2), make_coo(t)),
    "a batch": lambda t: t.mm(make_batch(t), make_numbers(t, 3, 2)),
    "a batch first": lambda t: t.mm(make_numbers(t, 1, 2, 2), make_coo(t)),
    "sparse ones that are no matrices": lambda t: t.mm(make_batch(t), make_coo(t)),
    "dtypes": lambda t: t.mm(make_coo(t), make_numbers(t, 3, 2, dtype="float64")),
    "dtypes of sparse ones": lambda t: t.mm(make_coo(t, "float64"), make_coo(t).t()),
    "addmm dtypes": lambda t: t.addmm(make_numbers(t, 2, 2, dtype="float64"), make_coo(t), make_numbers(t, 3, 2)),
    "addmm shapes": lambda t: t.addmm(make_numbers(t, 3), make_coo(t), make_numbers(t, 3, 2)),
    "addmm sparse self": lambda t: t.addmm(t.ones(2, 2).to_sparse(), make_coo(t), make_numbers(t, 3, 2)),
    "addmm sparse factors": lambda t: t.addmm(make_numbers(t, 2, 2), make_coo(t), make_coo(t).t()),
    "addmm dense @ sparse": lambda t: t.addmm(make_numbers(t, 2, 3), make_numbers(t, 2, 2), make_coo(t)),
    "addmm_ sizes": lambda t: make_numbers(t, 3, 2).addmm_(make_coo(t), make_numbers(t, 3, 2)),
    "addmm_ dimensions": lambda t: make_numbers(t, 2).addmm_(make_coo(t), make_numbers(t, 3, 2)),
    "addmm complex factor": lambda t: t.addmm(make_numbers(t, 2, 2), make_coo(t), make_numbers(t, 3, 2), alpha=1j),
    "mv size": lambda t: t.mv(make_coo(t), make_numbers(t, 2)),
    "mv dimensions": lambda t: t.mv(make_coo(t), make_numbers(t, 3, 1)),
    "mv out": lambda t: t.mv(make_coo(t), make_numbers(t, 3), out=t.empty(0)),
    "dot": lambda t: t.dot(make_numbers(t, 3).to_sparse(), make_numbers(t, 3)),
    "matmul batches": lambda t: make_batch(t) @ make_numbers(t, 2, 3, 2),
    "bmm dense @ sparse": lambda t: t.bmm(make_numbers(t, 2, 2, 2), make_batch(t)),
    "bmm batch": lambda t: t.bmm(make_batch(t), make_numbers(t, 1, 3, 2)),
    "bmm depth": lambda t: t.bmm(make_batch(t), make_numbers(t, 2, 4, 2)),
    "bmm matrices": lambda t: t.bmm(make_coo(t), make_numbers(t, 2, 4, 2)),
    "bmm hybrid": lambda t: t.bmm(make_numbers(t, 2, 2, 3).to_sparse(2), make_numbers(t, 2, 3, 2)),
    "bmm dtypes": lambda t: t.bmm(make_batch(t), make_numbers(t, 2, 3, 2, dtype="float64")),
    "sspaddmm dense mat1": lambda t: t.sspaddmm(t.ones(2, 2).to_sparse(), make_numbers(t, 2, 2), make_numbers(t, 2, 2)),
    "sspaddmm sparse mat2": lambda t: t.sspaddmm(t.ones(2, 2).to_sparse(), make_coo(t), make_coo(t).t()),
    "sspaddmm shapes": lambda t: t.sspaddmm(make_coo(t), make_coo(t), make_numbers(t, 3, 2)),
    "sspaddmm dtypes": lambda t: t.sspaddmm(t.ones(2, 2).double().to_sparse(), make_coo(t), make_numbers(t, 3, 2)),
    "hspmm dense": lambda t: t.hspmm(make_numbers(t, 2, 2), make_numbers(t, 2, 2)),
    "hspmm shapes": lambda t: t.hspmm(make_coo(t), make_numbers(t, 2, 2)),
    "smm dense": lambda t: t.smm(make_numbers(t, 2, 2), make_numbers(t, 2, 2)),
    "linear with bias": lambda t: t.nn.functional.linear(make_numbers(t, 4, 3), make_coo(t), t.ones(2)),
    "reduce": lambda t: t.ops.aten._sparse_mm(make_coo(t), make_numbers(t, 3, 2), "sum"),
    "meta": lambda t: t.mm(make_coo(t).to("meta"), make_numbers(t, 3, 2).to("meta")),
    "column outside": lambda t: t.mm(make_coo(t, indices=[[0, 1], [5, 0]], values=[1, 1]), make_numbers(t, 3, 2)),
    "row outside": lambda t: t.mm(make_coo(t, indices=[[7, 1], [0, 0]], values=[1, 1]), make_numbers(t, 3, 2)),
    "column of a batch outside": lambda t: t.bmm(
        make_coo(t, indices=[[0], [1], [7]], values=[1], size=(2, 2, 3)), make_numbers(t, 2, 3, 2)
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals_match_torch(mt, oracle, name):
    ours = outcome(REFUSALS[name], mt)[0]
    assert ours == outcome(REFUSALS[name], oracle)[0]
    assert isinstance(ours, tuple) and ours[0].endswith("Error")


SPARSE_PRODUCTS = {
    "mm": lambda t, left, right: t.mm(left, right),
    "mv": lambda t, left, right: t.mv(left, right[:, 0]),
    "hspmm": lambda t, left, right: t.hspmm(left._coalesced_(True), right),
    "sparse on the left": lambda t, left, right: t.mm(left._coalesced_(True), right.to_sparse()),
    "sparse on the right": lambda t, left, right: t.mm(right.to_sparse(), left._coalesced_(True)),
    "gradient": lambda t, left, right: t.autograd.grad(t.sparse.mm(left, right.float()).sum(), left),
}


@pytest.mark.parametrize("name", SPARSE_PRODUCTS)
@pytest.mark.parametrize("place", [-1, 9, 1 << 40])
def test_no_product_follows_an_index_outside_of_the_sizes(mt, name, place):
    for indices in ([[place, 1], [0, 0]], [[0, 1], [place, 0]]):
        left = make_coo(mt, indices=indices, values=[1, 1]).requires_grad_(name == "gradient")
        with pytest.raises((RuntimeError, IndexError)):
            SPARSE_PRODUCTS[name](mt, left, make_numbers(mt, 3, 2))


def test_product_result_may_overlap_an_operand(mt):
    both = make_numbers(mt, 3, 3)
    left = mt.ones(3, 3).to_sparse()
    expected = mt.ones(3, 3) @ both
    assert mt.equal(mt.mm(left, both, out=both), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
def test_a_row_times_a_vector_is_summed_whatever_its_length(mt, dtype):
    dense = (mt.arange(30 * 17).reshape(30, 17) * 7 % 5 - 2).to(getattr(mt, dtype))
    for row in range(17):
        dense[row, row:] = 0
    vector = (mt.arange(17) - 8).to(dense.dtype)
    expected = (dense * vector).sum(1).to(dense.dtype)
    assert mt.equal(mt.mv(dense.to_sparse(), vector), expected)
    if dtype != "int32":
        start = mt.ones(30, dtype=dense.dtype)
        assert mt.equal(dense.to_sparse_csr() @ vector, expected)
        assert mt.equal(mt.addmv(start, dense.to_sparse_csr(), vector, beta=2, alpha=3), 2 * start + 3 * expected)


@pytest.mark.parametrize("width", [1, 2, 7, 8, 16, 23, 40])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_sampled_products_of_any_width(mt, width, dtype):
    left = (mt.arange(6 * width).reshape(6, width) % 7 - 3).to(getattr(mt, dtype))
    right = (mt.arange(width * 5).reshape(width, 5) % 5 - 2).to(left.dtype)
    mask = mt.eye(6, 5, dtype=left.dtype).to_sparse_csr()
    made = mt.sparse.sampled_addmm(mask, left, right, beta=0.5)
    assert mt.equal(made.to_dense(), (left @ right + 0.5) * mask.to_dense())


def test_sampled_products_have_indices_of_their_own(mt):
    mask = mt.eye(3).to_sparse_csr()
    made = mt.sparse.sampled_addmm(mask, mt.ones(3, 2), mt.ones(2, 3))
    made.col_indices().zero_()
    assert mask.col_indices().tolist() == [0, 1, 2]
