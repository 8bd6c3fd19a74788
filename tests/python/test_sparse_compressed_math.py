"""Sums, products, slices and other operators of compressed sparse tensors match torch."""

import pytest
from compressed import differentiate, run_on_both_libraries
from outcomes import outcome

NAMES = ["csr", "csc", "bsr", "bsc", "batched_csr", "hybrid_csr", "empty_csr", "narrow_csr"]


@pytest.fixture
def assert_same_steps(mt, oracle):
    """Asserts that both libraries have the same outcome for an expression that follows statements that modify a
    tensor."""

    def compare_steps(*steps):
        def run_steps(torch, x):
            names = {
                "torch": torch,
                "aten": torch.ops.aten,
                "x": x,
                "d": x["dense"],
                "grads": lambda function, *inputs, **options: differentiate(torch, function, *inputs, **options),
                **x,
            }
            for step in steps[:-1]:
                eval(step, names)
            return eval(steps[-1], names)

        ours, theirs = run_on_both_libraries(mt, oracle, run_steps)
        assert ours == theirs, steps

    return compare_steps


UNARY = (
    "abs angle asin asinh atan atanh ceil conj_physical deg2rad erf erfinv expm1 floor frac isinf isnan isneginf "
    "isposinf log1p neg rad2deg relu round sgn sign signbit sin sinh sqrt tan tanh trunc"
).split()


@pytest.mark.parametrize("name", UNARY)
def test_operators_that_keep_zeros_are_those_of_the_values(assert_same_steps, name):
    for kind in NAMES:
        assert_same_steps(f"{kind}.{name}()")
    for dtype in ["int32", "bool", "float16", "complex64"]:
        if (name, dtype) != ("neg", "complex64"):  # zeros with another sign
            assert_same_steps(f"csr.to(torch.{dtype}).{name}()")
    if name not in ("angle", "isinf", "isnan", "isneginf", "isposinf", "signbit"):
        assert_same_steps(f"csr.{name}_()", "csr")
        assert_same_steps(f"csr.int().{name}_()")
    if name not in ("isinf", "isnan", "relu"):
        assert_same_steps(f"torch.{name}(csr, out=csr.clone())")
        if name not in ("conj_physical", "isneginf", "isposinf", "signbit"):
            assert_same_steps(f"torch.{name}(csr, out=empty_csr.clone())")


@pytest.mark.parametrize(
    "name", ["cos", "exp", "log", "sigmoid", "reciprocal", "square", "isfinite", "bitwise_not", "acos"]
)
def test_other_pointwise_operators_are_refused(assert_same_steps, name):
    for kind in NAMES:
        assert_same_steps(f"{kind}.{name}()")
    assert_same_steps(f"csr.{name}_()" if name != "isfinite" else "csr == 1")


@pytest.mark.parametrize(
    "first", ["csr", "csc", "bsr", "batched_csr", "hybrid_csr", "empty_csr", "empty_csc", "coo", "dense", "narrow_csr"]
)
@pytest.mark.parametrize(
    "second", ["csr", "csc", "bsr", "batched_csr", "hybrid_csr", "empty_csr", "coo", "dense", "narrow_csr"]
)
def test_sums_and_products_of_two(assert_same_steps, first, second):
    if {first, second} <= {"coo", "dense"}:
        return
    if "coo" in (first, second):
        return  # torch fails in its own assertions
    assert_same_steps(f"{first} * {second}")
    assert_same_steps(f"{first} - {second}")
    assert_same_steps(f"{first} == {second}")
    if not (first in ("bsr", "dense") and second in ("bsr", "dense")) and {first, second} & {"dense", first} == {
        "dense",
        first,
    }:
        assert_same_steps(f"{first}.sparse_mask({second})")
    if "bsr" in (first, second) and first != second:
        return  # depends on torch's library
    assert_same_steps(f"{first} + {second}")
    assert_same_steps(f"torch.add({first}, {second}, alpha=2)")
    assert_same_steps(f"{first}.add_({second}, alpha=3)")
    if "dense" not in (first, second):
        assert_same_steps(f"torch.add({first}, {second}, out={first}.clone())")


def test_sparse_sum_has_the_union_of_indices(assert_same_steps):
    assert_same_steps("(csr @ csr.t()).to_dense() + csr")
    assert_same_steps("csr + csr.t().to_sparse_csr()")
    assert_same_steps("torch.add(csr, csr.t().to_sparse_csr(), alpha=-2)")
    assert_same_steps("csr.double() + csr")
    assert_same_steps("csr.int() + csr.int()")


@pytest.mark.parametrize("kind", NAMES)
def test_products_with_numbers(assert_same_steps, kind):
    for number in ["2", "2.5", "True", "(1+2j)", "torch.tensor(2.)", "torch.tensor(2)"]:
        assert_same_steps(f"{kind} * {number}")
        assert_same_steps(f"{number} * {kind}")
        assert_same_steps(f"{kind}.int() * {number}")
        assert_same_steps(f"{kind}.mul_({number})", kind)
    for refused in ["+ 1", "- 1", "/ 2", "** 2", "== 1"]:
        if not (refused == "+ 1" and kind[0] == "b"):
            assert_same_steps(f"{kind} {refused}")


@pytest.mark.parametrize("kind", NAMES + ["batched_bsr", "batched_csc", "hybrid_bsr"])
def test_slices_and_transposes_match_torch(assert_same_steps, kind):
    if kind == "bsc":
        return  # torch views some columns
    for at in [
        "[0]",
        "[-1]",
        "[:, 1]",
        "[0, 1]",
        "[0:2]",
        "[None]",
        ".select(0, 0)",
        ".select(1, 0)",
        ".select(-1, 1)",
        ".select(0, 9)",
    ]:
        assert_same_steps(f"{kind}{at}")
    for at in ["0, 0", "1, 2", "-1, 1", "2, 0", "0, 9"]:
        if (kind, at) != ("csc", "0, 0"):  # torch copies the gaps too
            assert_same_steps(f"torch.select_copy({kind}, {at})")
    for dims in ["0, 1", "-1, -2", "0, 2", "1, 2", "0, 0"]:
        assert_same_steps(f"{kind}.transpose({dims})")
    for use in [
        ".t()",
        ".mT",
        ".T",
        ".permute(1, 0)",
        ".permute(0, 2, 1)",
        ".unbind()",
        ".t_()",
        ".transpose_(0, 1)",
        ".unsqueeze(0)",
    ]:
        assert_same_steps(f"{kind}{use}")
    for use in [".reshape(16)", ".contiguous()", ".expand(4, 4)", ".squeeze()", ".diagonal()"]:
        assert_same_steps(f"{kind}{use}") if kind in ("csr", "csc", "bsr", "bsc") and use != ".reshape(16)" else None


def test_a_row_shows_the_memory_of_the_matrix(assert_same_steps):
    assert_same_steps("csr[0]._values().mul_(10)", "csr")
    assert_same_steps("csr.t().values().mul_(10)", "csr")
    assert_same_steps("batched_csr[0].values().mul_(10)", "batched_csr")
    assert_same_steps("csr.values().mul_(10)", "csr")


@pytest.mark.parametrize("kind", NAMES)
def test_reductions_match_torch(assert_same_steps, kind):
    for arguments in [
        "",
        "0",
        "1",
        "(0, 1)",
        "1, keepdim=True",
        "0, keepdim=True",
        "(0, 1), keepdim=True",
        "2",
        "dtype=torch.float64",
    ]:
        if kind in ("hybrid_csr", "batched_csr") and "keepdim" in arguments:
            continue  # an assertion within torch fails
        if kind == "empty_csr" and arguments == "(0, 1), keepdim=True":
            continue  # torch returns an uninitialised value
        assert_same_steps(f"{kind}.sum({arguments})")
        assert_same_steps(f"{kind}.int().sum({arguments})")
    if kind not in ("hybrid_csr", "batched_csr", "csc", "bsr", "bsc"):
        for name in ["_sparse_csr_sum", "_sparse_csr_prod"]:
            for arguments in [
                "0, True",
                "1, True",
                "(0, 1), True",
                "-1, True",
                "2, True",
                "0",
                "1, True, dtype=torch.float64",
            ]:
                if (kind, arguments) != ("empty_csr", "(0, 1), True"):
                    assert_same_steps(f"torch.{name}({kind}, {arguments})")


@pytest.mark.parametrize("kind", NAMES)
def test_like_functions_match_torch(assert_same_steps, kind):
    for make in ["zeros_like", "ones_like"]:
        for options in ["", ", dtype=torch.int32", ", layout=torch.strided", ", layout=torch.sparse_csc"]:
            assert_same_steps(f"torch.{make}({kind}{options})")
    assert_same_steps(f"torch.full_like({kind}, 2)")
    assert_same_steps(
        f"torch.empty_like({kind}).values().shape, torch.empty_like({kind}, dtype=torch.float64).dtype, torch.empty_like({kind})._nnz()"  # noqa: E501
    )
    assert_same_steps(f"{kind}.new_zeros((4, 4)) if {kind}.layout == torch.sparse_csr else 0")
    assert_same_steps("torch.manual_seed(1)", f"{kind}.normal_()")
    assert_same_steps("torch.manual_seed(1)", f"torch.randn_like({kind})")
    assert_same_steps(f"{kind}.fill_(3)", kind)
    assert_same_steps(f"{kind}.zero_()", kind)
    assert_same_steps(f"torch.fill({kind}, 3)")


def test_new_tensors_of_a_layout(assert_same_steps):
    for size in ["3, 4", "2, 3, 4", "3", "()", "0, 4", "-1, 4"]:
        for layout in ["csr", "csc", "bsr"]:
            assert_same_steps(f"torch.zeros({size}, layout=torch.sparse_{layout})")


def test_copies_and_sizes_in_place(assert_same_steps):
    for kind in NAMES:
        for other in ["csr", "empty_csr", "csc", "dense", "coo", kind]:
            assert_same_steps(f"{kind}.copy_({other})", kind) if not (
                kind in ("hybrid_csr",) and other == "csr"
            ) else None
        assert_same_steps(f"d.copy_({kind})")
        assert_same_steps(f"{kind}.resize_as_sparse_(csc)")
    for size in ["4, 4", "5, 5", "2, 2", "8"]:
        assert_same_steps(f"csr.resize_({size})", "csr")
    assert_same_steps("csr.resize_as_sparse_(csr)")
    assert_same_steps("csr.copy_(csr * 2)", "csr")
    assert_same_steps("csr.double().copy_(csr)")


FACTORS = ["csr", "csc", "bsr", "bsc", "coo", "dense", "empty_csr", "narrow_csr", "batched_csr"]


@pytest.mark.parametrize("first", FACTORS)
@pytest.mark.parametrize("second", FACTORS)
def test_matrix_products_match_torch(assert_same_steps, first, second):
    if {first, second} <= {"coo", "dense"}:
        return
    if "batched_csr" not in (first, second):
        assert_same_steps(f"{first} @ {second}")
        if (first, second) != ("csc", "csc"):  # torch returns components that do not match
            assert_same_steps(f"aten._sparse_mm({first}, {second})")
    assert_same_steps(f"torch.addmm(d, {first}, {second}, beta=2, alpha=3)")
    assert_same_steps(f"torch.addmm(csr, {first}, {second}, beta=2, alpha=3)")
    assert_same_steps(f"torch.addmm(csc, {first}, {second})")
    assert_same_steps(f"torch.mm({first}, {second}, out=torch.zeros(4, 4))")
    assert_same_steps(f"torch.mm({first}, {second}, out=torch.empty(0))")


def test_products_of_other_shapes_and_dtypes(assert_same_steps):
    for dtype in ["float16", "bfloat16", "int32", "bool", "float64", "complex64"]:
        for kind in ["csr", "csc", "bsr"]:
            assert_same_steps(f"{kind}.to(torch.{dtype}) @ d.to(torch.{dtype})")
            assert_same_steps(f"d.to(torch.{dtype}) @ {kind}.to(torch.{dtype})")
        assert_same_steps(f"csr.to(torch.{dtype}) @ csr.to(torch.{dtype})")
        assert_same_steps(f"csr.to(torch.{dtype}) @ d")
        assert_same_steps(f"csr.to(torch.{dtype}) @ d[0].to(torch.{dtype})")
    for other in [
        "torch.ones(5, 3)",
        "torch.ones(4, 0)",
        "torch.arange(5.)",
        "d.t()",
        "d[:, ::2]",
        "torch.arange(12.).reshape(4, 3)",
    ]:
        assert_same_steps(f"csr @ {other}")
    assert_same_steps("torch.zeros(0, 4).to_sparse_csr() @ d")
    assert_same_steps("torch.zeros(4, 0).to_sparse_csr() @ torch.zeros(0, 3)")
    for addend in [
        "torch.ones(3, 3)",
        "torch.ones(4)",
        "torch.ones(())",
        "torch.ones(4, 1)",
        "d * float('nan')",
        "d.double()",
    ]:
        assert_same_steps(f"torch.addmm({addend}, csr, d, beta=0, alpha=3)")
        assert_same_steps(f"torch.addmm({addend}, csr, d, beta=2.5)")
    for use in [
        "csr @ v",
        "csc @ v",
        "bsr @ v",
        "bsc @ v",
        "v @ csr",
        "torch.mv(csr, v)",
        "torch.addmv(v, csr, v, beta=2, alpha=3)",
    ]:
        assert_same_steps(
            use.replace("v,", "torch.arange(4.),")
            .replace(" v", " torch.arange(4.)")
            .replace("v @", "torch.arange(4.) @")
        )
    for use in ["d, csr", "d, csr, d[0]", "d[0], csr", "csr, d", "batched_coo.to_dense(), csr", "d, bsr"]:
        assert_same_steps(f"torch.nn.functional.linear({use})")


def test_gradients_of_products_match_torch(assert_same_steps):
    for kind in ["csr", "csc", "bsr"]:
        for function in [
            "a @ b",
            "b @ a",
            "torch.addmm(b, a, b)",
            "aten._sparse_mm(a, b)",
            "torch.nn.functional.linear(b, a)",
        ]:
            if function == "aten._sparse_mm(a, b)" and kind != "csr":
                continue
            assert_same_steps(f"grads(lambda a, b: {function}, {kind}, d)")
    assert_same_steps("grads(lambda a: a @ csr, csr)")
    assert_same_steps("grads(lambda a: csr @ a, csr)")
    assert_same_steps("grads(lambda a, b: a @ b, csr, torch.arange(4.))")
    assert_same_steps("grads(lambda a, b: torch.addmv(b, a, b), csr, torch.arange(4.))")
    assert_same_steps("grads(lambda a, b: aten._sparse_addmm(d, a, b), csr, d)")


@pytest.mark.parametrize("way", ["sum", "mean", "amax", "amin", "prod", "other"])
def test_products_with_a_reduction(assert_same_steps, way):
    assert_same_steps(f"aten._sparse_mm.reduce(csr, d, '{way}')")
    assert_same_steps(f"aten._sparse_mm.reduce(narrow_csr, d, '{way}')")
    assert_same_steps(f"aten._sparse_mm.reduce(empty_csr, d, '{way}')")
    assert_same_steps(f"aten._sparse_mm.reduce(csr.half(), d.half(), '{way}')")
    assert_same_steps(f"aten._sparse_mm.reduce(csr * -1, d, '{way}')")
    assert_same_steps(f"aten._sparse_mm_reduce_impl(csr.requires_grad_(), d, '{way}')")
    assert_same_steps(f"grads(lambda a, b: aten._sparse_mm.reduce(a, b, '{way}'), csr, d)")
    for operands in [
        "csr.int(), d.int()",
        "csr, d.double()",
        "csr, torch.ones(5, 3)",
        "csr, d[0]",
        "csr, csr",
        "csc, d",
        "hybrid_csr, d",
    ]:
        assert_same_steps(f"aten._sparse_mm.reduce({operands}, '{way}')")


@pytest.mark.parametrize("way", ["amax", "amin"])
@pytest.mark.parametrize("width", [1, 3, 8, 21, 40, 75])
def test_extremes_of_products_of_any_width_and_where_they_come_from(mt, way, width):
    for dtype in (mt.float32, mt.float64):
        dense = (mt.arange(9 * 12).reshape(9, 12) * 7 % 5 - 2).to(dtype)
        dense[4] = 0
        right = (mt.arange(12.0 * width).reshape(12, width) * 11 % 23 - 9).to(dtype)
        right[3, 0] = float("nan")
        products = dense[:, :, None] * right
        absent = float("-inf" if way == "amax" else "inf")
        present = mt.where(dense[:, :, None] != 0, products, mt.full_like(products, absent))
        expected = getattr(present, way)(1)
        expected[4] = 0
        left = dense.to_sparse_csr()
        assert mt.equal(mt.sparse.mm(left, right, way).nan_to_num(99), expected.nan_to_num(99))
        made, at = mt.ops.aten._sparse_mm_reduce_impl(left.detach().requires_grad_(), right, way)
        assert mt.equal(made.nan_to_num(99), expected.nan_to_num(99))
        assert (at[4] == left._nnz()).all()
        rows = mt.arange(9)[:, None].expand(9, width)
        chosen = products[rows, left.col_indices()[at.clamp(max=left._nnz() - 1)], mt.arange(width).expand(9, width)]
        chosen[4] = 0
        assert mt.equal(chosen.nan_to_num(99), expected.nan_to_num(99))


def test_sampled_products_match_torch(assert_same_steps):
    for options in ["", ", beta=0.5, alpha=2", ", beta=0"]:
        for kind in ["csr", "empty_csr", "narrow_csr"]:
            assert_same_steps(f"aten.sparse_sampled_addmm({kind}, d, d{options})")
        assert_same_steps(f"grads(lambda a, b, c: aten.sparse_sampled_addmm(a, b, c{options}), csr, d, d)")
    assert_same_steps("aten.sparse_sampled_addmm(batched_csr, torch.stack([d, d]), torch.stack([d, d * 2]))")
    assert_same_steps("aten.sparse_sampled_addmm(csr, torch.stack([d, d]), torch.stack([d, d * 2]))")
    for operands in [
        "csc, d, d",
        "bsr, d, d",
        "csr, csr, d",
        "csr, d, csr",
        "csr.double(), d, d",
        "csr, d, d.double()",
        "csr, d[0], d",
    ]:
        assert_same_steps(f"aten.sparse_sampled_addmm({operands})")
    for operands in [
        "torch.ones(4, 2), torch.ones(3, 4)",
        "torch.ones(3, 2), torch.ones(2, 4)",
        "torch.ones(4, 2), torch.ones(2, 5)",
    ]:
        assert_same_steps(f"aten.sparse_sampled_addmm(csr, {operands})")


def test_triangular_solves_match_torch(assert_same_steps):
    for options in ["", ", upper=False", ", upper=False, transpose=True", ", unitriangular=True"]:
        assert_same_steps(f"torch.triangular_solve(d, (torch.eye(4) + torch.ones(4, 4)).to_sparse_csr(){options})")
    wrong = ["d, csr", "d, empty_csr", "d, bsr", "d[0], csr", "d.double(), csr", "d.half(), csr.half()", "d, csc"]
    for operands in wrong:
        assert_same_steps(f"torch.triangular_solve({operands})")


def test_matrices_of_diagonals_match_torch(assert_same_steps):
    diagonals = "torch.arange(1., 13).reshape(3, 4)"
    for layout in [
        "None",
        "torch.sparse_coo",
        "torch.sparse_csr",
        "torch.sparse_csc",
        "torch.sparse_bsr",
        "torch.strided",
    ]:
        assert_same_steps(f"aten._spdiags({diagonals}, torch.tensor([0, 1, -1]), (4, 4), {layout})")
    for offsets in ["[0, 1, 1]", "[0, 1]", "[0., 1, 2]", "[[0, 1, 2]]"]:
        assert_same_steps(f"aten._spdiags({diagonals}, torch.tensor({offsets}), (4, 4))")
    assert_same_steps("aten._spdiags(torch.arange(1., 5), torch.tensor(1), (6, 6))")
    assert_same_steps("aten._spdiags(torch.arange(1., 5), torch.tensor([1]), (6,))")
    assert_same_steps("aten._spdiags(torch.ones(2, 2, 2), torch.tensor([1, 2]), (6, 6))")


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr"])
def test_gradients_of_operators_match_torch(assert_same_steps, kind):
    for function in [
        "a.sum()",
        "a * 3",
        "-a",
        "a.abs()",
        "a.relu()",
        "a.sin()",
        "a.t()",
        "a.to(torch.float64)",
        "a.values()",
        "a + a",
    ]:
        assert_same_steps(f"grads(lambda a: {function}, {kind})")
    assert_same_steps(f"grads(lambda a: a.transpose(0, 1).to_dense(), {kind})")
    if kind != "bsr":
        assert_same_steps(f"grads(lambda a, b: a + b, {kind}, {kind})")
    if kind == "csr":
        assert_same_steps("grads(lambda a, b: a * b, csr, csr)")
        assert_same_steps("grads(lambda a: a[0], csr, like_result=False)")


@pytest.mark.parametrize("reduce", ["sum", "mean", "amax", "amin", "max", "min", "prod", "median"])
@pytest.mark.filterwarnings("ignore")
def test_products_by_every_reduction_match_torch(mt, oracle, reduce):
    def multiply_with_reduction(torch):
        sparse = torch.tensor([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [3.0, -4.0, 0.0]]).to_sparse_csr().requires_grad_()
        dense = torch.arange(6.0).reshape(3, 2).sub(2).requires_grad_()
        made = torch.sparse.mm(sparse, dense, reduce)
        made.sum().backward()
        return made.detach(), sparse.grad, dense.grad

    assert outcome(multiply_with_reduction, mt)[0] == outcome(multiply_with_reduction, oracle)[0]


# Selecting a row or column of a block layout: real torch returns a view if constant strides reach all of its elements,
# else raises.
@pytest.mark.parametrize("layout", ["to_sparse_bsr", "to_sparse_bsc"])
@pytest.mark.parametrize("block", [(1, 2), (2, 1), (2, 2), (2, 3), (4, 6)])
@pytest.mark.parametrize("full", [False, True])
def test_a_line_through_blocks_is_a_view_or_refused(mt, oracle, layout, block, full):
    def select_lines(torch):
        dense = torch.arange(1.0, 25).view(4, 6)
        if not full:
            dense *= torch.tensor([[1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 1], [0, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 0]])
        found = []
        for dim, index in [(0, i) for i in range(4)] + [(1, i) for i in range(-1, 6)]:
            blocks = getattr(dense, layout)(block)
            try:
                line = blocks.select(dim, index)
            except RuntimeError as error:
                found.append(str(error))
                continue
            parts = line._indices().tolist(), line._values().tolist(), tuple(line.shape), line.is_coalesced()
            line._values().fill_(77)
            found.append((*parts, int((blocks.values() == 77).sum())))
        return found

    assert select_lines(mt) == select_lines(oracle)
