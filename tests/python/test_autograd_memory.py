"""The backward pass overwrites gradients that nothing else references, and no others."""

import pytest

KINDS = ["softmax", "log_softmax"]


def make_tensors(mt, kind):
    mt.manual_seed(0)
    x = mt.randn(5, 7, requires_grad=True)
    return x, getattr(x, kind)(-1), mt.randn(5, 7)


def compute_expected_gradient(mt, kind, y, g):
    """The closed forms: y * (g - sum(y * g)) and g - exp(y) * sum(g)."""
    if kind == "softmax":
        return y * (g - (y * g).sum(-1, keepdim=True))
    return g - y.exp() * g.sum(-1, keepdim=True)


@pytest.mark.parametrize("kind", KINDS)
def test_callers_gradient_is_not_overwritten(mt, kind):
    x, y, g = make_tensors(mt, kind)
    before = g.clone()
    y.backward(g)
    assert mt.equal(g, before)
    assert mt.allclose(x.grad, compute_expected_gradient(mt, kind, y.detach(), g), atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_gradient_kept_by_a_hook_is_not_overwritten(mt, kind):
    x, y, g = make_tensors(mt, kind)
    kept = []
    y.register_hook(kept.append)
    (y * g).sum().backward()
    assert mt.equal(kept[0], g)
    assert mt.allclose(x.grad, compute_expected_gradient(mt, kind, y.detach(), g), atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_retained_or_shared_gradient_is_not_overwritten(mt, kind):
    x, y, g = make_tensors(mt, kind)
    y.retain_grad()
    z = mt.randn(5, 7, requires_grad=True)
    ((y + z) * g).sum().backward()  # the sum passes the same gradient to both
    assert mt.equal(y.grad, g) and mt.equal(z.grad, g)
    assert mt.allclose(x.grad, compute_expected_gradient(mt, kind, y.detach(), g), atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_retained_graph_gives_the_same_gradient_again(mt, kind):
    x, y, g = make_tensors(mt, kind)
    loss = (y * g).sum()
    first, second = (mt.autograd.grad(loss, x, retain_graph=True)[0] for _ in range(2))
    assert mt.equal(first, second)
    assert mt.allclose(first, compute_expected_gradient(mt, kind, y.detach(), g), atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [0, -1])
def test_second_derivatives_and_other_dimensions(mt, kind, dim):
    x = mt.randn(3, 4, dtype=mt.float64, requires_grad=True)
    assert mt.autograd.gradcheck(lambda x: getattr(x, kind)(dim) ** 2, x)
    assert mt.autograd.gradgradcheck(lambda x: getattr(x, kind)(dim) ** 2, x)


@pytest.mark.parametrize("kind, out", [("softmax", "grad_input"), ("log_softmax", "out")])
@pytest.mark.parametrize("place", ["the gradient", "the result", "a matrix", "nothing yet", "its transpose"])
def test_out_may_be_an_argument(mt, kind, out, place):
    _, y, g = make_tensors(mt, kind)
    y = y.detach()
    wanted = compute_expected_gradient(mt, kind, y, g)
    target = {"the gradient": g, "the result": y, "a matrix": mt.zeros(5, 7), "nothing yet": mt.empty(0)}
    target = target.get(place, mt.zeros(7, 5).t())
    operator = getattr(mt.ops.aten, f"_{kind}_backward_data").out
    assert operator(g, y, -1, mt.float32, **{out: target}) is target
    assert mt.allclose(target, wanted, atol=1e-6)
