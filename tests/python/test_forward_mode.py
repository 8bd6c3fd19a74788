"""Forward mode has torch's tangents: through views, in-place writes, graphs, custom functions, nested transforms."""

import pytest
from beside import outcome
from outcomes import outcome as outcome_of

FAD = "torch.autograd.forward_ad"


def _jvp_of_pairs(fad, f, pairs):
    with fad.dual_level():
        out = f(*[fad.make_dual(primal, tangent) for primal, tangent in pairs])
        return [tuple(fad.unpack_dual(item)) for item in (out if isinstance(out, (tuple, list)) else [out])]


SCOPE = {
    "x": "torch.tensor([1.0, 2.0, 3.0])",
    "v": "torch.tensor([0.5, -1.0, 2.0])",
    "m": "torch.arange(6.0).view(2, 3) / 5",
}

# Programs in forward mode; the expected outcome is that of real torch for the same program.
TANGENTS = {
    "product": "run(lambda a: a * a, (x, v))",
    "two inputs": "run(lambda a, b: a * b + b, (x, v), (v, x))",
    "broadcast": "run(lambda a, b: a * b, (m, m), (x, v))",
    "reduction": "run(lambda a: (a.sum(), a.mean(), a.var(), a.norm()), (x, v))",
    "product of matrices": "run(lambda a: a @ a.T, (m, m))",
    "softmax": "run(lambda a: a.softmax(-1), (x, v))",
    "views": "run(lambda a: (a[1:], a.view(3, 1), a.expand(2, 3), *a.split(2), *a.unbind()), (x, v))",
    "detached": "run(lambda a: a.detach(), (x, v))",
    "compared": "run(lambda a: a > 1, (x, v))",
    "constant derivative": "run(lambda a: (a.sign(), a.round()), (x, v))",
    "zeros like": "run(lambda a: torch.zeros_like(a), (x, v))",
    "in place": "run(lambda a: a.clone().mul_(2).add_(a), (x, v))",
    "into a plain tensor": "run(lambda a: torch.zeros(3).copy_(a), (x, v))",
    "into a view": "run(lambda a: (lambda b: [b[1:].copy_(a[1:]), b][1])(torch.zeros(3)), (x, v))",
    "through a view": "run(lambda a: (lambda b: [b[1:].mul_(3), b][1])(a.clone()), (x, v))",
    "filled": "run(lambda a: a.clone().fill_(2.0), (x, v))",
    "squeezed in place": "run(lambda a: a.clone().unsqueeze_(0).mul_(2), (x, v))",
    "complex": "run(lambda a: (lambda c: (c * c).real)(torch.view_as_complex(a.view(1, 2))), (x[:2], v[:2]))",
    "of another dtype": "run(lambda a: a.double() * 2, (x, v))",
    "without recording": "torch.no_grad()(run)(lambda a: a * a, (x, v))",
    "printed": "run(lambda a: [print(a), a][1], (x, v))",
    "another size": "run(lambda a: a, (x, v[:2]))",
    "an integer": "run(lambda a: a, (torch.arange(3), v))",
    "dual already": f"run(lambda a: {FAD}.make_dual(a, v), (x, v))",
    "out": "run(lambda a: torch.add(a, 1, out=torch.empty(3)), (x, v))",
    "into dual out": "run(lambda a: torch.add(x, 1, out=a), (x, v))",
    "no level": f"{FAD}.make_dual(x, v)",
    "nested": f"run(lambda a: {FAD}.enter_dual_level(), (x, v))",
    "unpacked outside": f"{FAD}.unpack_dual(x)",
}
FUNCTIONS = {
    "jvp": "torch.func.jvp(lambda a: a.sin() * a, (x,), (v,))",
    "jvp of two": "torch.func.jvp(lambda a, b: (a * b, a.sum()), (x, v), (v, x))",
    "jvp of a constant": "torch.func.jvp(lambda a: torch.ones(2), (x,), (v,))",
    "jvp of a constant, strictly": "torch.func.jvp(lambda a: torch.ones(2), (x,), (v,), strict=True)",
    "jvp of jvp": "torch.func.jvp(lambda a: torch.func.jvp(lambda b: b**3, (a,), (v,))[1], (x,), (v,))",
    "jvp of grad": "torch.func.jvp(torch.func.grad(lambda a: (a**3).sum()), (x,), (v,))",
    "grad of jvp": "torch.func.grad(lambda a: torch.func.jvp(lambda b: (b**3).sum(), (a,), (v,))[1])(x)",
    "jvp along an outer value": "torch.func.jvp(lambda a: torch.func.jvp(lambda b: a * b, (a,), (v,))[1], (x,), (v,))",
    "jacfwd": "torch.func.jacfwd(lambda a: a * a.sum())(x)",
    "jacfwd of two": "torch.func.jacfwd(lambda a, b: a * b, argnums=(0, 1))(x, v)",
    "jacfwd of jacfwd": "torch.func.jacfwd(torch.func.jacfwd(lambda a: (a**3).sum()))(x)",
    "jacfwd with aux": "torch.func.jacfwd(lambda a: (a * 2, a), has_aux=True)(x)",
    "jacrev of jacfwd": "torch.func.jacrev(torch.func.jacfwd(lambda a: (a**3).sum()))(x)",
    "hessian": "torch.func.hessian(lambda a: (a**3).prod())(x)",
    "forward Jacobian": "torch.autograd.functional.jacobian(torch.sin, x, strategy='forward-mode', vectorize=True)",
    "forward Jacobian, in turn": "torch.autograd.functional.jacobian(lambda a: a * a, x, strategy='forward-mode')",
    "gradcheck": "torch.autograd.gradcheck(lambda a: a.sin() * a, x.double().requires_grad_(), check_forward_ad=True)",
    "gradgradcheck": "torch.autograd.gradgradcheck(torch.sin, x.double().requires_grad_(), check_fwd_over_rev=True)",
}


@pytest.mark.parametrize("name", [*TANGENTS, *FUNCTIONS])
def test_tangents_are_torchs(name, mt, oracle, capsys):
    expression = {**TANGENTS, **FUNCTIONS}[name]
    found = []
    for torch in (mt, oracle):
        fad = torch.autograd.forward_ad
        run = {"run": lambda f, *pairs, fad=fad: _jvp_of_pairs(fad, f, pairs)}
        result, _ = outcome(torch, expression, run, **SCOPE)
        found.append((result, capsys.readouterr().out))
    assert found[0] == found[1]


def test_a_linearized_function_serves_several_tangents(mt):
    x, v = mt.tensor([1.0, 2.0, 3.0]), mt.tensor([0.5, -1.0, 2.0])
    value, along = mt.func.linearize(mt.sin, x)
    assert mt.equal(value, x.sin())
    assert mt.allclose(along(v), x.cos() * v) and mt.allclose(along(2 * v), x.cos() * 2 * v)


def _make_custom_function(torch):
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, factor):
            ctx.factor = factor
            ctx.save_for_forward(a)
            return a * factor

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None

        @staticmethod
        def jvp(ctx, tangent, _):
            return tangent * ctx.factor + 0 * ctx.saved_tensors[0]

    fad = torch.autograd.forward_ad
    with fad.dual_level():
        a = fad.make_dual(torch.ones(2), torch.tensor([1.0, 2.0]))
        return fad.unpack_dual(Scale.apply(a, 3.0) * a)


def test_custom_function_uses_its_own_jvp(mt):
    value, tangent = _make_custom_function(mt)
    # The expected tangent of 3 a^2 at a = 1 along v = (1, 2) is 6 v.
    assert value.tolist() == [3.0, 3.0] and tangent.tolist() == [6.0, 12.0]


def test_a_custom_function_without_jvp_is_refused(mt):
    class Plain(mt.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

    fad = mt.autograd.forward_ad
    with fad.dual_level():
        dual = fad.make_dual(mt.ones(2), mt.ones(2))
        with pytest.raises(NotImplementedError, match="You must implement the jvp function"):
            Plain.apply(dual)
    with pytest.raises(RuntimeError, match="it must override the setup_context staticmethod"):
        mt.func.jvp(Plain.apply, (mt.ones(2),), (mt.ones(2),))


def test_leaving_a_level_drops_its_tangents(mt):
    fad = mt.autograd.forward_ad
    with fad.dual_level():
        dual = fad.make_dual(mt.ones(2), mt.ones(2))
        product = dual * 2
    with fad.dual_level():
        assert fad.unpack_dual(product).tangent is None and fad.unpack_dual(product * 2).tangent is None


def test_tangents_of_a_backward_pass_are_second_derivatives(mt):
    fad = mt.autograd.forward_ad
    x = mt.tensor([1.0, 2.0], requires_grad=True)
    with fad.dual_level():
        dual = fad.make_dual(x, mt.tensor([1.0, 10.0]))
        (grad,) = mt.autograd.grad((dual.exp() ** 2).sum(), dual, create_graph=True)
        tangent = fad.unpack_dual(grad).tangent
    # Expected tangent in closed form: d/dx 2 exp(2x) = 4 exp(2x), times the direction (1, 10).
    assert mt.allclose(tangent, 4 * mt.exp(2 * x) * mt.tensor([1.0, 10.0]))


def _make_function_with_jvp(torch, forward, jvp):
    members = {"forward": staticmethod(forward), "jvp": staticmethod(jvp), "backward": staticmethod(lambda ctx, g: g)}
    return type("Custom", (torch.autograd.Function,), members)


def _write_to_input_in_forward(ctx, x):
    ctx.mark_dirty(x)
    return x.mul_(2)


SHARED = {
    "written, tangent written": (_write_to_input_in_forward, lambda ctx, t: t.mul_(2)),
    "written, tangent made anew": (_write_to_input_in_forward, lambda ctx, t: t * 2),
    "a view, tangent copied": (lambda ctx, x: x.view_as(x), lambda ctx, t: t.clone()),
    "a view, tangent viewed": (lambda ctx, x: x.view_as(x), lambda ctx, t: t.view_as(t)),
    "an input, tangent copied": (lambda ctx, x: x, lambda ctx, t: t.clone()),
    "an input, tangent as it came": (lambda ctx, x: x, lambda ctx, t: t),
}


@pytest.mark.parametrize("name", SHARED)
def test_a_functions_tangent_shares_memory_as_its_output_does(name, mt, oracle):
    def apply_to_dual(torch):
        forward_ad = torch.autograd.forward_ad
        with forward_ad.dual_level():
            x = forward_ad.make_dual(torch.ones(2), torch.full((2,), 3.0)).clone()
            return tuple(forward_ad.unpack_dual(_make_function_with_jvp(torch, *SHARED[name]).apply(x)))

    assert outcome_of(apply_to_dual, mt) == outcome_of(apply_to_dual, oracle)


def test_levels_that_are_not_open_are_refused(mt, oracle):
    for torch in (mt, oracle):
        forward_ad, x = torch.autograd.forward_ad, torch.ones(2)
        with forward_ad.dual_level():
            with pytest.raises(RuntimeError, match="Invalid level given to _make_dual"):
                forward_ad.make_dual(x, x, level=3)
            with pytest.raises(RuntimeError, match="Invalid level given to _fw_primal"):
                forward_ad.unpack_dual(forward_ad.make_dual(x, x), level=3)


# Real torch copies a tangent whose layout differs from the primal's; its outcome is the expected one.
@pytest.mark.parametrize(
    "pair",
    [
        "c, c.conj()",
        "c.conj(), c.clone()",
        "x[::2], v[:2].clone()",
        "x[:2], v[:2].clone()",
        "x, v",
        "m.t(), m.view(3, 2).clone()",
    ],
)
def test_a_tangent_is_laid_out_like_its_primal(pair, mt, oracle):
    def make_dual_layouts(torch):
        fad = torch.autograd.forward_ad
        scope = {**{name: eval(text, {"torch": torch}) for name, text in SCOPE.items()}, "torch": torch}
        scope["c"] = torch.complex(scope["x"], scope["v"])
        primal, tangent = eval(pair, scope)
        with fad.dual_level():
            kept = fad.unpack_dual(fad.make_dual(primal, tangent)).tangent
            return (
                kept.tolist(),
                kept.stride(),
                kept.is_conj(),
                kept.untyped_storage().nbytes(),
                kept.data_ptr() == tangent.data_ptr(),
            )

    assert make_dual_layouts(mt) == make_dual_layouts(oracle)


def test_a_tangent_with_a_tangent_of_the_same_level_is_refused(mt, oracle):
    def nest_duals(torch):
        forward_ad = torch.autograd.forward_ad
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(torch.ones(2), torch.ones(2))
            forward_ad.make_dual(torch.ones(2), dual)

    assert outcome_of(nest_duals, mt)[0] == outcome_of(nest_duals, oracle)[0]


def test_the_gradient_of_a_conversion_to_complex_is_real_without_a_warning(mt, oracle):
    def convert_to_complex(torch):
        x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
        x.to(torch.complex64).sum().abs().backward()
        return x.grad

    assert outcome_of(convert_to_complex, mt) == outcome_of(convert_to_complex, oracle)


JVPS = {
    "for an output marked non-differentiable": ("marked", lambda a: (a, a.clone())),
    "none for an output marked non-differentiable": ("marked", lambda a: (a, None)),
    "for integers": ("integers", lambda a: (a, a.clone())),
    "for what is no tensor": ("object", lambda a: (a, a.clone())),
    "one of two": ("plain", lambda a: a),
    "three of two": ("plain", lambda a: (a, None, None)),
    "none": ("plain", lambda a: None),
    "a number": ("plain", lambda a: (3.0, None)),
}


@pytest.mark.parametrize("case", JVPS)
def test_jvp_must_fit_the_outputs(mt, oracle, case):
    second, made = JVPS[case]

    def apply_function(torch):
        class Pair(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                other = {"integers": torch.tensor([3, 4]), "object": "text"}.get(second, x.clone())
                if second == "marked":
                    ctx.mark_non_differentiable(other)
                return x.clone(), other

            @staticmethod
            def jvp(ctx, tangent):
                return made(tangent)

        ad = torch.autograd.forward_ad
        with ad.dual_level():
            results = Pair.apply(ad.make_dual(torch.ones(2), torch.tensor([1.0, 3.0])))
            return [ad.unpack_dual(r).tangent if isinstance(r, torch.Tensor) else r for r in results]

    assert outcome_of(apply_function, mt) == outcome_of(apply_function, oracle)
