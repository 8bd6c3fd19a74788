"""Linear algebra beyond torch's operator database: errors, strides, singular and extreme input, nodes, lobpcg."""

import math
import warnings

import pytest
from outcomes import close, outcome, plain

UNARY = [
    "inv", "inv_ex", "det", "slogdet", "lu", "lu_factor", "lu_factor_ex", "qr", "svd", "svdvals", "eigh", "eigvalsh",
    "eig", "matrix_exp", "pinv", "cond", "matrix_rank", "cholesky", "cholesky_ex", "vander", "norm", "matrix_norm",
]  # fmt: skip
REFUSED = {
    "a vector": lambda torch: torch.ones(3),
    "a wide matrix": lambda torch: torch.arange(6.0).view(2, 3),
    "integers": lambda torch: torch.ones(3, 3, dtype=torch.int64),
    "half": lambda torch: torch.eye(3, dtype=torch.float16),
    "no rows": lambda torch: torch.ones(0, 3),
    "no matrices": lambda torch: torch.ones(0, 3, 3),
    "zero order": lambda torch: torch.ones(2, 0, 0),
}
SINGULAR = {
    "a matrix": lambda torch: torch.zeros(3, 3),
    "the second of a batch": lambda torch: torch.stack([torch.eye(3), torch.zeros(3, 3)]),
}
CALLS = {
    "solve of two batches": lambda t: t.linalg.solve(t.eye(3).expand(2, 3, 3), t.ones(4, 3, 2)),
    "solve of a short vector": lambda t: t.linalg.solve(t.eye(3), t.ones(2)),
    "solve of two dtypes": lambda t: t.linalg.solve(t.eye(3), t.ones(3, 2, dtype=t.float64)),
    "solve of vectors in a batch": lambda t: t.linalg.solve(t.eye(3).expand(2, 3, 3), t.ones(2, 3)),
    "solve from the right": lambda t: t.linalg.solve(t.eye(3), t.arange(6.0).view(2, 3), left=False),
    "solve of a vector from the right": lambda t: t.linalg.solve(t.eye(1), t.ones(1), left=False),
    "solve_ex of a singular matrix": lambda t: t.linalg.solve_ex(t.zeros(3, 3), t.ones(3, 1), check_errors=True),
    "lu_solve by a pivot of 0": lambda t: t.linalg.lu_solve(t.eye(3), t.zeros(3, dtype=t.int32), t.ones(3, 2)),
    "lu_solve by a pivot beyond": lambda t: t.linalg.lu_solve(t.eye(3), t.full((3,), 9, dtype=t.int32), t.ones(3, 2)),
    "lu_solve by int64 pivots": lambda t: t.linalg.lu_solve(t.eye(3), t.ones(3, dtype=t.int64), t.ones(3, 2)),
    "lu_unpack by a pivot beyond": lambda t: t.lu_unpack(t.eye(3), t.full((3,), 9, dtype=t.int32)),
    "lu without pivots": lambda t: t.linalg.lu(t.eye(3), pivot=False),
    "qr of an unknown mode": lambda t: t.linalg.qr(t.eye(3), mode="x"),
    "eigh of an unknown triangle": lambda t: t.linalg.eigh(t.eye(3), "X"),
    "svd by a driver": lambda t: t.linalg.svd(t.eye(3), driver="gesvd"),
    "eig of infinity": lambda t: t.linalg.eig(t.full((2, 2), math.inf)),
    "svd of NaN": lambda t: t.linalg.svd(t.full((2, 2), math.nan)),
    "cholesky of NaN": lambda t: t.linalg.cholesky(t.full((2, 2), math.nan)),
    "lstsq of an unknown driver": lambda t: t.linalg.lstsq(t.eye(3), t.eye(3), driver="x"),
    "lstsq by gels of a low rank": lambda t: t.linalg.lstsq(
        t.eye(3)[:, [0, 0]] * t.tensor([1.0, 0]), t.ones(3, 1), driver="gels"
    ),
    "norm of an unknown order": lambda t: t.linalg.norm(t.eye(3), "x"),
    "matrix_norm of order 3": lambda t: t.linalg.matrix_norm(t.eye(3), 3),
    "matrix_norm over one dimension twice": lambda t: t.linalg.matrix_norm(t.eye(3), dim=(0, -2)),
    "matrix_norm over three dimensions": lambda t: t.linalg.matrix_norm(t.eye(3), dim=(0, 1, 2)),
    "smallest norm of nothing": lambda t: t.linalg.vector_norm(t.ones(0), -1),
    "largest norm of nothing": lambda t: t.linalg.vector_norm(t.ones(0, 3), math.inf, dim=0),
    "norm in a narrower dtype": lambda t: t.linalg.vector_norm(t.ones(3), dtype=t.float16),
    "cond of an unknown order": lambda t: t.linalg.cond(t.eye(3), 3),
    "cond of a singular matrix": lambda t: [t.linalg.cond(t.zeros(3, 3), p) for p in (None, 1, "fro", "nuc", -2)],
    "rank by a complex tolerance": lambda t: t.linalg.matrix_rank(t.eye(3), atol=t.tensor(1j)),
    "pinv by tolerances per matrix": lambda t: t.linalg.pinv(t.eye(3).expand(2, 3, 3), rtol=t.ones(2, 1) / 2),
    "multi_dot of one": lambda t: t.linalg.multi_dot([t.eye(3)]),
    "multi_dot of lengths that differ": lambda t: t.linalg.multi_dot([t.ones(3, 4), t.ones(3, 4), t.ones(4, 4)]),
    "multi_dot of vectors": lambda t: t.linalg.multi_dot([t.arange(3.0), t.eye(3), t.arange(3.0)]),
    "matrix_power of a singular matrix": lambda t: t.linalg.matrix_power(t.zeros(3, 3), -1),
    "matrix_power of integers": lambda t: t.linalg.matrix_power(t.ones(3, 3, dtype=t.int64), 5),
    "tensorinv of a singular one": lambda t: t.linalg.tensorinv(t.zeros(4, 2, 2), ind=1),
    "tensorsolve of sizes that differ": lambda t: t.linalg.tensorsolve(t.ones(2, 3, 4), t.ones(2, 3)),
    "cross of two elements": lambda t: t.linalg.cross(t.ones(2, 2), t.ones(2, 2)),
    "cross without a dimension of three": lambda t: t.cross(t.ones(4, 4), t.ones(4, 4), None),
    "householder_product of a wide matrix": lambda t: t.linalg.householder_product(t.ones(2, 3), t.ones(2)),
    "ormqr of too many factors": lambda t: t.ormqr(t.ones(3, 2), t.ones(3), t.ones(3, 3)),
    "inner of lengths that differ": lambda t: t.inner(t.ones(2, 3), t.ones(2, 2)),
    "addr of integers by a fraction": lambda t: t.addr(
        t.ones(2, 2, dtype=t.int64), t.ones(2, dtype=t.int64), t.ones(2, dtype=t.int64), alpha=0.5
    ),
    "trace of bool": lambda t: t.trace(t.ones(2, 2, dtype=t.bool)),
    "vander of no powers": lambda t: t.linalg.vander(t.ones(3), N=1),
    "matrix_exp of large numbers": lambda t: t.linalg.matrix_exp(t.eye(2) * 1000),
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("name", UNARY)
def test_shape_and_dtype_checks_match_torch(name, what, mt, oracle):
    def list_forms(torch):
        """Sizes, strides and dtypes only: LAPACK libraries choose different signs of singular vectors."""
        result = getattr(torch.linalg, name)(REFUSED[what](torch))
        parts = [result] if isinstance(result, torch.Tensor) else result
        return [(tuple(part.shape), part.stride(), str(part.dtype)) for part in parts]

    assert outcome(list_forms, mt)[0] == outcome(list_forms, oracle)[0]


@pytest.mark.parametrize("what", SINGULAR)
@pytest.mark.parametrize("name", ["inv", "inv_ex", "solve", "lu_factor", "cholesky", "cholesky_ex", "det", "slogdet"])
def test_singular_matrices_are_reported_by_their_place(name, what, mt, oracle):
    def factor_singular(torch):
        a = SINGULAR[what](torch)
        return getattr(torch.linalg, name)(*([a, torch.ones(3, 1)] if name == "solve" else [a]))

    ours, theirs = outcome(factor_singular, mt)[0], outcome(factor_singular, oracle)[0]
    if name.endswith("_ex"):  # values of a failed factorisation depend on the LAPACK library
        ours, theirs = ours[1], theirs[1]
    assert ours == theirs


@pytest.mark.parametrize("what", CALLS)
def test_linear_algebra_calls_end_as_in_torch(what, mt, oracle):
    assert outcome(CALLS[what], mt)[0] == outcome(CALLS[what], oracle)[0]


@pytest.mark.parametrize("order", [1, 3, 8, 24, 25, 60])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_small_loops_and_lapack_agree_with_the_definition(order, dtype, mt):
    torch = mt
    torch.manual_seed(order)
    a = torch.randn(3, order, order, dtype=getattr(torch, dtype)) + order**0.5 * torch.eye(order)
    identity = torch.eye(order, dtype=a.dtype).expand_as(a)
    assert torch.allclose(torch.linalg.inv(a) @ a, identity)
    P, L, U = torch.linalg.lu(a)
    assert torch.allclose(P @ L @ U, a)
    b = torch.randn(3, order, 2, dtype=a.dtype)
    factors = torch.linalg.lu_factor(a)
    for left in (True, False):
        for adjoint in (True, False):
            x = torch.linalg.lu_solve(*factors, b if left else b.mT, left=left, adjoint=adjoint)
            m = a.mH if adjoint else a
            assert torch.allclose(m @ x if left else x @ m, b if left else b.mT)
    sign, logarithm = torch.linalg.slogdet(a)
    assert torch.allclose(sign * logarithm.exp(), torch.linalg.det(a))


def test_derivatives_of_singular_determinants_are_cofactors_where_derived_again(mt):
    # The cofactor matrix of [[1, 2], [2, 4]], by hand.
    a = mt.tensor([[1.0, 2], [2, 4]], requires_grad=True)
    (gradient,) = mt.autograd.grad(mt.linalg.det(a), a, create_graph=True)
    assert mt.allclose(gradient, mt.tensor([[4.0, -2], [-2, 1]]), atol=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda t, a: t.linalg.solve(a, a),
        lambda t, a: t.linalg.svdvals(a),
        lambda t, a: t.linalg.eigvalsh(a),
        lambda t, a: t.linalg.eigvals(a),
        lambda t, a: t.linalg.cond(a, "nuc"),
        lambda t, a: t.linalg.matrix_power(a, 3),
        lambda t, a: t.linalg.multi_dot([a, a, a]),
        lambda t, a: t.kron(a, a),
        lambda t, a: t.dist(a, 2 * a),
        lambda t, a: t.trace(a),
    ],
)
def test_nodes_have_torchs_names(call, mt, oracle):
    def list_node_chain(torch):
        node = call(torch, torch.tensor([[2.0, 1], [0, 3]], requires_grad=True)).grad_fn
        names = []
        while node is not None:
            names.append(node.name())
            node = node.next_functions[0][0] if node.next_functions else None
        return names

    assert list_node_chain(mt) == list_node_chain(oracle)


def test_phases_of_complex_vectors_have_no_derivative(mt, oracle):
    def differentiate_svd(torch):
        a = torch.tensor([[2, 1j], [1, 3]], requires_grad=True)
        torch.linalg.svd(a)[0].real.sum().backward()

    assert outcome(differentiate_svd, mt)[0] == outcome(differentiate_svd, oracle)[0]


def test_exponential_is_exact_for_large_norms(mt):
    # Expected value in closed form: exp([[0, x], [-x, 0]]) is the rotation by x.
    for x in (1e-3, 0.3, 3.0, 40.0):
        turn = mt.linalg.matrix_exp(mt.tensor([[0, x], [-x, 0]], dtype=mt.float64))
        expected = [[math.cos(x), math.sin(x)], [-math.sin(x), math.cos(x)]]
        assert close(plain(turn, mt), expected, 1e-12, 1e-12)


@pytest.mark.parametrize("size", [2**31, 2**40, 2**62])
def test_sizes_that_no_memory_holds_are_refused_or_empty(size, mt):
    for make in (lambda: mt.empty(0, size), lambda: mt.empty(size, 0), lambda: mt.empty(0, size, 3)):
        for name in ("qr", "svdvals", "lu_factor", "pinv", "matrix_norm"):
            try:
                getattr(mt.linalg, name)(make())
            except (RuntimeError, IndexError):
                pass


@pytest.mark.parametrize("method", ["ortho", "basic"])
@pytest.mark.parametrize("largest", [True, False])
def test_lobpcg_finds_the_extreme_pairs(method, largest, mt):
    mt.manual_seed(0)
    q = mt.linalg.qr(mt.randn(30, 30, dtype=mt.float64)).Q
    values = mt.arange(1, 31, dtype=mt.float64) ** 1.5
    a = q * values @ q.mT
    E, X = mt.lobpcg(a, k=3, largest=largest, method=method)
    expected = values.flip(0)[:3] if largest else values[:3]
    assert mt.allclose(E, expected, rtol=1e-6)
    assert mt.allclose(a @ X, X * E, atol=1e-4)


def test_lobpcg_solves_pencils_and_batches(mt):
    mt.manual_seed(0)
    a = mt.randn(2, 12, 12, dtype=mt.float64)
    a = a @ a.mT + mt.eye(12)
    b = mt.diag_embed(mt.arange(1, 13, dtype=mt.float64)).expand_as(a)
    E, X = mt.lobpcg(a, k=2, B=b)
    assert E.shape == (2, 2) and X.shape == (2, 12, 2)
    assert mt.allclose(a @ X, b @ X * E.unsqueeze(-2), atol=1e-4)


def test_lobpcg_refuses_small_matrices(mt, oracle):
    assert outcome(lambda t: t.lobpcg(t.eye(9), k=4), mt) == outcome(lambda t: t.lobpcg(t.eye(9), k=4), oracle)


def test_lobpcg_gradient_equals_eighs(mt):
    mt.manual_seed(0)
    a = mt.randn(9, 9, dtype=mt.float64)
    a = (a @ a.mT).requires_grad_()
    E, X = mt.lobpcg(a, k=2, tol=1e-12)
    (ours,) = mt.autograd.grad(E.sum() + X.abs().sum(), a)
    values, vectors = mt.linalg.eigh(a)
    (exact,) = mt.autograd.grad(values[-2:].sum() + vectors[:, -2:].abs().sum(), a)
    assert mt.allclose(ours, (exact + exact.mT) / 2, atol=1e-6)


def test_low_rank_factors_restore_a_low_rank_matrix(mt):
    mt.manual_seed(0)
    a = mt.randn(20, 3, dtype=mt.float64) @ mt.randn(3, 10, dtype=mt.float64)
    U, S, V = mt.svd_lowrank(a, q=3)
    assert mt.allclose(U * S @ V.mT, a)


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.qr(t.eye(2)),
        lambda t: t.lu_solve(t.eye(2), *t.linalg.lu_factor(t.eye(2))),
        lambda t: t.triangular_solve(t.eye(2), t.eye(2)),
        lambda t: t.chain_matmul(t.eye(2), t.eye(2)),
        lambda t: t.lu(t.eye(2)),
        lambda t: t.cholesky(t.eye(2)),
        lambda t: t.cross(t.eye(3), t.eye(3)),
    ],
)
def test_old_names_work_and_warn_at_most_once(call, mt, oracle):
    def list_warnings_of_old_names(torch):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call(torch)
            call(torch)
        return [str(w.message).split(" (Triggered internally")[0] for w in caught]

    ours = list_warnings_of_old_names(mt)
    assert len(ours) <= 1
    assert not ours or not (theirs := list_warnings_of_old_names(oracle)) or ours == theirs[:1]


@pytest.mark.parametrize("alpha", [float("nan"), float("inf"), 2.0])
def test_products_over_no_elements_are_zero_whatever_they_are_scaled_by(mt, oracle, alpha):
    def multiply_empty(t):
        a, b, c = t.ones(2, 3), t.zeros(2, 0), t.zeros(0, 3)
        batch = t.baddbmm(a.expand(4, 2, 3), b.expand(4, 2, 0), c.expand(4, 0, 3), alpha=alpha)
        return str(t.addmm(a, b, c, alpha=alpha).tolist()), str(batch.tolist())

    assert multiply_empty(mt) == multiply_empty(oracle)
