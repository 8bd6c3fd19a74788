"""The _foreach operators and fused optimizer steps match torch: values, in-place forms, errors."""

import pytest
from outcomes import outcome


def _make_lists(torch):
    a = [torch.tensor([0.5, 0.25, 2.0]), torch.tensor([[1.5], [0.75]], dtype=torch.float64)]
    return a, [t + 0.5 for t in a], [t * 0.3 + 0.1 for t in a]


UNARY = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round "
    "rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"
).split()


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_list_match_torch(mt, oracle, name):
    def call_on_list(torch):
        a, _, _ = _make_lists(torch)
        fresh = getattr(torch, f"_foreach_{name}")(a)
        same = getattr(torch, f"_foreach_{name}_")(a)
        return type(fresh).__name__, fresh, same is a, a

    assert outcome(call_on_list, mt) == outcome(call_on_list, oracle)


CALLS = {
    "number": lambda torch, f, a, b, c: f(a, 2),
    "list": lambda torch, f, a, b, c: f(a, b),
    "numbers": lambda torch, f, a, b, c: f(a, [2, 0.5]),
    "tensor": lambda torch, f, a, b, c: f(a, torch.tensor(2.0)),
    "empty": lambda torch, f, a, b, c: f([], 2),
    "lengths": lambda torch, f, a, b, c: f(a, b[:1]),
    "lengths of numbers": lambda torch, f, a, b, c: f(a, [1.0]),
}
BINARY = ["add", "sub", "mul", "div", "maximum", "minimum", "clamp_min", "clamp_max", "pow"]


@pytest.mark.parametrize("form", ["", "_"])
@pytest.mark.parametrize("case", CALLS)
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_a_list_and_another_argument_match_torch(mt, oracle, name, case, form):
    if case == "tensor" and name not in ("add", "mul", "div"):
        pytest.skip("torch has no such overload")

    def call_with_second_argument(torch):
        return CALLS[case](torch, getattr(torch, f"_foreach_{name}{form}"), *_make_lists(torch))

    assert outcome(call_with_second_argument, mt) == outcome(call_with_second_argument, oracle)


TERNARY = {
    "addcmul": lambda torch, a, b, c: torch._foreach_addcmul(a, b, c, value=2),
    "addcmul numbers": lambda torch, a, b, c: torch._foreach_addcmul(a, b, c, [2.0, 3.0]),
    "addcmul packed": lambda torch, a, b, c: torch._foreach_addcmul(a, b, c, torch.tensor([2.0, 3.0])),
    "addcmul packed wrong": lambda torch, a, b, c: torch._foreach_addcmul(a, b, c, torch.tensor([2.0])),
    "addcmul unpacked": lambda torch, a, b, c: torch._foreach_addcmul(a, b, c, torch.tensor(2.0)),
    "addcdiv_": lambda torch, a, b, c: torch._foreach_addcdiv_(a, b, c, 2),
    "addcdiv integers": lambda torch, a, b, c: torch._foreach_addcdiv(
        [torch.ones(2).long()] * 2, *[[torch.ones(2).long()] * 2] * 2
    ),
    "lerp": lambda torch, a, b, c: torch._foreach_lerp(a, b, c),
    "lerp number": lambda torch, a, b, c: torch._foreach_lerp_(a, b, 0.25),
    "lerp numbers": lambda torch, a, b, c: torch._foreach_lerp(a, b, [0.25, 0.75]),
    "lerp lengths": lambda torch, a, b, c: torch._foreach_lerp(a, b, c[:1]),
    "norm": lambda torch, a, b, c: torch._foreach_norm(a, 3),
    "norm of nothing": lambda torch, a, b, c: torch._foreach_norm([torch.ones(0)], float("inf")),
    "max": lambda torch, a, b, c: torch._foreach_max(a),
    "max of nothing": lambda torch, a, b, c: torch._foreach_max([torch.ones(0)]),
    "powsum": lambda torch, a, b, c: torch._foreach_powsum(a, 3, dtype=torch.float64),
    "copy_": lambda torch, a, b, c: torch._foreach_copy_(a, b),
    "zero_": lambda torch, a, b, c: torch._foreach_zero_(a),
    "clone": lambda torch, a, b, c: torch._foreach_clone(a),
    "mm": lambda torch, a, b, c: torch._foreach_mm([a[1]], [b[1].t()]),
    "powers of a number": lambda torch, a, b, c: torch._foreach_pow(2.0, a),
    "add alpha": lambda torch, a, b, c: torch._foreach_add(a, b, alpha=3),
}


@pytest.mark.parametrize("case", TERNARY)
def test_functions_of_several_lists_match_torch(mt, oracle, case):
    def call_on_lists(torch):
        return TERNARY[case](torch, *_make_lists(torch))

    assert outcome(call_on_lists, mt) == outcome(call_on_lists, oracle)


def test_gradients_pass_through_each_tensor(mt, oracle):
    def differentiate_lists(torch):
        x = torch.linspace(0.1, 1, 6).requires_grad_()
        out = torch._foreach_mul(torch._foreach_sqrt([x[:2], x[2:]]), 3)
        return torch.autograd.grad(out[0].sum() + (out[1] ** 2).sum(), x)

    assert outcome(differentiate_lists, mt) == outcome(differentiate_lists, oracle)


def test_loss_scaling_matches_torch(mt, oracle):
    def unscale_and_update(torch):
        found, scale, tracker = torch.zeros(1), torch.tensor([4.0]), torch.zeros(1, dtype=torch.int32)
        grads = [torch.tensor([2.0, 4.0]), torch.tensor([8.0, float("inf")])[:1]]
        torch._amp_foreach_non_finite_check_and_unscale_(grads, found, torch.tensor([0.5]))
        first = found.clone()
        torch._amp_foreach_non_finite_check_and_unscale_([torch.tensor([float("nan")])], found, torch.tensor([0.5]))
        history = []
        for inf in (0.0, 0.0, 1.0, 0.0):
            torch._amp_update_scale_(scale, tracker, torch.tensor([inf]), 2.0, 0.5, 2)
            history += [scale.item(), tracker.item()]
        return grads, first, found, history

    assert outcome(unscale_and_update, mt) == outcome(unscale_and_update, oracle)


OPTIMIZERS = [
    ("Adam", {}),
    ("Adam", {"amsgrad": True, "weight_decay": 0.1, "maximize": True}),
    ("AdamW", {}),
    ("AdamW", {"amsgrad": True, "betas": (0.3, 0.5)}),
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.2, "maximize": True}),
    ("Adagrad", {"lr_decay": 0.1, "weight_decay": 0.1}),
]


@pytest.mark.parametrize("how", [{}, {"fused": True}, {"foreach": True}], ids=["default", "fused", "foreach"])
@pytest.mark.parametrize("name, options", OPTIMIZERS)
def test_optimizers_step_as_those_of_torch(mt, oracle, name, options, how):
    def train(torch):
        start = torch.linspace(-1, 1, 70)
        params = [start[:60].view(6, 10).t().clone().requires_grad_(), start[60:].double().requires_grad_()]
        params[0] = params[0].detach().t().requires_grad_()  # not contiguous
        optimizer = getattr(torch.optim, name)(params, **options, **how)
        for _ in range(4):
            optimizer.zero_grad()
            (params[0].sin().sum() + (params[1] ** 2).sum() + params[0].sum() * params[1].sum()).backward()
            optimizer.step()
        return [p.detach().contiguous() for p in params]

    for ours, theirs in zip(train(mt), train(oracle), strict=True):
        oracle.testing.assert_close(oracle.from_numpy(ours.numpy()), theirs, rtol=1e-6, atol=1e-7)


def test_fused_adam_is_bit_identical_to_single_operations(mt):
    def train_parameter_or_subclass(torch, plain):
        torch.manual_seed(0)
        param = torch.randn(1000).requires_grad_()
        if not plain:  # a subclass is updated with single operators
            param = type("Marked", (torch.nn.Parameter,), {})(param.detach())
        optimizer = torch.optim.AdamW([param], lr=0.01, amsgrad=True)
        for _ in range(3):
            param.grad = (param.detach() * 1.7).sin()
            optimizer.step()
        return param.detach().as_subclass(torch.Tensor)

    assert mt.equal(train_parameter_or_subclass(mt, plain=True), train_parameter_or_subclass(mt, plain=False))
