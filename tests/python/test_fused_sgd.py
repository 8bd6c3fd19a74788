"""torch._fused_sgd_ over uneven sizes, with each option on and off."""

import itertools

import pytest

STEPS = list(itertools.product([0.0, 0.1], [0.0, 0.9], [False, True], [False, True], [False, True], [False, True]))


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("size", [0, 1, 17, 511, 1301])
def test_every_combination_of_steps_is_torchs(mt, oracle, size, dtype):
    """Parameters, gradients and momentum after one step match real torch's torch._fused_sgd_.

    bfloat16 is compared with torch's float32: torch's own bfloat16 gives different momenta on every run.
    """
    oracle.manual_seed(size)
    values = [oracle.randn(size).to(getattr(oracle, dtype)) for _ in range(3)]

    def take_steps(torch, decay, momentum, nesterov, maximize, first, scaled):
        stored = "float32" if torch is oracle and dtype == "bfloat16" else dtype
        param, grad, buffer = (torch.tensor(v.tolist(), dtype=getattr(torch, stored)) for v in values)
        torch._fused_sgd_(
            [param],
            [grad],
            [buffer] if momentum else [],
            weight_decay=decay,
            momentum=momentum,
            lr=0.01,
            dampening=0.0 if nesterov else 0.25,
            nesterov=nesterov and momentum > 0,
            maximize=maximize,
            is_first_step=first,
            grad_scale=torch.tensor(2.0) if scaled else None,
        )
        return [t.double().tolist() for t in (param, grad, buffer)]

    tolerance = {"rtol": 2e-2, "atol": 2e-2} if dtype == "bfloat16" else {"rtol": 1e-6, "atol": 1e-7}
    for steps in STEPS:
        for ours, expected in zip(take_steps(mt, *steps), take_steps(oracle, *steps), strict=True):
            assert oracle.allclose(oracle.tensor(ours), oracle.tensor(expected), **tolerance), steps
