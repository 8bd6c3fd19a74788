"""torch.vmap maps operators, nested with grad and jvp, with torch's results, random numbers and errors."""

import importlib

import pytest
from outcomes import close, result

MATRIX = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]]


def _apply_layer(t, x):
    weight = t.linspace(-1, 1, 12).view(4, 3)
    return t.nn.functional.gelu(t.nn.functional.linear(x, weight, t.linspace(0, 1, 4)))


def _compute_loss(t, weight, x, y):
    return t.nn.functional.cross_entropy((weight @ x).unsqueeze(0), y.unsqueeze(0))


def _attend(t, x):
    q = x.view(1, 1, 3, 1)
    return t.nn.functional.scaled_dot_product_attention(q, q * 2, q + 1).sum()


OPERATORS = {
    "add of a row and a column": lambda t, a: a[:, None] + a,
    "add of 0-dim double": lambda t, a: (a.sum().double() + a).exp(),
    "linear": lambda t, a: _apply_layer(t, a),
    "linear of rows": lambda t, a: _apply_layer(t, a.view(1, 3)),
    "matmul": lambda t, a: a.view(3, 1) @ a.view(1, 3),
    "mv": lambda t, a: t.outer(a, a) @ a,
    "dot": lambda t, a: t.dot(a, a * 2),
    "bmm": lambda t, a: t.bmm(a.view(3, 1, 1), a.view(3, 1, 1)),
    "addmm": lambda t, a: t.addmm(a, a.view(3, 1), a.view(1, 3), beta=2, alpha=0.5),
    "layer norm": lambda t, a: t.nn.functional.layer_norm(a, (3,), a * 2, a + 1),
    "softmax": lambda t, a: a.softmax(-1),
    "softmax of a number": lambda t, a: a.sum().softmax(0),
    "log softmax": lambda t, a: a.view(1, 3).log_softmax(1),
    "sdpa": lambda t, a: _attend(t, a),
    "embedding by index": lambda t, a: t.nn.functional.embedding(a.long(), t.arange(14.0).view(7, 2)),
    "embedding by table": lambda t, a: t.nn.functional.embedding(t.tensor([[0, 2]]), a.view(3, 1), padding_idx=0),
    "cross entropy": lambda t, a: t.nn.functional.cross_entropy(a.view(3, 1).repeat(1, 4), t.tensor([0, 3, 1])),
    "cross entropy of one": lambda t, a: t.nn.functional.cross_entropy(a, t.tensor(1)),
    "cross entropy with weights": lambda t, a: t.nn.functional.cross_entropy(
        a.view(3, 1).repeat(1, 4), t.tensor([0, 3, -100]), t.tensor([1.0, 2, 3, 4])
    ),
    "mse": lambda t, a: t.nn.functional.mse_loss(a, a.flip(0)),
    "where": lambda t, a: t.where(a > 2, a, t.tensor(0.5)),
    "masked fill": lambda t, a: a.masked_fill(a > 2, -1.0),
    "clamp": lambda t, a: a.clamp(1.5, 4),
    "views": lambda t, a: a.view(1, 3).expand(2, 3).transpose(0, 1).unsqueeze(-1).squeeze().permute(1, 0).reshape(-1),
    "squeeze": lambda t, a: a.view(1, 3, 1).squeeze(),
    "select and slices": lambda t, a: (a[0], a[-2:], a[::2], a[..., None]),
    "index by numbers": lambda t, a: a[t.tensor([2, 0, 0])],
    "index by batched numbers": lambda t, a: t.arange(10.0).view(2, 5)[:, a.long() - 1],
    "index on both sides": lambda t, a: t.arange(18.0).view(3, 2, 3)[t.tensor([0, 1]), :, (a.long() % 3)[:2]],
    "index put": lambda t, a: a.clone().index_put_((t.tensor([0, 1]),), t.tensor(9.0)),
    "index select": lambda t, a: (a.index_select(0, t.tensor([1, 1])), t.arange(9.0).index_select(0, a.long())),
    "gather": lambda t, a: a.gather(0, t.tensor([2, 0])),
    "scatter": lambda t, a: t.zeros(3).scatter(0, t.tensor([2, 0, 1]), a),
    "cat and stack": lambda t, a: (t.cat([a, a * 2, t.ones(1)]), t.stack([a, t.ones(3)], -1)),
    "split and chunk": lambda t, a: (*a.split(2), *a.chunk(3), *a.unbind()),
    "sum": lambda t, a: (a.sum(), a.sum(0), a.view(1, 3).sum((0, 1)), a.view(3, 1).sum(0, keepdim=True)),
    "mean and var": lambda t, a: (a.mean(), a.var(), a.std(0), t.var_mean(a.view(3, 1), 0, keepdim=True)),
    "max and min": lambda t, a: (a.max(), a.min(0).values, a.argmax(), a.argmax(0, keepdim=True), a.amax()),
    "any and all": lambda t, a: ((a > 2).any(), (a > 0).all(0)),
    "prod, norm, logsumexp": lambda t, a: (a.prod(), a.norm(), a.logsumexp(0), t.linalg.vector_norm(a)),
    "sort and topk": lambda t, a: (a.sort(descending=True).values, a.topk(2).indices, a.cumsum(0)),
    "flip and roll": lambda t, a: (a.flip(0), a.roll(1), a.view(1, 3).roll(1, 1), a.diag()),
    "in place": lambda t, a: a.clone().add_(a).mul_(2).clamp_(max=5),
    "in place on a view": lambda t, a: (lambda b: (b[1:].fill_(a[0]), b)[1])(a.clone()),
    "transpose in place": lambda t, a: a.clone().view(1, 3).t_().squeeze_(1),
    "new ones": lambda t, a: (a.new_ones(2) * a[0], t.zeros_like(a), t.full_like(a, 2)),
    "new zeros written to": lambda t, a: a.new_zeros(3).copy_(a),
    "conversions": lambda t, a: (a.double(), a.to(t.int64), a.bool(), a.half().float()),
    "complex": lambda t, a: (t.complex(a, a).abs(), t.view_as_real(t.complex(a, a))),
    "einsum": lambda t, a: t.einsum("i,j->ij", a, a),
    "conv": lambda t, a: t.nn.functional.conv1d(a.view(1, 1, 3), t.ones(2, 1, 2), t.ones(2)),
    "conv by kernel": lambda t, a: t.nn.functional.conv1d(t.ones(1, 1, 5), a.view(1, 1, 3)),
    "pool": lambda t, a: t.nn.functional.avg_pool2d(a.repeat(3).view(1, 1, 3, 3), 2),
    "group norm": lambda t, a: t.nn.functional.group_norm(a.repeat(4).view(2, 2, 3), 2),
    "pad": lambda t, a: t.nn.functional.pad(a, (1, 2)),
    "cholesky": lambda t, a: t.linalg.cholesky(t.eye(3) * a.abs()),
    "solve": lambda t, a: t.linalg.solve(t.eye(3) * a, a),
    "one hot": lambda t, a: t.nn.functional.one_hot(a.long(), 9),
    "as_strided": lambda t, a: a.as_strided((2, 2), (1, 1)),
    "a length": lambda t, a: t.tensor(len(a) + a.shape[0] + a.dim()),
    "what it is": lambda t, a: t.tensor([a.requires_grad, a.is_leaf, a.is_contiguous(), a.stride() == (1,)]),
    "printed": lambda t, a: t.tensor(len(repr(a))),
}


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("in_dim", [0, 1])
def test_an_operator_is_mapped_as_torch_maps_it(name, in_dim, mt, oracle):
    def map_operator(torch):
        x = torch.tensor(MATRIX)
        return torch.vmap(lambda a: OPERATORS[name](torch, a), in_dims=in_dim)(x if in_dim == 0 else x.t())

    ours, theirs = result(map_operator, mt), result(map_operator, oracle)
    assert close(ours, theirs), (ours, theirs)


NESTED = {
    "per-sample gradients": lambda t, x, y: t.vmap(
        t.func.grad(lambda w, a, b: _compute_loss(t, w, a, b)), (None, 0, 0)
    )(t.linspace(-1, 1, 12).view(4, 3), x, y),
    "vmap of grad": lambda t, x, y: t.vmap(t.func.grad(lambda a: (a.sin() * a).sum()))(x),
    "grad of vmap": lambda t, x, y: t.func.grad(lambda a: t.vmap(lambda b: (b.cos() * b).sum())(a).sum())(x),
    "vmap of grad of a constant": lambda t, x, y: t.vmap(t.func.grad(lambda w, a: (w * a).sum()), (None, 0))(x[0], x),
    "vmap of vmap of grad": lambda t, x, y: t.vmap(t.vmap(t.func.grad(lambda a: a**3)))(x),
    "vmap of grad of vmap": lambda t, x, y: t.vmap(t.func.grad(lambda a: t.vmap(lambda b: b**3)(a).sum()))(x),
    "grad of vmap of grad": lambda t, x, y: t.func.grad(lambda a: t.vmap(t.func.grad(lambda b: (b**4).sum()))(a).sum())(
        x
    ),
    "grad of grad in vmap": lambda t, x, y: t.vmap(t.vmap(t.func.grad(t.func.grad(lambda a: a.exp() * a))))(x),
    "vmap of jvp": lambda t, x, y: t.vmap(lambda a: t.func.jvp(lambda b: _apply_layer(t, b), (a,), (a * 2,)))(x),
    "vmap of jvp along constants": lambda t, x, y: t.vmap(lambda a: t.func.jvp(t.sin, (x[0],), (a,)))(x),
    "jvp of vmap": lambda t, x, y: t.func.jvp(t.vmap(lambda b: _apply_layer(t, b)), (x,), (x * 2,)),
    "jvp of vmap of grad": lambda t, x, y: t.func.jvp(t.vmap(t.func.grad(lambda b: (b**3).sum())), (x,), (x,)),
    "jvp of grad of vmap": lambda t, x, y: t.func.jvp(
        t.func.grad(lambda a: t.vmap(lambda b: b.softmax(0)[0])(a).sum()), (x,), (x * x,)
    ),
    "grad of jvp in vmap": lambda t, x, y: t.vmap(t.func.grad(lambda a: t.func.jvp(t.sin, (a,), (a,))[1].sum()))(x),
    "vmap of vjp": lambda t, x, y: t.vmap(lambda a: t.func.vjp(t.sin, a)[1](a * 2))(x),
    "vjp mapped over cotangents": lambda t, x, y: t.vmap(t.func.vjp(t.sin, x[0])[1])(x),
    "vjp of all, mapped over cotangents": lambda t, x, y: t.vmap(t.func.vjp(lambda a: t.tensordot(a, x), x)[1])(
        t.tensor([1.0, 2.0])
    ),
    "vjp inside of vmap, mapped": lambda t, x, y: t.vmap(lambda a: t.vmap(t.func.vjp(lambda b: b * b, a)[1])(t.eye(3)))(
        x
    ),
    "vmap of jacrev": lambda t, x, y: t.vmap(t.func.jacrev(lambda a: a.softmax(0)))(x),
    "vmap of jacfwd": lambda t, x, y: t.vmap(t.func.jacfwd(lambda a: a.softmax(0)))(x),
    "jacrev of two": lambda t, x, y: t.func.jacrev(lambda a, b: {"p": a * b, "s": b.sum()}, (0, 1))(x[0], x[1]),
    "jacfwd of two": lambda t, x, y: t.func.jacfwd(lambda a, b: {"p": a * b, "s": b.sum()}, (0, 1))(x[0], x[1]),
    "jacrev in chunks": lambda t, x, y: t.func.jacrev(lambda a: a.sin(), chunk_size=2)(x),
    "jacrev with aux": lambda t, x, y: t.func.jacrev(lambda a: (a * a, a.sum()), has_aux=True)(x[0]),
    "jacfwd with aux": lambda t, x, y: t.func.jacfwd(lambda a: (a * a, a.sum()), has_aux=True)(x[0]),
    "jacfwd of integers": lambda t, x, y: t.func.jacfwd(lambda a: a > 2)(x[0]),
    "hessian": lambda t, x, y: t.func.hessian(lambda a: (a.softmax(0)[0] * a).sum())(x[0]),
    "vmap of hessian": lambda t, x, y: t.vmap(t.func.hessian(lambda a: (a**3).prod()))(x),
    "jacrev of jacrev": lambda t, x, y: t.func.jacrev(t.func.jacrev(lambda a: (a**3).prod()))(x[0]),
    "jacfwd of jacfwd": lambda t, x, y: t.func.jacfwd(t.func.jacfwd(lambda a: (a**3).prod()))(x[0]),
    "grad through a layer norm in vmap": lambda t, x, y: t.vmap(
        t.func.grad(lambda a: (t.nn.functional.layer_norm(a, (3,), a, a) * a).sum())
    )(x),
    "grad through attention in vmap": lambda t, x, y: t.vmap(t.func.grad(lambda a: _attend(t, a)))(x),
    "grad of dropout": lambda t, x, y: t.vmap(
        t.func.grad(lambda a: t.nn.functional.dropout(a * a).sum()), randomness="different"
    )(x),
    "linearize": lambda t, x, y: t.func.linearize(lambda a: a.sin() * a, x)[1](x),
    "in chunks": lambda t, x, y: t.vmap(lambda a: (a.sum(), a), in_dims=1, out_dims=(0, 1), chunk_size=2)(x),
}


@pytest.mark.parametrize("name", NESTED)
def test_transforms_nest_as_in_torch(name, mt, oracle):
    def nest_transforms(torch):
        torch.manual_seed(5)
        return NESTED[name](torch, torch.tensor(MATRIX), torch.tensor([1, 3]))

    ours, theirs = result(nest_transforms, mt), result(nest_transforms, oracle)
    assert close(ours, theirs, relative=1e-4, absolute=1e-5), (ours, theirs)


REFUSALS = {
    "item": lambda t, a: a.sum().item(),
    "int": lambda t, a: int(a.sum()),
    "truth": lambda t, a: a if a.sum() > 0 else -a,
    "is_nonzero": lambda t, a: t.is_nonzero(a.sum()),
    "tolist": lambda t, a: a.tolist(),
    "numpy": lambda t, a: a.numpy(),
    "data_ptr": lambda t, a: a.data_ptr(),
    "untyped_storage": lambda t, a: a.untyped_storage(),
    "data": lambda t, a: a.data,
    "requires_grad_": lambda t, a: a.requires_grad_(),
    "backward": lambda t, a: a.sum().backward(),
    "nonzero": lambda t, a: a.nonzero(),
    "masked_select": lambda t, a: a.masked_select(a > 0),
    "boolean index": lambda t, a: a[a > 0],
    "unique": lambda t, a: a.unique(),
    "where alone": lambda t, a: t.where(a > 0),
    "equal": lambda t, a: t.equal(a, a),
    "allclose": lambda t, a: t.allclose(a, a),
    "out=": lambda t, a: t.add(a, a, out=t.empty(3)),
    "add_ to a constant": lambda t, a: t.zeros(3).add_(a),
    "copy_ to a constant": lambda t, a: t.zeros(3).copy_(a),
    "fill_ of a constant": lambda t, a: t.zeros(3).fill_(a[0]),
    "a wrong dim": lambda t, a: a.sum(3),
    "a wrong shape": lambda t, a: a + t.ones(2),
    "a number returned": lambda t, a: 3,
    "nothing returned": lambda t, a: None,
    "rand": lambda t, a: t.rand(3),
    "dropout": lambda t, a: t.nn.functional.dropout(a),
    "randperm": lambda t, a: t.randperm(3),
    "bernoulli": lambda t, a: t.bernoulli(a * 0),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_vmap_refusals_match_torch(name, mt, oracle):
    def map_refused_function(torch):
        return torch.vmap(lambda a: REFUSALS[name](torch, a))(torch.tensor(MATRIX))

    ours, theirs = result(map_refused_function, mt), result(map_refused_function, oracle)
    assert isinstance(theirs, tuple), "real torch maps this"
    assert ours == theirs


RANDOM_CALLS = {
    "rand": lambda t, a: t.rand(2),
    "randn": lambda t, a: t.randn(3, 7),
    "rand_like": lambda t, a: t.rand_like(a),
    "randint": lambda t, a: t.randint(5, (3,)),
    "randperm": lambda t, a: t.randperm(4),
    "dropout": lambda t, a: t.nn.functional.dropout(a + 1),
    "no dropout": lambda t, a: t.nn.functional.dropout(a, training=False),
    "bernoulli of a constant": lambda t, a: t.bernoulli(t.full((3,), 0.5)),
    "bernoulli": lambda t, a: t.bernoulli(a / 10),
    "normal_ on a constant": lambda t, a: t.zeros(3).normal_(),
    "normal_": lambda t, a: a.clone().normal_(),
    "uniform_": lambda t, a: t.empty_like(a).uniform_(),
    "exponential_": lambda t, a: a.clone().exponential_(),
    "multinomial": lambda t, a: t.multinomial(a, 2),
    "multinomial of a constant": lambda t, a: t.multinomial(t.ones(3), 2),
    "normal": lambda t, a: t.normal(a, 1.0),
}


@pytest.mark.parametrize("name", RANDOM_CALLS)
@pytest.mark.parametrize("randomness", ["same", "different"])
def test_random_numbers_are_torchs(name, randomness, mt, oracle):
    def map_random(torch):
        torch.manual_seed(3)
        return torch.vmap(lambda a: RANDOM_CALLS[name](torch, a), randomness=randomness)(
            torch.tensor(MATRIX)
        ), torch.rand(1)

    ours, theirs = result(map_random, mt), result(map_random, oracle)
    assert close(ours, theirs), (ours, theirs)


FORMS = {
    "out_dims": lambda t, x: t.vmap(lambda a: (a, a * 2, a.sum()), out_dims=(0, 1, -1))(x),
    "out_dims beyond": lambda t, x: t.vmap(lambda a: a, out_dims=4)(x),
    "out_dims None": lambda t, x: t.vmap(lambda a: a, out_dims=None)(x),
    "out_dims None of a constant": lambda t, x: t.vmap(lambda a: (a, t.ones(2)), out_dims=(0, None))(x),
    "out_dims of a word": lambda t, x: t.vmap(lambda a: a, out_dims="a")(x),
    "out_dims of another shape": lambda t, x: t.vmap(lambda a: a, out_dims=(0, 0))(x),
    "a constant": lambda t, x: t.vmap(lambda a: t.ones(2), out_dims=1)(x),
    "in_dims of another size": lambda t, x: t.vmap(lambda a, b: a, in_dims=(0, 1))(x, x),
    "in_dims nested": lambda t, x: t.vmap(lambda d: d["a"] * d["b"], in_dims=({"a": 0, "b": None},))(
        {"a": x, "b": x[0]}
    ),
    "negative in_dims": lambda t, x: t.vmap(lambda a: a, in_dims=-1)(x),
    "keywords": lambda t, x: t.vmap(lambda a, b: a + b)(x, b=x[0]),
    "nothing to map": lambda t, x: t.vmap(lambda a: a, in_dims=None)(x),
    "no slices": lambda t, x: t.vmap(lambda a: (a * 2, a.sum(), a.logsumexp(0)))(x[:0]),
    "chunks of none": lambda t, x: t.vmap(lambda a: a, chunk_size=0)(x),
    "unknown randomness": lambda t, x: t.vmap(lambda a: a, randomness="some")(x),
    "written to inputs": lambda t, x: (t.vmap(lambda a: a.add_(1))(x), x),
    "written through in_dims": lambda t, x: (t.vmap(lambda a: a.mul_(2), in_dims=1)(x), x),
    "printed": lambda t, x: t.tensor([len(line) for line in _run_and_print(t, x).split("\n")]),
    "outer values": lambda t, x: t.vmap(lambda a: t.vmap(lambda b: a * b)(x))(x),
    "two levels": lambda t, x: t.vmap(t.vmap(lambda a, b: a * b, (None, 0)), (0, None))(x[0], x[1]),
    "gradients of constants": lambda t, x: _gradient_of_constant(t, x),
}


def _run_and_print(t, x):
    texts = []
    t.vmap(lambda a: (texts.append(repr(a)), a)[1], in_dims=1)(x)
    return texts[0]


def _gradient_of_constant(t, x):
    weight = t.ones(3, requires_grad=True)
    t.vmap(lambda a: (a * weight).sin())(x).sum().backward()
    return weight.grad


@pytest.mark.parametrize("name", FORMS)
def test_inputs_and_outputs_take_torchs_forms(name, mt, oracle):
    def map_matrix_in_form(torch):
        return FORMS[name](torch, torch.tensor(MATRIX))

    ours, theirs = result(map_matrix_in_form, mt), result(map_matrix_in_form, oracle)
    assert close(ours, theirs), (ours, theirs)


def test_batched_tensor_used_after_vmap_raises(mt, oracle):
    def use_after_vmap(torch):
        kept = []
        torch.vmap(lambda a: (kept.append(a), a)[1])(torch.ones(2))
        return kept[0] + 1

    assert result(use_after_vmap, mt) == result(use_after_vmap, oracle)


def test_an_error_inside_leaves_no_level_open(mt):
    with pytest.raises(ZeroDivisionError):
        mt.vmap(lambda a: 1 / 0)(mt.ones(2))
    assert mt._C._functorch._vmap_levels() == []
    assert mt.rand(2).shape == (2,)


def _make_functions(torch):
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x.cos()

        @staticmethod
        def jvp(ctx, tangent):
            return tangent * 2

    class Derived(Doubled):
        generate_vmap_rule = True

    class Both(Derived):
        @staticmethod
        def vmap(info, in_dims, x):
            return x, 0

    class Own(Doubled):
        @staticmethod
        def vmap(info, in_dims, x):
            return Doubled.apply(x) * info.batch_size, in_dims[0]

    class WithoutDims(Doubled):
        @staticmethod
        def vmap(info, in_dims, x):
            return Doubled.apply(x)

    class WrongDims(Doubled):
        @staticmethod
        def vmap(info, in_dims, x):
            return Doubled.apply(x), (0, 0)

    class WithContext(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad

    class Weighted(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, weight, power):
            return (x * weight).sum() ** power, x.clone()

        @staticmethod
        def setup_context(ctx, inputs, outputs):
            ctx.save_for_backward(inputs[0], inputs[1])
            ctx.power = inputs[2]

        @staticmethod
        def backward(ctx, grad, other):
            x, weight = ctx.saved_tensors
            both = grad * ctx.power * (x * weight).sum() ** (ctx.power - 1)
            return both * weight + other, both * x, None

    all_of_them = (Doubled, Derived, Both, Own, WithoutDims, WrongDims, WithContext, Weighted)
    return {found.__name__: found for found in all_of_them}


@pytest.mark.parametrize("name", ["Doubled", "Derived", "Both", "Own", "WithoutDims", "WrongDims", "WithContext"])
@pytest.mark.parametrize("nesting", ["vmap", "grad", "vmap grad", "grad vmap"])
def test_custom_functions_under_transforms(name, nesting, mt, oracle):
    def transform_custom_function(torch):
        apply = _make_functions(torch)[name].apply
        x = torch.tensor(MATRIX)
        if nesting == "vmap":
            return torch.vmap(apply, in_dims=1)(x)
        if nesting == "grad":
            return torch.func.grad(lambda a: apply(a).sum())(x)
        if nesting == "vmap grad":
            return torch.vmap(torch.func.grad(lambda a: apply(a).sum()))(x)
        return torch.func.grad(lambda a: torch.vmap(apply)(a).sum())(x)

    ours, theirs = result(transform_custom_function, mt), result(transform_custom_function, oracle)
    assert close(ours, theirs), (ours, theirs)


def test_derived_vmap_rule_sums_gradients_of_unbatched_inputs(mt, oracle):
    def differentiate_mapped(torch):
        apply = _make_functions(torch)["Weighted"].apply
        x = torch.tensor(MATRIX)

        def total_of_weighted(a, weight):
            first, second = torch.vmap(lambda b: apply(b, weight, 2))(a)
            return first.sum() + second.sum()

        return torch.func.grad(total_of_weighted, (0, 1))(x, x[0])

    assert close(result(differentiate_mapped, mt), result(differentiate_mapped, oracle))


def _make_functions_with_rules(torch):
    """Functions whose vmap rule has another derivative than the function, so that the result shows which one was
    used."""

    class Cosine(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x.cos()

        @staticmethod
        def jvp(ctx, tangent):
            return tangent * 7

    class Scaled(Cosine):
        @staticmethod
        def vmap(info, in_dims, x):
            return Cosine.apply(x) * info.batch_size, in_dims[0]

    class Unrecorded(Cosine):
        @staticmethod
        def vmap(info, in_dims, x):
            return torch.tensor(x.detach().tolist()) * 2, in_dims[0]

    class Shared(Cosine):
        @staticmethod
        def vmap(info, in_dims, x):
            return Cosine.apply(x.select(in_dims[0], 0)), None

    return Scaled.apply, Unrecorded.apply, Shared.apply


NESTINGS = {
    "vmap": lambda t, f, x: t.vmap(f)(x),
    "vmap grad": lambda t, f, x: t.vmap(t.func.grad(lambda a: f(a).sum()))(x),
    "vmap vmap grad": lambda t, f, x: t.vmap(t.vmap(t.func.grad(lambda a: f(a).sum()), 1, 1))(t.stack([x, x + 1])),
    "vmap grad vmap": lambda t, f, x: t.vmap(t.func.grad(lambda a: t.vmap(f)(a).sum()))(t.stack([x, x + 1])),
    "vmap grad grad": lambda t, f, x: t.vmap(t.func.grad(lambda b: t.func.grad(lambda a: f(a).sum())(b).sum()))(x),
    "grad vmap": lambda t, f, x: t.func.grad(lambda a: t.vmap(f)(a).sum())(x),
    "grad vmap grad": lambda t, f, x: t.func.grad(lambda b: t.vmap(t.func.grad(lambda a: f(a).sum()))(b).sum())(x),
    "vmap jvp": lambda t, f, x: t.vmap(lambda a: t.func.jvp(f, (a,), (a,)))(x),
    "jvp vmap": lambda t, f, x: t.func.jvp(t.vmap(f), (x,), (x,)),
    "vmap vjp": lambda t, f, x: t.vmap(lambda a: t.func.vjp(f, a)[1](a))(x),
    "vmap jacrev": lambda t, f, x: t.vmap(t.func.jacrev(f))(x),
}


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("nesting", list(NESTINGS))
def test_a_transform_inside_of_vmap_takes_the_functions_own_derivative(nesting, which, mt, oracle):
    def nest_functions_with_rules(torch):
        return NESTINGS[nesting](torch, _make_functions_with_rules(torch)[which], torch.tensor(MATRIX))

    ours, theirs = result(nest_functions_with_rules, mt), result(nest_functions_with_rules, oracle)
    assert close(ours, theirs), (ours, theirs)


def _make_function_with_attributes(torch):
    class Product(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, y, n):
            return x * y * n, x > 0.5, x + 1

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.n, ctx.pair, ctx._x = inputs[2], [inputs[0], {"y": inputs[1]}], inputs[0]
            ctx.save_for_backward(output[0])
            ctx.save_for_forward(inputs[0])
            ctx.mark_non_differentiable(output[1])

        @staticmethod
        def backward(ctx, grad, _, other):
            (out,) = ctx.saved_tensors
            return ctx.pair[1]["y"] * grad * ctx.n + other + 0 * out, ctx._x * grad * ctx.n, None

        @staticmethod
        def jvp(ctx, x, y, _):
            (first,) = ctx.saved_tensors
            return x * ctx.pair[1]["y"] * ctx.n + first * y * ctx.n, None, x

    return Product.apply


@pytest.mark.parametrize(
    "nesting",
    [
        *("vmap", "vmap vmap", "vmap vmap grad", "grad vmap vmap", "vmap grad vmap", "vmap grad vmap grad", "jvp"),
        "vmap jvp",
    ],
)
def test_a_derived_rule_nests_and_keeps_tensors_in_the_context(nesting, mt, oracle):
    def transform_function_with_attributes(torch):
        f, x, v, grad = _make_function_with_attributes(torch), torch.tensor(MATRIX), torch.vmap, torch.func.grad
        w = x[0] + 1

        def sum_of_product(a, b):
            first, _, last = f(a, b, 3)
            return first.sum() + 2 * last.sum()

        def multiply_by_itself(a):
            return f(a, w, 2)[0]

        return {
            "vmap": lambda: v(lambda a: f(a, w, 3))(x),
            "vmap vmap": lambda: v(v(lambda a, b: f(a, b, 3)), (0, None))(x, w),
            "vmap vmap grad": lambda: v(v(grad(sum_of_product, (0, 1))), (0, None))(x, w),
            "grad vmap vmap": lambda: grad(lambda b: v(v(lambda a: sum_of_product(a, b)))(x).sum())(w),
            "vmap grad vmap": lambda: v(grad(lambda a: v(lambda b: sum_of_product(b, w[0]))(a).sum()))(x),
            "vmap grad vmap grad": lambda: v(grad(lambda a: v(grad(lambda b: sum_of_product(b, b * b)))(a).sum()))(x),
            "jvp": lambda: torch.func.jvp(multiply_by_itself, (x,), (x,)),  # `w` has no tangent, so it gets zeros
            "vmap jvp": lambda: v(lambda a: torch.func.jvp(multiply_by_itself, (a,), (a,)))(x),
        }[nesting]()

    ours, theirs = result(transform_function_with_attributes, mt), result(transform_function_with_attributes, oracle)
    assert close(ours, theirs), (ours, theirs)


def test_movedim_to_the_same_position_is_a_no_op(mt, oracle):
    def map_movedim(torch):
        x = torch.ones(2, 3, requires_grad=True)
        doubled = torch.vmap(lambda a: a * 2)
        return [type(y.grad_fn).__name__ for y in (doubled(x), torch.vmap(doubled)(x))], torch.vmap(lambda a: a)(x) is x

    assert map_movedim(mt) == map_movedim(oracle) == (["MulBackward0", "MulBackward0"], True)


def test_inplace_writes_of_a_mapped_function_are_not_its_result(mt, oracle):
    def map_inplace(torch):
        class Doubled(torch.autograd.Function):
            generate_vmap_rule = True

            @staticmethod
            def forward(x):
                return x.mul_(2)

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.mark_dirty(inputs[0])

        return torch.vmap(lambda x: Doubled.apply(x.clone()))(torch.ones(2))

    assert result(map_inplace, mt) == result(map_inplace, oracle)


def test_a_package_can_take_arguments_and_outputs_of_vmap_apart_itself(mt, oracle, monkeypatch):
    def map_with_replaced_parts(torch):  # as tensordict maps its dictionaries
        vmap = importlib.import_module(f"{torch.__name__}._functorch.vmap")
        seen = []
        for name in ("_process_batched_inputs", "_create_batched_inputs", "_unwrap_batched"):

            def record_and_call_former(*args, name=name, former=getattr(vmap, name)):
                seen.append((name, len(args)))
                return former(*args)

            monkeypatch.setattr(vmap, name, record_and_call_former)
        return torch.vmap(lambda x, y: x * y, in_dims=(0, None))(torch.arange(3), torch.tensor(2)).tolist(), seen

    assert map_with_replaced_parts(mt) == map_with_replaced_parts(oracle)
