"""gradcheck's forward mode and the deprecated functions that return Jacobians, as in real torch."""

import importlib

import pytest
from outcomes import outcome


def test_forward_mode_calls_the_function_without_requires_grad(mt):
    seen = []

    class Keep(mt.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            if mt.autograd.forward_ad._current_level >= 0:
                seen.append((x.requires_grad, y.requires_grad))
            return x.clone(), y.clone()

        @staticmethod
        def jvp(ctx, x, y):
            return x, y

    inputs = [mt.ones(2, dtype=mt.double, requires_grad=True) for _ in range(2)]
    assert mt.autograd.gradcheck(Keep.apply, inputs, check_forward_ad=True, check_backward_ad=False)
    assert seen and set(seen) == {(False, False)}


def test_jvp_gets_no_tangent_of_an_integer_tensor(mt, oracle):
    def record_jvp_calls(torch):
        seen = []

        class Keep(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, y, z):
                return x.clone(), y.clone(), z.clone()

            @staticmethod
            def jvp(ctx, x, y, z):
                seen.extend((x, y, z))
                return x, None, z

        forward_ad = torch.autograd.forward_ad
        with forward_ad.dual_level():
            x = forward_ad.make_dual(torch.tensor(2.0), torch.tensor(1.0))
            outputs = Keep.apply(x, torch.tensor(3), torch.tensor(4.0))
            return seen, [forward_ad.unpack_dual(output).tangent for output in outputs]

    assert outcome(record_jvp_calls, mt)[0] == outcome(record_jvp_calls, oracle)[0]  # torch also warns of its own jit


def _sum_each(inputs):
    return 2 * inputs[0] + inputs[1], inputs[0] * inputs[1]


JACOBIANS = {
    "numerical": lambda g, a, b, c: g.get_numerical_jacobian(_sum_each, (a, b)),
    "numerical of a target": lambda g, a, b, c: g.get_numerical_jacobian(_sum_each, (a, b), target=b, eps=1e-4),
    "numerical of complex": lambda g, a, b, c: g.get_numerical_jacobian(lambda x: x[0].abs(), (c,)),
    "numerical to complex": lambda g, a, b, c: g.get_numerical_jacobian(lambda x: x[0] * 2j, (c,)),
    "numerical with grad_out": lambda g, a, b, c: g.get_numerical_jacobian(_sum_each, (a, b), grad_out=2.0),
    "analytical": lambda g, a, b, c: g.get_analytical_jacobian((a, b), _sum_each((a, b))[1]),
    "analytical of complex": lambda g, a, b, c: g.get_analytical_jacobian((c,), c.real + 2 * c.imag),
    "analytical to complex": lambda g, a, b, c: g.get_analytical_jacobian((c,), c * 2),
    "analytical of constants": lambda g, a, b, c: g.get_analytical_jacobian((a, b.detach(), 3), a * 2),
    "analytical with grad_out": lambda g, a, b, c: g.get_analytical_jacobian((a,), a * 2, grad_out=2.0),
}


@pytest.mark.parametrize("name", JACOBIANS)
def test_jacobians_are_those_of_torch_with_its_warning(mt, oracle, name):
    def compute_jacobian(torch):
        a = torch.tensor([1.0, 2.0], dtype=torch.double, requires_grad=True)
        b = torch.tensor([3.0, 0.5], dtype=torch.double, requires_grad=True)
        c = torch.tensor([3.0 + 4j, 1.0], dtype=torch.cdouble, requires_grad=True)
        module = importlib.import_module(f"{torch.__name__}.autograd.gradcheck")
        return JACOBIANS[name](module, a, b, c)

    assert outcome(compute_jacobian, mt) == outcome(compute_jacobian, oracle)
