"""Gradients through operators of sparse COO tensors: nodes, values, layouts."""

import itertools

import pytest
from sparse_kinds import (
    assert_same_sparse,
    describe_sparse,
    make_hybrid,
    make_ordered,
    make_repeated,
    make_with_dense_dim,
)


def differentiate_operator(t, call, *inputs, how):
    """The node of the result of `call`, and gradients of the inputs: of its sum, of a dense and of a sparse weighted
    sum."""
    leaves = [x.clone().detach().requires_grad_() for x in inputs]
    y = call(t, *leaves)
    y = y[0] if isinstance(y, (list, tuple)) else y
    weights = t.arange(float(y.numel())).reshape(y.shape) * 0.5 + 1
    if how == "sum":
        found = t.autograd.grad(y.sum(), leaves, allow_unused=True)
    elif how == "dense":
        found = t.autograd.grad(y.to_dense(masked_grad=False) if y.is_sparse else y, leaves, weights, allow_unused=True)
    else:
        found = t.autograd.grad(
            y, leaves, weights.to_sparse(y.sparse_dim()) if y.is_sparse else weights, allow_unused=True
        )
    return [type(y.grad_fn).__name__, *found]


UNARY = (
    "abs ceil floor round trunc frac neg sign deg2rad rad2deg relu nan_to_num log1p square conj_physical positive"
).split()
GRADIENTS = {
    "add": (lambda t, x, y: x + y, make_ordered, make_repeated),
    "add alpha": (lambda t, x, y: t.add(x, y, alpha=3), make_ordered, make_ordered),
    "sub": (lambda t, x, y: t.sub(x, y, alpha=2), make_ordered, make_repeated),
    "itself": (lambda t, x: x + x * 2 + x, make_repeated),
    "dense + sparse": (lambda t, x, y: x + y, lambda t: t.ones(3, 4), make_repeated),
    "dense - hybrid": (lambda t, x, y: x - y, lambda t: t.ones(3, 4), make_hybrid),
    "mul": (lambda t, x, y: x * y, make_ordered, make_ordered),
    "mul repeated": (lambda t, x, y: x * y, make_repeated, make_ordered),
    "mul dense": (lambda t, x, y: x * y, make_ordered, lambda t: t.arange(12.0).view(3, 4)),
    "dense mul": (lambda t, x, y: x * y, lambda t: t.arange(12.0).view(3, 4), make_hybrid),
    "mul number": (lambda t, x: x * 2, make_repeated),
    "mul zero-dim": (lambda t, x: x * t.tensor(3.0), make_ordered),
    "div": (lambda t, x: x / 4, make_repeated),
    "pow": (lambda t, x: x**3, make_ordered),
    "add_": (lambda t, x, y: (x * 1).add_(y), make_ordered, make_ordered),
    "dense add_": (lambda t, x, y: (x * 1).add_(y), lambda t: t.ones(3, 4), make_repeated),
    "mul_": (lambda t, x: (x * 1).mul_(2), make_ordered),
    "abs_": (lambda t, x: (x * 1).abs_(), make_ordered),
    "relu_": (lambda t, x: (x * 1).relu_(), make_ordered),
    "sum": (lambda t, x: x.sum(), make_repeated),
    "sum of hybrid": (lambda t, x: x.sum(), make_hybrid),
    "sum to dense": (lambda t, x: x.sum((0, 1)), make_ordered),
    "sparse sum": (lambda t, x: t._sparse_sum(x, 0), make_repeated),
    "sparse sum of hybrid": (lambda t, x: t._sparse_sum(x, 0), make_hybrid),
    "sparse sum to dense": (lambda t, x: t._sparse_sum(x, (0, 1)), make_repeated),
    "sparse sum of hybrid to dense": (lambda t, x: t._sparse_sum(x, (0, 1)), make_hybrid),
    "sparse sum dense dim": (lambda t, x: t._sparse_sum(x, (0, 2)), make_with_dense_dim),
    "sparse sum all": (lambda t, x: t._sparse_sum(x), make_repeated),
    "norm": (lambda t, x: x.norm(1), make_repeated),
    "norm 2": (lambda t, x: x.norm(), make_ordered),
    "softmax": (lambda t, x: t.ops.aten._sparse_softmax(x, 0), make_ordered),
    "log_softmax": (lambda t, x: t.ops.aten._sparse_log_softmax(x, 1, dtype=t.float64), make_ordered),
    "softmax of hybrid": (lambda t, x: t.ops.aten._sparse_softmax(x, 1), make_hybrid),
    "t": (lambda t, x: x.t(), make_ordered),
    "transpose": (lambda t, x: x.transpose(0, 1), make_with_dense_dim),
    "permute": (lambda t, x: x.permute(1, 0), make_repeated),
    "clone": (lambda t, x: x.clone(), make_repeated),
    "values": (lambda t, x: x.coalesce().values(), make_repeated),
    "unsqueeze": (lambda t, x: x.unsqueeze(0), make_ordered),
    "select": (lambda t, x: x.select(0, 0), make_ordered),
    "cat": (lambda t, x, y: t.cat([x, y]), make_ordered, make_repeated),
    "index_select": (lambda t, x: x.index_select(0, t.tensor([0, 2])), make_ordered),
    "view_as_complex": (lambda t, x: t.view_as_complex(x), make_with_dense_dim),
}  # fmt: skip


@pytest.mark.parametrize("how", ["sum", "dense", "sparse"])
@pytest.mark.parametrize("name", [*GRADIENTS, *UNARY])
def test_gradients_match_torch(mt, oracle, name, how):
    call, *makers = GRADIENTS.get(name) or (lambda t, x: getattr(t, name)(x), make_repeated)
    theirs, ours = (
        describe_sparse(lambda t: differentiate_operator(t, call, *(make(t) for make in makers), how=how), t)
        for t in (oracle, mt)
    )
    if theirs[0] in ("RuntimeError", "NotImplementedError"):
        return  # may work although torch cannot do it
    assert ours == theirs


def test_gradients_of_an_uneven_sparse_sum_are_those_of_a_dense_one(mt):
    x = make_hybrid(mt).requires_grad_()
    sums = mt._sparse_sum(x, 1).to_dense(masked_grad=False)
    (gradient,) = mt.autograd.grad(sums, x, mt.tensor([1.0, 2.0, 3.0]))
    assert gradient.to_dense().tolist() == [[1.0] * 4, [0.0] * 4, [3.0] * 4]


def test_the_gradient_of_softmax_along_the_last_dimension_is_that_of_its_number(mt):
    for name in ("_sparse_softmax", "_sparse_log_softmax"):
        found = []
        for dim in (1, -1):
            x = make_ordered(mt).requires_grad_()
            y = getattr(mt.ops.aten, name)(x, dim)
            found.append(mt.autograd.grad(y, x, make_ordered(mt))[0]._values().tolist())
        assert found[0] == found[1]


def test_gradients_of_leaves_add_up(mt, oracle):
    def accumulate_in_leaf(t, first, second):
        x = t.zeros(3, 4, requires_grad=True)
        for how in (first, second, first):
            (x + 0).backward(how(t))
        return x.grad

    dense = lambda t: t.ones(3, 4)  # noqa: E731
    for first, second in itertools.product((make_repeated, make_ordered, dense), repeat=2):
        assert_same_sparse(mt, oracle, lambda t, a=first, b=second: accumulate_in_leaf(t, a, b))
