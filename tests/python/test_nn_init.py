"""torch.nn.init is bit-identical to real torch, with the same errors."""

import pytest
from outcomes import close, outcome, result


def _make_sampler(name, shape, *args, **kwargs):
    def fill_and_sample(t):
        t.manual_seed(7)
        tensor = getattr(t.nn.init, name)(t.empty(*shape), *args, **kwargs)
        return [tensor, t.rand(2)]  # the numbers after it show how many were generated

    return fill_and_sample


BITS = {
    "uniform_": _make_sampler("uniform_", (3, 4), -1.0, 2.0),
    "normal_": _make_sampler("normal_", (5, 7), 1.0, 0.5),
    "large normal_": _make_sampler("normal_", (40,)),
    "trunc_normal_": _make_sampler("trunc_normal_", (6, 7), std=0.02),
    "trunc_normal_ of a tail": _make_sampler("trunc_normal_", (6, 7), a=2.0, b=3.0),
    "constant_": _make_sampler("constant_", (3,), 0.3),
    "ones_": _make_sampler("ones_", (3,)),
    "zeros_": _make_sampler("zeros_", (3,)),
    "eye_": _make_sampler("eye_", (3, 4)),
    "dirac_": _make_sampler("dirac_", (4, 2, 3, 3), 2),
    "xavier_uniform_": _make_sampler("xavier_uniform_", (3, 4), gain=2.0),
    "xavier_normal_": _make_sampler("xavier_normal_", (3, 4, 2)),
    "kaiming_uniform_": _make_sampler("kaiming_uniform_", (3, 4), nonlinearity="relu"),
    "kaiming_normal_": _make_sampler("kaiming_normal_", (3, 4), mode="fan_out"),
    "sparse_": _make_sampler("sparse_", (5, 4), 0.4),
}


@pytest.mark.parametrize("name", BITS)
def test_initial_values_have_torchs_bits(mt, oracle, name):
    ours, theirs = result(BITS[name], mt), result(BITS[name], oracle)
    assert ours == theirs


def test_orthogonal_is_torchs(mt, oracle):
    draw = _make_sampler("orthogonal_", (4, 6))
    ours = result(draw, mt)
    assert close(ours, result(draw, oracle))


REFUSALS = {
    "gain": lambda t: t.nn.init.calculate_gain("foo"),
    "gain of True": lambda t: t.nn.init.calculate_gain("leaky_relu", True),
    "gains": lambda t: [t.nn.init.calculate_gain(n) for n in ("linear", "tanh", "relu", "selu", "leaky_relu")],
    "fan of a vector": lambda t: t.nn.init.xavier_uniform_(t.empty(3)),
    "fan mode": lambda t: t.nn.init.kaiming_uniform_(t.empty(3, 3), mode="foo"),
    "eye of a vector": lambda t: t.nn.init.eye_(t.empty(3)),
    "dirac of a matrix": lambda t: t.nn.init.dirac_(t.empty(3, 3)),
    "dirac groups": lambda t: t.nn.init.dirac_(t.empty(3, 3, 3), 2),
    "orthogonal vector": lambda t: t.nn.init.orthogonal_(t.empty(3)),
    "sparse vector": lambda t: t.nn.init.sparse_(t.empty(3), 0.1),
    "empty": lambda t: t.nn.init.kaiming_normal_(t.empty(0, 3)),
    "far from the bounds": lambda t: t.nn.init.trunc_normal_(t.empty(2), mean=9.0).shape,
    "old name": lambda t: t.nn.init.constant(t.empty(2), 1.0),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_initialisers_refuse_and_warn_as_torchs(mt, oracle, name):
    ours = outcome(REFUSALS[name], mt)
    assert ours == outcome(REFUSALS[name], oracle)
