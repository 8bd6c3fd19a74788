"""torch.func has torch's values: gradients of functions, Jacobians, and maps over batches."""

import pytest
from outcomes import close, outcome, result


def _cube(a):
    return (a**3).sum()


CALLS = {
    "grad": lambda t, x, m: t.func.grad(_cube)(x),
    "grad and value": lambda t, x, m: t.func.grad_and_value(_cube)(x),
    "grad twice": lambda t, x, m: t.func.grad(t.func.grad(lambda a: a**3))(t.tensor(2.0)),
    "grad by two": lambda t, x, m: t.func.grad(lambda a, b: (a * b).sum(), argnums=(0, 1))(x, x * 2),
    "grad by dict": lambda t, x, m: t.func.grad(lambda d: (d["a"] * d["b"]).sum())({"a": x, "b": x}),
    "grad with aux": lambda t, x, m: t.func.grad(lambda a: (a.sum(), a * 2), has_aux=True)(x),
    "grad of a vector": lambda t, x, m: t.func.grad(lambda a: a)(x),
    "grad of a number": lambda t, x, m: t.func.grad(lambda a: 3)(x),
    "jacrev by a number": lambda t, x, m: t.func.jacrev(lambda a: a**2)(t.tensor(3.0)),
    "jacfwd by a number": lambda t, x, m: t.func.jacfwd(lambda a: (a**2, a * x))(t.tensor(3.0)),
    "jacrev of a number and a vector": lambda t, x, m: t.func.jacrev(lambda a: (a, a * x))(t.tensor(3.0)),
    "jacrev of a number, in chunks": lambda t, x, m: t.func.jacrev(lambda a: a**2, chunk_size=1)(t.tensor(3.0)),
    "hessian by a number": lambda t, x, m: t.func.hessian(lambda a: a**3)(t.tensor(3.0)),
    "grad by a wrong argument": lambda t, x, m: t.func.grad(_cube, argnums=3)(x),
    "vmap of grad": lambda t, x, m: t.func.vmap(t.func.grad(_cube))(m),
    "vmap beside a constant": lambda t, x, m: t.func.vmap(lambda a, b: a * b, in_dims=(0, None))(m, x),
    "vmap over columns": lambda t, x, m: t.func.vmap(lambda a: a.sum(), in_dims=1)(m),
    "vmap to two": lambda t, x, m: t.func.vmap(lambda a: (a, a * 2), out_dims=(0, 1))(m),
    "vmap in vmap": lambda t, x, m: t.func.vmap(t.func.vmap(lambda a, b: a + b, in_dims=(None, 0)), in_dims=(0, None))(
        x, x
    ),
    "vmap over a missing dimension": lambda t, x, m: t.func.vmap(_cube, in_dims=3)(x),
    "vmap without inputs": lambda t, x, m: t.func.vmap(_cube)(),
    "vmap of chance": lambda t, x, m: t.func.vmap(lambda a: t.rand(2))(m)[0].shape,
    "vmap with too many in_dims": lambda t, x, m: t.func.vmap(_cube, in_dims=(0, 0))(m),
    "jacrev": lambda t, x, m: t.func.jacrev(lambda a: a * a)(x),
    "jacrev of a dict": lambda t, x, m: t.func.jacrev(lambda a: {"s": a.sum(), "m": a * 2})(x),
    "jacfwd": lambda t, x, m: t.func.jacfwd(lambda a: a * a)(x),
    "hessian": lambda t, x, m: t.func.hessian(_cube)(x),
    "vjp": lambda t, x, m: t.func.vjp(lambda a: a * a, x)[1](t.ones(3)),
    "jvp": lambda t, x, m: t.func.jvp(lambda a: a * a, (x,), (t.ones(3),)),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_and_errors_are_torchs(name, mt, oracle):
    def call_transform(torch):
        return CALLS[name](torch, torch.tensor([1.0, 2.0, 3.0]), torch.arange(6.0).view(2, 3))

    ours, theirs = result(call_transform, mt), result(call_transform, oracle)
    assert close(ours, theirs), (ours, theirs)


def test_a_gradient_keeps_the_graph_of_outer_values_only(mt):
    x, weight = mt.tensor([1.0, 2.0]), mt.tensor([3.0, 4.0], requires_grad=True)
    assert mt.func.grad(lambda a: (a * weight).sum())(x).requires_grad
    assert not mt.func.grad(lambda a: (a * a).sum())(x).requires_grad


def test_functional_call_uses_the_given_parameters(mt):
    layer = mt.nn.Linear(2, 1, bias=False)
    found = mt.func.functional_call(layer, {"weight": mt.ones(1, 2)}, (mt.tensor([[2.0, 3.0]]),))
    assert found.tolist() == [[5.0]]


MODES = {"no_grad": lambda t: t.no_grad(), "inference_mode": lambda t: t.inference_mode()}
UNDER_MODES = {
    "grad": lambda t, x, p: t.func.grad(lambda a: (a * p).sum())(x),
    "grad of a parameter": lambda t, x, p: t.func.grad(lambda a: (a**3).sum())(p),
    "grad with aux": lambda t, x, p: t.func.grad(lambda a: ((a * p).sum(), (p, p * a)), has_aux=True)(x),
    "grad and value": lambda t, x, p: t.func.grad_and_value(lambda a: (a * p).sum())(x),
    "vjp": lambda t, x, p: (found := t.func.vjp(lambda a: a * p, x)) and (found[0], found[1](t.ones(3))),
    "jvp": lambda t, x, p: t.func.jvp(lambda a: a * p, (x,), (t.ones(3),)),
    "jacrev": lambda t, x, p: t.func.jacrev(lambda a: a * a * p)(x),
    "jacfwd": lambda t, x, p: t.func.jacfwd(lambda a: a * a * p)(x),
    "hessian": lambda t, x, p: t.func.hessian(lambda a: (a**3 * p).sum())(x),
    "vmap of grad": lambda t, x, p: t.func.vmap(t.func.grad(lambda a: (a * p).sum()))(x.expand(2, 3)),
    "vmap of vjp": lambda t, x, p: t.func.vmap(lambda v: t.func.vjp(lambda a: a * p, x)[1](v))(t.eye(3)),
    "a tensor made inside": lambda t, x, p: t.func.grad(lambda a: (a * p).sum())(t.ones(3)),
    "modes inside": lambda t, x, p: t.func.grad(
        lambda a: (a.sum(), t.tensor([t.is_grad_enabled(), t.is_inference_mode_enabled()])), has_aux=True
    )(x)[1],
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", UNDER_MODES)
def test_under_a_mode_without_gradients_transforms_work_and_keep_no_graph(name, mode, mt, oracle):
    def call_under_mode(torch):
        x, parameter = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0, 6.0], requires_grad=True)
        with MODES[mode](torch):
            return UNDER_MODES[name](torch, x, parameter)

    assert outcome(call_under_mode, mt)[0] == outcome(call_under_mode, oracle)[0]


def test_a_vjp_records_by_the_mode_that_it_is_called_in(mt, oracle):
    for torch in (mt, oracle):
        p, ones = torch.tensor([1.0, 2.0], requires_grad=True), torch.ones(2)
        with torch.no_grad():
            pull_back = torch.func.vjp(lambda a: a**3, p)[1]
        (found,) = pull_back(ones)
        assert found.requires_grad and torch.autograd.grad(found.sum(), p)[0].tolist() == [6.0, 12.0]
        pull_back = torch.func.vjp(lambda a: a**3, p)[1]
        with torch.no_grad():
            assert not pull_back(ones)[0].requires_grad
