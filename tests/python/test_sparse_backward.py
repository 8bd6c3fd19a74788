"""Gradients of and into sparse tensors: values, layouts, order of elements and errors match real torch."""

import pytest
from outcomes import outcome

INDICES, VALUES = [[1, 0, 1, 1], [2, 0, 1, 2]], [1.0, 2.0, 3.0, 4.0]


def make_coo(torch, values=VALUES, indices=INDICES, size=(2, 3), dtype="float32"):
    values = torch.tensor(values, dtype=getattr(torch, dtype))
    return torch.ops.aten._sparse_coo_tensor_unsafe(torch.tensor(indices), values, size)


def make_sparse_rows(torch, indices, width=2, count=5, dtype="float32"):
    values = torch.ones(len(indices), width, dtype=getattr(torch, dtype))
    return torch.ops.aten._sparse_coo_tensor_unsafe(torch.tensor([indices]), values, (count, width))


def make_numbers(torch, *size, dtype="float32"):
    count = 1
    for s in size:
        count *= s
    return torch.arange(1, count + 1, dtype=getattr(torch, dtype)).view(size)


def make_leaf(tensor):
    return tensor.detach().clone().requires_grad_()


def assert_same_outcome(mt, oracle, call):
    ours, theirs = outcome(call, mt)[0], outcome(call, oracle)[0]
    assert ours == theirs


def node_and_gradients(torch, function, *inputs, grad=None):
    """Returns the result's node, and a gradient for each input."""
    inputs = [make_leaf(tensor) for tensor in inputs]
    result = function(*inputs)
    if grad is None and result.layout == torch.strided:
        grad = make_numbers(torch, *result.shape).to(result.dtype)
    return [type(result.grad_fn).__name__, *torch.autograd.grad(result, inputs, grad, allow_unused=True)]


dense_gradient = lambda t: make_numbers(t, 2, 2)  # noqa: E731
other_places = lambda t: make_coo(t, [5.0, 6.0, 7.0], [[0, 1, 1], [1, 0, 2]])  # noqa: E731

FORMULAS = {
    "mm": lambda t: node_and_gradients(t, t.mm, make_coo(t), make_numbers(t, 3, 2)),
    "mm of dense and sparse": lambda t: node_and_gradients(t, t.mm, make_numbers(t, 2, 2), make_coo(t)),
    "mm of sparse ones": lambda t: node_and_gradients(
        t, t.mm, make_coo(t), make_coo(t).t(), grad=make_numbers(t, 2, 2).to_sparse()
    ),
    "mm of sparse ones, dense": lambda t: node_and_gradients(
        t, t.mm, make_coo(t), make_coo(t).t(), grad=make_numbers(t, 2, 2)
    ),
    "addmm": lambda t: node_and_gradients(
        t, lambda a, b, c: t.addmm(a, b, c, beta=2, alpha=3), make_numbers(t, 2, 2), make_coo(t), make_numbers(t, 3, 2)
    ),
    "bmm": lambda t: node_and_gradients(t, t.bmm, make_numbers(t, 2, 2, 3).to_sparse(), make_numbers(t, 2, 3, 2)),
    "mv": lambda t: node_and_gradients(t, t.mv, make_coo(t), make_numbers(t, 3)),
    "vector @ sparse": lambda t: node_and_gradients(t, t.matmul, make_numbers(t, 2), make_coo(t)),
    "sparse.mm": lambda t: node_and_gradients(t, t.sparse.mm, make_coo(t), make_numbers(t, 3, 2)),
    "sparse.mm of dense and sparse": lambda t: node_and_gradients(t, t.sparse.mm, make_numbers(t, 2, 2), make_coo(t)),
    "sparse.mm of dense ones": lambda t: node_and_gradients(
        t, t.sparse.mm, make_numbers(t, 2, 2), make_numbers(t, 2, 2)
    ),
    "sparse.mm of sparse ones": lambda t: node_and_gradients(
        t, t.sparse.mm, make_coo(t), make_coo(t).t(), grad=make_numbers(t, 2, 2).to_sparse()
    ),
    "sparse.addmm": lambda t: node_and_gradients(
        t,
        lambda a, b, c: t.sparse.addmm(a, b, c, beta=2, alpha=3),
        make_numbers(t, 2, 2),
        make_coo(t),
        make_numbers(t, 3, 2),
    ),
    "sparse.mm complex": lambda t: node_and_gradients(
        t, t.sparse.mm, make_coo(t, dtype="complex64") * (1 + 1j), make_numbers(t, 3, 2, dtype="complex64") * (2 - 1j)
    ),
    "linear": lambda t: node_and_gradients(t, t.nn.functional.linear, make_numbers(t, 4, 3), make_coo(t)),
    "hspmm": lambda t: node_and_gradients(
        t, t.hspmm, make_coo(t), make_numbers(t, 3, 2), grad=make_sparse_rows(t, [0, 1], count=2)
    ),
    "sspaddmm": lambda t: node_and_gradients(
        t, t.sspaddmm, t.ones(2, 2).to_sparse(), make_coo(t), make_numbers(t, 3, 2), grad=t.ones(2, 2).to_sparse()
    ),
    "sparse_mask": lambda t: node_and_gradients(
        t, lambda a: a.sparse_mask(make_coo(t)), make_numbers(t, 2, 3), grad=make_coo(t).coalesce() * 2
    ),
    "sparse_mask elsewhere": lambda t: node_and_gradients(
        t, lambda a: a.sparse_mask(make_coo(t)), make_numbers(t, 2, 3), grad=other_places(t)
    ),
    "sparse_mask dense": lambda t: node_and_gradients(
        t, lambda a: a.sparse_mask(make_coo(t)), make_numbers(t, 2, 3), grad=make_numbers(t, 2, 3)
    ),
    "sparse_mask of sparse": lambda t: node_and_gradients(
        t, lambda a: a.sparse_mask(make_coo(t).coalesce()), make_coo(t), grad=other_places(t)
    ),
    "to_dense": lambda t: node_and_gradients(t, lambda a: a.to_dense(), make_coo(t)),
    "to_dense unmasked": lambda t: node_and_gradients(t, lambda a: a.to_dense(masked_grad=False), make_coo(t)),
    "to_dense of hybrid": lambda t: node_and_gradients(t, lambda a: a.to_dense(), make_sparse_rows(t, [3, 1])),
    "to_dense sparse": lambda t: node_and_gradients(t, lambda a: a.to_dense(), make_coo(t), grad=other_places(t)),
    "to_sparse": lambda t: node_and_gradients(t, lambda a: a.to_sparse(), make_numbers(t, 2, 3), grad=other_places(t)),
    "to_sparse of a dimension": lambda t: node_and_gradients(
        t, lambda a: a.to_sparse(1), make_numbers(t, 2, 3), grad=make_numbers(t, 2, 3)
    ),
    "coalesce": lambda t: node_and_gradients(t, lambda a: a.coalesce(), make_coo(t), grad=other_places(t)),
    "coalesce dense": lambda t: node_and_gradients(t, lambda a: a.coalesce(), make_coo(t), grad=make_numbers(t, 2, 3)),
    "values": lambda t: node_and_gradients(t, lambda a: a.coalesce().values(), make_coo(t)),
    "made of values": lambda t: node_and_gradients(
        t, lambda v: t.sparse_coo_tensor(t.tensor(INDICES), v, (2, 3)), t.ones(4), grad=other_places(t)
    ),
    "made of rows": lambda t: node_and_gradients(
        t, lambda v: t.sparse_coo_tensor(t.tensor([[1, 0, 1]]), v, (2, 3)), t.ones(3, 3), grad=make_numbers(t, 2, 3)
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_formula_matches_torchs_indices_and_layouts(mt, oracle, name):
    assert_same_outcome(mt, oracle, FORMULAS[name])


def look_up_embedding(torch, weight, indices=((1, 3), (1, 0)), **options):
    return torch.nn.functional.embedding(torch.tensor(indices), weight, sparse=True, **options)


def look_up_bags(torch, weight, mode="sum", offsets=(0, 2), **options):
    indices = torch.tensor([1, 3, 1, 0])
    return torch.nn.functional.embedding_bag(indices, weight, torch.tensor(offsets), mode=mode, sparse=True, **options)


def differentiate_with_respect_to_table(torch, function, dtype="float32"):
    return node_and_gradients(torch, function, make_numbers(torch, 5, 2, dtype=dtype))


LOOKUPS = {
    "embedding": lambda t: differentiate_with_respect_to_table(t, lambda w: look_up_embedding(t, w)),
    "half": lambda t: differentiate_with_respect_to_table(t, lambda w: look_up_embedding(t, w), "float16"),
    "int32": lambda t: differentiate_with_respect_to_table(
        t, lambda w: t.nn.functional.embedding(t.tensor([1, 3], dtype=t.int32), w, sparse=True)
    ),
    "padding": lambda t: differentiate_with_respect_to_table(t, lambda w: look_up_embedding(t, w, padding_idx=1)),
    "one": lambda t: differentiate_with_respect_to_table(
        t, lambda w: t.nn.functional.embedding(t.tensor(2), w, sparse=True)
    ),
    "none": lambda t: differentiate_with_respect_to_table(
        t, lambda w: t.nn.functional.embedding(t.tensor([1])[:0], w, sparse=True)
    ),
    "by frequency": lambda t: differentiate_with_respect_to_table(
        t, lambda w: look_up_embedding(t, w, scale_grad_by_freq=True)
    ),
    "bag": lambda t: differentiate_with_respect_to_table(t, lambda w: look_up_bags(t, w)),
    "bag of means": lambda t: differentiate_with_respect_to_table(t, lambda w: look_up_bags(t, w, "mean")),
    "bag of means with padding": lambda t: differentiate_with_respect_to_table(
        t, lambda w: look_up_bags(t, w, "mean", padding_idx=1)
    ),
    "bag of maxima": lambda t: differentiate_with_respect_to_table(t, lambda w: look_up_bags(t, w, "max")),
    "empty bag": lambda t: differentiate_with_respect_to_table(
        t, lambda w: look_up_bags(t, w, "mean", offsets=(0, 0, 2))
    ),
    "bag by frequency": lambda t: differentiate_with_respect_to_table(
        t, lambda w: look_up_bags(t, w, scale_grad_by_freq=True)
    ),
    "weighted bag": lambda t: node_and_gradients(
        t,
        lambda w, p: look_up_bags(t, w, per_sample_weights=p, padding_idx=3),
        make_numbers(t, 5, 2),
        make_numbers(t, 4),
    ),
    "gather": lambda t: differentiate_with_respect_to_table(
        t, lambda w: w.gather(1, t.tensor([[0, 1], [1, 1]]), sparse_grad=True)
    ),
    "gather rows": lambda t: differentiate_with_respect_to_table(
        t, lambda w: w.gather(0, t.tensor([[0, 4]]), sparse_grad=True)
    ),
    "gather nothing": lambda t: differentiate_with_respect_to_table(
        t, lambda w: w.gather(0, t.empty(0, 2, dtype=t.long), sparse_grad=True)
    ),
    "gather of a number": lambda t: node_and_gradients(
        t, lambda w: w.gather(0, t.tensor(0), sparse_grad=True), t.tensor(2.0)
    ),
    "too few gradients": lambda t: t.ops.aten.embedding_sparse_backward(
        t.ones(2, 2), t.tensor([[1, 3], [1, 0]]), 5, -1, False
    ),
}


@pytest.mark.parametrize("name", LOOKUPS)
def test_sparse_lookup_returns_rows_in_torchs_order(mt, oracle, name):
    assert_same_outcome(mt, oracle, LOOKUPS[name])


GRADIENT_PARTS = {
    "A": lambda t, x: look_up_embedding(t, x, (1, 3, 1)),
    "B": lambda t, x: look_up_embedding(t, x, (0, 1)),
    "D": lambda t, x: x * x,
}


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("order", ["AB", "AD", "DA", "ADA", "DAD", "AAA"])
def test_gradients_accumulate_in_a_leaf_as_in_torch(mt, oracle, order, create_graph):
    def accumulate_pieces(torch):
        x, seen = make_leaf(make_numbers(torch, 5, 2)), []
        for piece in order:
            GRADIENT_PARTS[piece](torch, x).sum().backward(create_graph=create_graph)
            seen.append(x.grad)
        return seen, [a is b for a, b in zip(seen, seen[1:], strict=False)]

    assert_same_outcome(mt, oracle, accumulate_pieces)


@pytest.mark.parametrize("order", ["AB", "AD", "DA", "ADB", "AAA"])
def test_gradients_of_one_pass_add_up_in_the_order_of_torch(mt, oracle, order):
    def add_pieces(torch):
        x = make_leaf(make_numbers(torch, 5, 2))
        return torch.autograd.grad(sum(GRADIENT_PARTS[piece](torch, x).sum() for piece in order), x)

    assert_same_outcome(mt, oracle, add_pieces)


INTERMEDIATE_CALLS = {
    "mul": lambda x: x * 2,
    "add": lambda x: x + 1,
    "neg": lambda x: -x,
    "div": lambda x: x / 2,
    "clone": lambda x: x.clone(),
    "exp": lambda x: x.exp(),
    "square": lambda x: x * x,
    "double": lambda x: x + x,
    "relu": lambda x: x.relu(),
    "transposed": lambda x: x.t().t(),
    "seen otherwise": lambda x: x.view(5, 2),
    "product": lambda x: x @ x.new_ones(2, 2),
}


@pytest.mark.parametrize("name", INTERMEDIATE_CALLS)
def test_sparse_gradient_propagates_where_torchs_does(mt, oracle, name):
    def propagate_through(torch):
        x = make_leaf(make_numbers(torch, 5, 2))
        y = INTERMEDIATE_CALLS[name](x)
        y.retain_grad()
        (GRADIENT_PARTS["A"](torch, y).sum() + GRADIENT_PARTS["B"](torch, y).sum()).backward()
        # Removes the gaps that torch leaves between the rows of indices.
        return [(g._indices().flatten(), g._values(), g.is_coalesced()) for g in (x.grad, y.grad)]

    assert_same_outcome(mt, oracle, propagate_through)


def test_accumulated_sparse_gradient_is_coalesced_as_in_torch(mt, oracle):
    passes = [
        lambda t, x: x.coalesce().values().exp().sum(),
        lambda t, x: x.coalesce().to_dense().sum(),
        lambda t, x: (x * 2).to_dense().sum(),
        lambda t, x: t.sparse.mm(x, t.ones(3, 2)).sum(),
    ]

    def accumulate_and_coalesce(torch):
        made = []
        for function in passes:
            for x in (make_leaf(make_coo(torch)), make_leaf(make_coo(torch).coalesce())):
                function(torch, x).backward()
                made.append((x.grad.is_coalesced(), x.grad._nnz()))
        return made

    assert_same_outcome(mt, oracle, accumulate_and_coalesce)


def tensors_of_each_layout(torch):
    dense = torch.ones(2, 3)
    return [dense, dense.to_sparse(), dense.to_sparse_csr()]


def test_gradients_of_another_layout_are_taken_or_refused_as_by_torch(mt, oracle):
    def return_from_function(torch, x, g):
        class Gives(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.clone()

            @staticmethod
            def backward(ctx, _):
                return g

        x = make_leaf(x)
        Gives.apply(x).backward(x.detach())
        return str(x.grad.layout)

    def assign_grad(torch, x, g):
        x = make_leaf(x)
        x.grad = g
        return str(x.grad.layout)

    def return_from_hook(torch, x, g):
        x = make_leaf(x)
        x.register_hook(lambda _: g)
        x.backward(x.detach())
        return str(x.grad.layout)

    for way in (return_from_function, assign_grad, return_from_hook):
        for i in range(3):
            for j in range(3):
                assert_same_outcome(
                    mt,
                    oracle,
                    lambda t, way=way, i=i, j=j: way(t, tensors_of_each_layout(t)[i], tensors_of_each_layout(t)[j]),
                )


def test_sparse_gradients_of_a_function_have_to_fit(mt, oracle):
    def return_sparse_gradient(torch, grad):
        class Gives(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, _):
                return grad

        x = make_leaf(make_numbers(torch, 5, 2))
        Gives.apply(x).backward(torch.ones(5, 2))
        return x.grad

    assert_same_outcome(mt, oracle, lambda t: return_sparse_gradient(t, make_sparse_rows(t, [1, 2])))
    assert_same_outcome(mt, oracle, lambda t: return_sparse_gradient(t, make_sparse_rows(t, [1, 2], width=3)))
    assert_same_outcome(mt, oracle, lambda t: return_sparse_gradient(t, make_sparse_rows(t, [1, 2], dtype="float64")))


USES_OF_GRADIENTS = {
    "zero_grad": lambda t, x: (
        GRADIENT_PARTS["A"](t, x).sum().backward(),
        t.optim.SGD([x], lr=1).zero_grad(set_to_none=False),
    ),
    "a later gradient": lambda t, x: (
        GRADIENT_PARTS["A"](t, x).sum().backward(),
        t.optim.SGD([x], lr=1).zero_grad(set_to_none=False),
        GRADIENT_PARTS["B"](t, x).sum().backward(),
    ),
    "in place": lambda t, x: (GRADIENT_PARTS["A"](t, x).sum().backward(), x.grad.mul_(3).div_(2)),
    "a hook": lambda t, x: (x.register_hook(lambda g: g * 2), GRADIENT_PARTS["A"](t, x).sum().backward()),
    "a hook that sums up": lambda t, x: (
        x.register_hook(lambda g: g.coalesce()),
        GRADIENT_PARTS["A"](t, x).sum().backward(),
    ),
    "retained": lambda t, x: [
        y.backward(retain_graph=keep) for y in [GRADIENT_PARTS["A"](t, x).sum()] for keep in (True, False)
    ],
    "checkpoint": lambda t, x: (
        t.utils.checkpoint.checkpoint(lambda x: GRADIENT_PARTS["A"](t, x), x, use_reentrant=False).sum().backward()
    ),
}


@pytest.mark.parametrize("name", USES_OF_GRADIENTS)
def test_a_sparse_gradient_of_a_leaf_is_used_as_in_torch(mt, oracle, name):
    def use_gradient(torch):
        x = make_leaf(make_numbers(torch, 5, 2))
        USES_OF_GRADIENTS[name](torch, x)
        return x.grad

    assert_same_outcome(mt, oracle, use_gradient)


def test_anomaly_mode_looks_into_sparse_gradients(mt, oracle):
    def detect_anomaly(torch, value):
        x = make_leaf(make_coo(torch))
        with torch.autograd.detect_anomaly(check_nan=True):
            (x.clone() * 2).backward(make_coo(torch, [value, 1.0, 1.0, 1.0]))
        return x.grad

    assert_same_outcome(mt, oracle, lambda t: detect_anomaly(t, 3.0))
    assert_same_outcome(mt, oracle, lambda t: detect_anomaly(t, float("nan")))


def test_second_order_gradients_reach_the_inputs(mt, oracle):
    def differentiate_twice(torch, function, *inputs):
        inputs = [make_leaf(tensor) for tensor in inputs]
        result = function(*inputs)
        grad = torch.ones_like(result).requires_grad_()
        first = torch.autograd.grad(result, inputs, grad, create_graph=True)
        names = [type(g.grad_fn).__name__ for g in first]
        total = sum((g.to_dense() * g.to_dense()).sum() for g in first)
        return names, torch.autograd.grad(total, [grad, *inputs], allow_unused=True)

    assert_same_outcome(
        mt, oracle, lambda t: differentiate_twice(t, t.sparse.mm, make_coo(t).coalesce(), make_numbers(t, 3, 2))
    )
    assert_same_outcome(
        mt, oracle, lambda t: differentiate_twice(t, lambda w: look_up_embedding(t, w), make_numbers(t, 5, 2))
    )
    assert_same_outcome(
        mt,
        oracle,
        lambda t: differentiate_twice(
            t, lambda w: w.gather(0, t.tensor([[0, 4]]), sparse_grad=True), make_numbers(t, 5, 2)
        ),
    )


GRADCHECK_CALLS = {
    "sparse.mm": lambda t, masked: (
        t.sparse.mm,
        make_coo(t, dtype="float64").coalesce(),
        make_numbers(t, 3, 2, dtype="float64"),
    ),
    "mm": lambda t, masked: (t.mm, make_coo(t, dtype="float64").coalesce(), make_numbers(t, 3, 2, dtype="float64")),
    "sparse.mm of sparse ones": lambda t, masked: (
        lambda a, b: t.sparse.mm(a, b).to_dense(masked_grad=masked),
        make_coo(t, dtype="float64").coalesce(),
        make_coo(t, dtype="float64").t().coalesce(),
    ),
    "bmm": lambda t, masked: (
        t.bmm,
        make_numbers(t, 2, 2, 3, dtype="float64").to_sparse(),
        make_numbers(t, 2, 3, 2, dtype="float64"),
    ),
    "to_dense": lambda t, masked: (lambda a: a.to_dense(masked_grad=masked), make_coo(t, dtype="float64").coalesce()),
    "sparse_mask": lambda t, masked: (
        lambda a: a.sparse_mask(make_coo(t).coalesce()).to_dense(masked_grad=masked),
        make_numbers(t, 2, 3, dtype="float64"),
    ),
    "made of values": lambda t, masked: (
        lambda v: t.sparse_coo_tensor(t.tensor(INDICES), v, (2, 3)).to_dense(),
        make_numbers(t, 4, dtype="float64"),
    ),
}


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("name", GRADCHECK_CALLS)
def test_gradcheck_findings_match_torch(mt, oracle, name, masked):
    def gradcheck_message(torch):
        function, *inputs = GRADCHECK_CALLS[name](torch, masked)
        try:
            return torch.autograd.gradcheck(function, [make_leaf(tensor) for tensor in inputs], masked=masked)
        except RuntimeError as error:
            return str(error).split("\n")[0]

    assert_same_outcome(mt, oracle, gradcheck_message)


def test_the_gradient_of_a_large_sparse_factor_is_never_dense(mt):
    # A dense gradient of the factor would have 10^10 elements.
    mt.manual_seed(0)
    size, count = 100_000, 1000
    left = mt.sparse_coo_tensor(mt.randint(size, (2, count)), mt.rand(count), (size, size)).coalesce().requires_grad_()
    right, grad = mt.rand(size, 3), mt.rand(size, 3)
    (found,) = mt.autograd.grad(mt.sparse.mm(left, right), left, grad)
    row, column = left.detach().indices()
    assert mt.equal(found._indices(), left.detach().indices())
    assert mt.allclose(found._values(), (grad[row] * right[column]).sum(1))
