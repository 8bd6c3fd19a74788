"""torch.testing.assert_close, gradcheck and torch.masked of sparse tensors match torch."""

import pytest
from beside import outcome


def describe_expression(torch, expression, **names):
    d = torch.ones(2, 2)
    x = torch.tensor([[1.0, 2, 0], [0, 3, 4]])
    m = torch.tensor([[True, False, True], [False, True, True]])
    values = {
        "AC": torch.testing.assert_close,
        "M": torch.masked,
        "MT": torch.masked.masked_tensor,
        "G": torch.autograd.gradcheck,
        "S": torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck),
        "d": d,
        "c": d.to_sparse_csr(),
        "s": torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], (3, 2)),
        "t": torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 3.0], (3, 2)),
        "u": torch.sparse_coo_tensor([[0, 1, 1], [1, 0, 0]], [1.0, 1.0, 1.0], (3, 2)),
        "x": x,
        "m": m,
        "xs": x.to_sparse(),
        "ms": m.to_sparse(),
        "xc": x.to_sparse_csr(),
        "mc": m.to_sparse_csr(),
        "h": torch.arange(12.0).reshape(2, 3, 2).to_sparse(2),
        "z": torch.sparse_coo_tensor((2, 3)),
        "variable": lambda tensor: tensor.double().requires_grad_(),
        **names,
    }
    return outcome(torch, expression, values)[0]


@pytest.fixture
def assert_same_outcome(mt, oracle):
    def compare_expression(expression):
        assert describe_expression(mt, expression) == describe_expression(oracle, expression)

    return compare_expression


@pytest.mark.parametrize(
    "arguments",
    [
        "s, s",
        "s, s.coalesce()",
        "u, s",
        "u, s.coalesce()",
        "u.coalesce(), s",
        "s, s.double()",
        "s, s.double(), check_dtype=False",
        "s, t",
        "s, t, rtol=0, atol=2",
        "s, torch.sparse_coo_tensor([[0, 1], [1, 1]], [1., 2.], (3, 2))",
        "s, torch.sparse_coo_tensor([[0, 1]], [[1., 2.], [1, 2]], (3, 2))",
        "s, torch.sparse_coo_tensor([[0], [1]], [1.], (3, 2))",
        "s, torch.sparse_coo_tensor([[0], [1]], [1.], (3, 3))",
        "s, torch.sparse_coo_tensor([[0, 1], [1, 0]], [1., float('nan')], (3, 2))",
        "s, s.to_dense()",
        "s, s.to_dense(), check_layout=False",
        "s, s.to_dense() + 1, check_layout=False",
        "s, s.to_sparse_csr(), check_layout=False",
        "s, s, check_stride=True",
        "c, c, check_stride=True",
        "c, torch.sparse_csr_tensor([0, 2, 4], [0, 1, 0, 1], [1., 1, 1, 2])",
        "c, torch.sparse_csr_tensor([0, 1, 4], [0, 0, 1, 1], [1., 1, 1, 2])",
        "c, torch.sparse_csr_tensor([0, 2, 3], [0, 1, 0], [1., 1, 1], (2, 2))",
        "c, torch.sparse_csr_tensor([0, 2, 4], [0, 1, 1, 0], [1., 1, 1, 1], (2, 2))",
        "c, torch.sparse_csr_tensor(c.crow_indices().int(), c.col_indices().int(), [1.] * 4)",
        "c, c.to_sparse_csc()",
        "c, c.to_sparse_csc(), check_layout=False",
        "d.to_sparse_csc(), torch.eye(2).to_sparse_csc()",
        "d.to_sparse_csc(), (d * 3).to_sparse_csc()",
        "d.to_sparse_bsr((1, 1)), (d * 3).to_sparse_bsr((1, 1))",
        "d.to_sparse_bsr((1, 1)), d.to_sparse_bsr((2, 2))",
        "d.to_sparse_bsc((1, 1)), (d * 3).to_sparse_bsc((1, 1))",
        "[s, c], [s, c.to_dense()]",
        "{'a': s}, {'a': t}",
        "s.int(), s.int() + s.int()",
        "s.bool(), torch.sparse_coo_tensor([[0, 1], [1, 0]], [True, False], (3, 2))",
        "s.to(torch.cfloat), torch.sparse_coo_tensor([[0, 1], [1, 0]], [1j, 2], (3, 2))",
        "torch.sparse_coo_tensor((2,), device='meta'), torch.sparse_coo_tensor((2,), device='meta')",
        "torch.sparse_coo_tensor((2,)), torch.sparse_coo_tensor((2,)).to('meta')",
    ],
)
def test_assert_close_compares_layouts_indices_and_values(assert_same_outcome, arguments):
    assert_same_outcome(f"AC({arguments})")


@pytest.mark.parametrize("masked", [True, False, None])
@pytest.mark.parametrize(
    "function",
    [
        "x * 2",
        "(x * 2).to_dense()",
        "(x * 2).to_dense(masked_grad=False)",
        "(x * 2).to_dense(masked_grad=True)",
        "(x * 2).sum()",
    ],
)
def test_gradcheck_perturbs_all_or_only_stored_elements(assert_same_outcome, function, masked):
    assert_same_outcome(f"G(lambda x: {function}, variable(s), masked={masked})")
    assert_same_outcome(
        f"G(lambda x: {function}, variable(s), masked={masked}, fast_mode=True)" if "sum" not in function else "1"
    )


@pytest.mark.parametrize(
    "check",
    [
        "G(lambda x: (x * 2).to_dense(), variable(c), masked=True)",
        "G(lambda x: (x * 2).to_dense(), variable(c), masked=False)",
        "G(lambda x, y: torch.sparse.mm(x, y), (variable(s), variable(d)), masked=True)",
        "G(lambda x, y: torch.sparse.mm(x, y), (variable(s), variable(d)), masked=False)",
        "G(lambda x: x.to_sparse(), variable(d))",
        "G(lambda x: x.to_sparse().to_dense(), variable(d))",
        "torch.autograd.gradgradcheck(lambda x: (x * x).to_dense(), variable(s), masked=True)",
        "S(torch.sparse.sum, variable(s))",
        "S(lambda x: x * 2, variable(s), masked=False)",
        "S(lambda x: x * 2, variable(s), masked=True)",
        "S(lambda x, y: torch.sparse.mm(x, y), (variable(s), variable(d)), masked=True)",
        "S(lambda x: x.to_dense(), variable(c))",
        "S(lambda x: x.clone(), variable(torch.ones(4, 4).to_sparse_bsr((2, 2))))",
        "S(lambda x: x + 1, variable(d))",
    ],
)
def test_gradcheck_of_functions_of_sparse_tensors(assert_same_outcome, check):
    assert_same_outcome(check)


@pytest.mark.parametrize("name", ["sum", "prod", "amax", "amin"])
@pytest.mark.parametrize("dim", ["None", "0", "1", "(0, 1)", "()"])
@pytest.mark.parametrize("keepdim", [False, True])
def test_masked_reductions_use_the_masks_stored_elements(assert_same_outcome, name, dim, keepdim):
    for mask in ("ms", "mc", "m", "torch.tensor([True, False, True])"):
        assert_same_outcome(f"M.{name}(xs, {dim}, keepdim={keepdim}, mask={mask})")
        assert_same_outcome(f"M.{name}(xc, {dim}, keepdim={keepdim}, mask={mask})")
    assert_same_outcome(f"M.{name}(xs, {dim}, keepdim={keepdim})")
    assert_same_outcome(f"M.{name}(xc, {dim}, keepdim={keepdim})")


@pytest.mark.parametrize(
    "expression",
    [
        *(
            f"M.sum(h, {dim}, keepdim={keep})"
            for dim in ("None", "0", "2", "(0, 1)", "(1, 2)")
            for keep in (True, False)
        ),
        "M.sum(z, 0)",
        "M.sum(z)",
        "M.sum(z, 0, mask=ms)",
        "M.amax(xs, mask=torch.sparse_coo_tensor((2, 3), dtype=torch.bool))",
        "M.sum(xs, 0, mask=ms).is_coalesced(), M.sum(xs, mask=ms).is_coalesced()",
        "M.sum(xs.int(), 0, mask=ms)",
        "M.sum(xs.bool(), 0, mask=ms)",
        "M.amax(xs.int(), 0, mask=ms)",
        "M.amax(xs.bool(), 0, mask=ms)",
        "M.prod(xs.half(), 0, mask=ms)",
        "M.sum(xs.to(torch.cfloat), 0, mask=ms)",
        "M.sum(xs, 1, dtype=torch.float64, mask=ms)",
        *(f"M.mean(xc, {dim}, keepdim=True, mask=mc)" for dim in ("None", "0", "1")),
        "M.mean(xc, 0, keepdim=True, mask=mc, dtype=torch.float64)",
        "M.mean(xc, 0, mask=mc)",
        "M.mean(xc, 0)",
        "M.mean(xs, 0, mask=ms)",
        *(
            f"M.{name}(x, 1, mask={mask})"
            for name in ("sum", "amax", "mean", "softmax", "var", "argmin")
            for mask in ("ms", "mc")
        ),
        *(
            f"M.{name}({x}, 1, mask=ms)"
            for name in ("median", "argmax", "softmax", "var", "cumsum", "logsumexp")
            for x in ("xs", "xc")
        ),
        "M.sum(d.to_sparse_csc(), 0)",
        "M._input_mask(xs, mask=mc)",
        "M._input_mask(xc, mask=ms)",
        "M._input_mask(x, mask=mc)",
        "M._input_mask(xs)",
        "M._input_mask(xs, mask=torch.ones(1, 2, 3))",
        "M._output_mask(M.sum, x, 1, mask=ms)",
        "M._ops._where(ms, xs, torch.tensor(5.))",
        "M._ops._where(mc, xc, torch.tensor(5.))",
        "M._ops._where(ms, x, torch.tensor(5.))",
        "M._ops._where(torch.sparse_coo_tensor([[0, 0], [1, 0]], [True, False], (2, 3)), xs, torch.tensor(5.))",
        "M._ops._where(torch.sparse_coo_tensor([[0], [1]], [False], (2, 3)).coalesce(), xs, torch.tensor(5.))",
    ],
)
def test_masked_operations_of_other_shapes_and_dtypes(assert_same_outcome, expression):
    assert_same_outcome(expression)
