"""Gradients of and into sparse tensors: values, layouts, order of elements and errors match real torch."""

import pytest
from outcomes import outcome

INDICES, VALUES = [[1, 0, 1, 1], [2, 0, 1, 2]], [1.0, 2.0, 3.0, 4.0]


def coo(torch, values=VALUES, indices=INDICES, size=(2, 3), dtype="float32"):
    values = torch.tensor(values, dtype=getattr(torch, dtype))
    return torch.ops.aten._sparse_coo_tensor_unsafe(torch.tensor(indices), values, size)


def rows(torch, indices, width=2, count=5, dtype="float32"):
    values = torch.ones(len(indices), width, dtype=getattr(torch, dtype))
    return torch.ops.aten._sparse_coo_tensor_unsafe(torch.tensor([indices]), values, (count, width))


def numbers(torch, *size, dtype="float32"):
    count = 1
    for s in size:
        count *= s
    return torch.arange(1, count + 1, dtype=getattr(torch, dtype)).view(size)


def leaf(tensor):
    return tensor.detach().clone().requires_grad_()


def same(mt, oracle, call):
    ours, theirs = outcome(call, mt)[0], outcome(call, oracle)[0]
    assert ours == theirs


def gradients(torch, function, *inputs, grad=None):
    """Returns the result's node, and a gradient for each input."""
    inputs = [leaf(tensor) for tensor in inputs]
    result = function(*inputs)
    if grad is None and result.layout == torch.strided:
        grad = numbers(torch, *result.shape).to(result.dtype)
    return [type(result.grad_fn).__name__, *torch.autograd.grad(result, inputs, grad, allow_unused=True)]


dense_gradient = lambda t: numbers(t, 2, 2)  # noqa: E731
other_places = lambda t: coo(t, [5.0, 6.0, 7.0], [[0, 1, 1], [1, 0, 2]])  # noqa: E731

FORMULAS = {
    "mm": lambda t: gradients(t, t.mm, coo(t), numbers(t, 3, 2)),
    "mm of dense and sparse": lambda t: gradients(t, t.mm, numbers(t, 2, 2), coo(t)),
    "mm of sparse ones": lambda t: gradients(t, t.mm, coo(t), coo(t).t(), grad=numbers(t, 2, 2).to_sparse()),
    "mm of sparse ones, dense": lambda t: gradients(t, t.mm, coo(t), coo(t).t(), grad=numbers(t, 2, 2)),
    "addmm": lambda t: gradients(
        t, lambda a, b, c: t.addmm(a, b, c, beta=2, alpha=3), numbers(t, 2, 2), coo(t), numbers(t, 3, 2)
    ),
    "bmm": lambda t: gradients(t, t.bmm, numbers(t, 2, 2, 3).to_sparse(), numbers(t, 2, 3, 2)),
    "mv": lambda t: gradients(t, t.mv, coo(t), numbers(t, 3)),
    "vector @ sparse": lambda t: gradients(t, t.matmul, numbers(t, 2), coo(t)),
    "sparse.mm": lambda t: gradients(t, t.sparse.mm, coo(t), numbers(t, 3, 2)),
    "sparse.mm of dense and sparse": lambda t: gradients(t, t.sparse.mm, numbers(t, 2, 2), coo(t)),
    "sparse.mm of dense ones": lambda t: gradients(t, t.sparse.mm, numbers(t, 2, 2), numbers(t, 2, 2)),
    "sparse.mm of sparse ones": lambda t: gradients(
        t, t.sparse.mm, coo(t), coo(t).t(), grad=numbers(t, 2, 2).to_sparse()
    ),
    "sparse.addmm": lambda t: gradients(
        t, lambda a, b, c: t.sparse.addmm(a, b, c, beta=2, alpha=3), numbers(t, 2, 2), coo(t), numbers(t, 3, 2)
    ),
    "sparse.mm complex": lambda t: gradients(
        t, t.sparse.mm, coo(t, dtype="complex64") * (1 + 1j), numbers(t, 3, 2, dtype="complex64") * (2 - 1j)
    ),
    "linear": lambda t: gradients(t, t.nn.functional.linear, numbers(t, 4, 3), coo(t)),
    "hspmm": lambda t: gradients(t, t.hspmm, coo(t), numbers(t, 3, 2), grad=rows(t, [0, 1], count=2)),
    "sspaddmm": lambda t: gradients(
        t, t.sspaddmm, t.ones(2, 2).to_sparse(), coo(t), numbers(t, 3, 2), grad=t.ones(2, 2).to_sparse()
    ),
    "sparse_mask": lambda t: gradients(
        t, lambda a: a.sparse_mask(coo(t)), numbers(t, 2, 3), grad=coo(t).coalesce() * 2
    ),
    "sparse_mask elsewhere": lambda t: gradients(
        t, lambda a: a.sparse_mask(coo(t)), numbers(t, 2, 3), grad=other_places(t)
    ),
    "sparse_mask dense": lambda t: gradients(
        t, lambda a: a.sparse_mask(coo(t)), numbers(t, 2, 3), grad=numbers(t, 2, 3)
    ),
    "sparse_mask of sparse": lambda t: gradients(
        t, lambda a: a.sparse_mask(coo(t).coalesce()), coo(t), grad=other_places(t)
    ),
    "to_dense": lambda t: gradients(t, lambda a: a.to_dense(), coo(t)),
    "to_dense unmasked": lambda t: gradients(t, lambda a: a.to_dense(masked_grad=False), coo(t)),
    "to_dense of hybrid": lambda t: gradients(t, lambda a: a.to_dense(), rows(t, [3, 1])),
    "to_dense sparse": lambda t: gradients(t, lambda a: a.to_dense(), coo(t), grad=other_places(t)),
    "to_sparse": lambda t: gradients(t, lambda a: a.to_sparse(), numbers(t, 2, 3), grad=other_places(t)),
    "to_sparse of a dimension": lambda t: gradients(
        t, lambda a: a.to_sparse(1), numbers(t, 2, 3), grad=numbers(t, 2, 3)
    ),
    "coalesce": lambda t: gradients(t, lambda a: a.coalesce(), coo(t), grad=other_places(t)),
    "coalesce dense": lambda t: gradients(t, lambda a: a.coalesce(), coo(t), grad=numbers(t, 2, 3)),
    "values": lambda t: gradients(t, lambda a: a.coalesce().values(), coo(t)),
    "made of values": lambda t: gradients(
        t, lambda v: t.sparse_coo_tensor(t.tensor(INDICES), v, (2, 3)), t.ones(4), grad=other_places(t)
    ),
    "made of rows": lambda t: gradients(
        t, lambda v: t.sparse_coo_tensor(t.tensor([[1, 0, 1]]), v, (2, 3)), t.ones(3, 3), grad=numbers(t, 2, 3)
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_formula_matches_torchs_indices_and_layouts(mt, oracle, name):
    same(mt, oracle, FORMULAS[name])


def embed(torch, weight, indices=((1, 3), (1, 0)), **options):
    return torch.nn.functional.embedding(torch.tensor(indices), weight, sparse=True, **options)


def bag(torch, weight, mode="sum", offsets=(0, 2), **options):
    indices = torch.tensor([1, 3, 1, 0])
    return torch.nn.functional.embedding_bag(indices, weight, torch.tensor(offsets), mode=mode, sparse=True, **options)


def weight_gradient(torch, function, dtype="float32"):
    return gradients(torch, function, numbers(torch, 5, 2, dtype=dtype))


LOOKUPS = {
    "embedding": lambda t: weight_gradient(t, lambda w: embed(t, w)),
    "half": lambda t: weight_gradient(t, lambda w: embed(t, w), "float16"),
    "int32": lambda t: weight_gradient(
        t, lambda w: t.nn.functional.embedding(t.tensor([1, 3], dtype=t.int32), w, sparse=True)
    ),
    "padding": lambda t: weight_gradient(t, lambda w: embed(t, w, padding_idx=1)),
    "one": lambda t: weight_gradient(t, lambda w: t.nn.functional.embedding(t.tensor(2), w, sparse=True)),
    "none": lambda t: weight_gradient(t, lambda w: t.nn.functional.embedding(t.tensor([1])[:0], w, sparse=True)),
    "by frequency": lambda t: weight_gradient(t, lambda w: embed(t, w, scale_grad_by_freq=True)),
    "bag": lambda t: weight_gradient(t, lambda w: bag(t, w)),
    "bag of means": lambda t: weight_gradient(t, lambda w: bag(t, w, "mean")),
    "bag of means with padding": lambda t: weight_gradient(t, lambda w: bag(t, w, "mean", padding_idx=1)),
    "bag of maxima": lambda t: weight_gradient(t, lambda w: bag(t, w, "max")),
    "empty bag": lambda t: weight_gradient(t, lambda w: bag(t, w, "mean", offsets=(0, 0, 2))),
    "bag by frequency": lambda t: weight_gradient(t, lambda w: bag(t, w, scale_grad_by_freq=True)),
    "weighted bag": lambda t: gradients(
        t, lambda w, p: bag(t, w, per_sample_weights=p, padding_idx=3), numbers(t, 5, 2), numbers(t, 4)
    ),
    "gather": lambda t: weight_gradient(t, lambda w: w.gather(1, t.tensor([[0, 1], [1, 1]]), sparse_grad=True)),
    "gather rows": lambda t: weight_gradient(t, lambda w: w.gather(0, t.tensor([[0, 4]]), sparse_grad=True)),
    "gather nothing": lambda t: weight_gradient(
        t, lambda w: w.gather(0, t.empty(0, 2, dtype=t.long), sparse_grad=True)
    ),
    "gather of a number": lambda t: gradients(t, lambda w: w.gather(0, t.tensor(0), sparse_grad=True), t.tensor(2.0)),
    "too few gradients": lambda t: t.ops.aten.embedding_sparse_backward(
        t.ones(2, 2), t.tensor([[1, 3], [1, 0]]), 5, -1, False
    ),
}


@pytest.mark.parametrize("name", LOOKUPS)
def test_sparse_lookup_returns_rows_in_torchs_order(mt, oracle, name):
    same(mt, oracle, LOOKUPS[name])


GRADIENT_PARTS = {
    "A": lambda t, x: embed(t, x, (1, 3, 1)),
    "B": lambda t, x: embed(t, x, (0, 1)),
    "D": lambda t, x: x * x,
}


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("order", ["AB", "AD", "DA", "ADA", "DAD", "AAA"])
def test_gradients_accumulate_in_a_leaf_as_in_torch(mt, oracle, order, create_graph):
    def call(torch):
        x, seen = leaf(numbers(torch, 5, 2)), []
        for piece in order:
            GRADIENT_PARTS[piece](torch, x).sum().backward(create_graph=create_graph)
            seen.append(x.grad)
        return seen, [a is b for a, b in zip(seen, seen[1:], strict=False)]

    same(mt, oracle, call)


@pytest.mark.parametrize("order", ["AB", "AD", "DA", "ADB", "AAA"])
def test_gradients_of_one_pass_add_up_in_the_order_of_torch(mt, oracle, order):
    def call(torch):
        x = leaf(numbers(torch, 5, 2))
        return torch.autograd.grad(sum(GRADIENT_PARTS[piece](torch, x).sum() for piece in order), x)

    same(mt, oracle, call)


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
    def call(torch):
        x = leaf(numbers(torch, 5, 2))
        y = INTERMEDIATE_CALLS[name](x)
        y.retain_grad()
        (GRADIENT_PARTS["A"](torch, y).sum() + GRADIENT_PARTS["B"](torch, y).sum()).backward()
        # Removes the gaps that torch leaves between the rows of indices.
        return [(g._indices().flatten(), g._values(), g.is_coalesced()) for g in (x.grad, y.grad)]

    same(mt, oracle, call)


def test_accumulated_sparse_gradient_is_coalesced_as_in_torch(mt, oracle):
    passes = [
        lambda t, x: x.coalesce().values().exp().sum(),
        lambda t, x: x.coalesce().to_dense().sum(),
        lambda t, x: (x * 2).to_dense().sum(),
        lambda t, x: t.sparse.mm(x, t.ones(3, 2)).sum(),
    ]

    def call(torch):
        made = []
        for function in passes:
            for x in (leaf(coo(torch)), leaf(coo(torch).coalesce())):
                function(torch, x).backward()
                made.append((x.grad.is_coalesced(), x.grad._nnz()))
        return made

    same(mt, oracle, call)


def layouts(torch):
    dense = torch.ones(2, 3)
    return [dense, dense.to_sparse(), dense.to_sparse_csr()]


def test_gradients_of_another_layout_are_taken_or_refused_as_by_torch(mt, oracle):
    def return_value(torch, x, g):
        class Gives(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.clone()

            @staticmethod
            def backward(ctx, _):
                return g

        x = leaf(x)
        Gives.apply(x).backward(x.detach())
        return str(x.grad.layout)

    def assign(torch, x, g):
        x = leaf(x)
        x.grad = g
        return str(x.grad.layout)

    def hook(torch, x, g):
        x = leaf(x)
        x.register_hook(lambda _: g)
        x.backward(x.detach())
        return str(x.grad.layout)

    for way in (return_value, assign, hook):
        for i in range(3):
            for j in range(3):
                same(mt, oracle, lambda t, way=way, i=i, j=j: way(t, layouts(t)[i], layouts(t)[j]))


def test_sparse_gradients_of_a_function_have_to_fit(mt, oracle):
    def call(torch, grad):
        class Gives(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, _):
                return grad

        x = leaf(numbers(torch, 5, 2))
        Gives.apply(x).backward(torch.ones(5, 2))
        return x.grad

    same(mt, oracle, lambda t: call(t, rows(t, [1, 2])))
    same(mt, oracle, lambda t: call(t, rows(t, [1, 2], width=3)))
    same(mt, oracle, lambda t: call(t, rows(t, [1, 2], dtype="float64")))


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
    def call(torch):
        x = leaf(numbers(torch, 5, 2))
        USES_OF_GRADIENTS[name](torch, x)
        return x.grad

    same(mt, oracle, call)


def test_anomaly_mode_looks_into_sparse_gradients(mt, oracle):
    def call(torch, value):
        x = leaf(coo(torch))
        with torch.autograd.detect_anomaly(check_nan=True):
            (x.clone() * 2).backward(coo(torch, [value, 1.0, 1.0, 1.0]))
        return x.grad

    same(mt, oracle, lambda t: call(t, 3.0))
    same(mt, oracle, lambda t: call(t, float("nan")))


def test_second_order_gradients_reach_the_inputs(mt, oracle):
    def call(torch, function, *inputs):
        inputs = [leaf(tensor) for tensor in inputs]
        result = function(*inputs)
        grad = torch.ones_like(result).requires_grad_()
        first = torch.autograd.grad(result, inputs, grad, create_graph=True)
        names = [type(g.grad_fn).__name__ for g in first]
        total = sum((g.to_dense() * g.to_dense()).sum() for g in first)
        return names, torch.autograd.grad(total, [grad, *inputs], allow_unused=True)

    same(mt, oracle, lambda t: call(t, t.sparse.mm, coo(t).coalesce(), numbers(t, 3, 2)))
    same(mt, oracle, lambda t: call(t, lambda w: embed(t, w), numbers(t, 5, 2)))
    same(mt, oracle, lambda t: call(t, lambda w: w.gather(0, t.tensor([[0, 4]]), sparse_grad=True), numbers(t, 5, 2)))


GRADCHECK_CALLS = {
    "sparse.mm": lambda t, masked: (t.sparse.mm, coo(t, dtype="float64").coalesce(), numbers(t, 3, 2, dtype="float64")),
    "mm": lambda t, masked: (t.mm, coo(t, dtype="float64").coalesce(), numbers(t, 3, 2, dtype="float64")),
    "sparse.mm of sparse ones": lambda t, masked: (
        lambda a, b: t.sparse.mm(a, b).to_dense(masked_grad=masked),
        coo(t, dtype="float64").coalesce(),
        coo(t, dtype="float64").t().coalesce(),
    ),
    "bmm": lambda t, masked: (
        t.bmm,
        numbers(t, 2, 2, 3, dtype="float64").to_sparse(),
        numbers(t, 2, 3, 2, dtype="float64"),
    ),
    "to_dense": lambda t, masked: (lambda a: a.to_dense(masked_grad=masked), coo(t, dtype="float64").coalesce()),
    "sparse_mask": lambda t, masked: (
        lambda a: a.sparse_mask(coo(t).coalesce()).to_dense(masked_grad=masked),
        numbers(t, 2, 3, dtype="float64"),
    ),
    "made of values": lambda t, masked: (
        lambda v: t.sparse_coo_tensor(t.tensor(INDICES), v, (2, 3)).to_dense(),
        numbers(t, 4, dtype="float64"),
    ),
}


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("name", GRADCHECK_CALLS)
def test_gradcheck_findings_match_torch(mt, oracle, name, masked):
    def call(torch):
        function, *inputs = GRADCHECK_CALLS[name](torch, masked)
        try:
            return torch.autograd.gradcheck(function, [leaf(tensor) for tensor in inputs], masked=masked)
        except RuntimeError as error:
            return str(error).split("\n")[0]

    same(mt, oracle, call)


def test_the_gradient_of_a_large_sparse_factor_is_never_dense(mt):
    # As a dense tensor it would have 10^10 elements.
    mt.manual_seed(0)
    size, count = 100_000, 1000
    left = mt.sparse_coo_tensor(mt.randint(size, (2, count)), mt.rand(count), (size, size)).coalesce().requires_grad_()
    right, grad = mt.rand(size, 3), mt.rand(size, 3)
    (found,) = mt.autograd.grad(mt.sparse.mm(left, right), left, grad)
    row, column = left.detach().indices()
    assert mt.equal(found._indices(), left.detach().indices())
    assert mt.allclose(found._values(), (grad[row] * right[column]).sum(1))
