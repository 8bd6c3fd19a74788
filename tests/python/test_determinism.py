"""Deterministic mode: new memory is filled, and nondeterministic operators raise. Expected: real torch."""

import pytest
from outcomes import outcome

FRESH = {
    "empty": lambda t: t.empty(3),
    "empty of float64": lambda t: t.empty(3, dtype=t.float64),
    "empty of bfloat16": lambda t: t.empty(3, dtype=t.bfloat16),
    "empty of complex numbers": lambda t: t.view_as_real(t.empty(2, dtype=t.complex64))[:, 0],
    "empty of int64": lambda t: t.empty(3, dtype=t.int64),
    "empty of int32": lambda t: t.empty(3, dtype=t.int32),
    "empty of int8": lambda t: t.empty(3, dtype=t.int8),
    "empty of uint8": lambda t: t.empty(3, dtype=t.uint8),
    "empty of uint16": lambda t: t.empty(3, dtype=t.uint16),
    "empty of bool": lambda t: t.empty(3, dtype=t.bool),
    "empty, out=": lambda t: t.empty(5, out=t.ones(2)),
    "empty, its version": lambda t: t.empty(3)._version,
    "empty of meta": lambda t: t.empty(3, device="meta"),
    "empty with a gradient": lambda t: t.empty(3, requires_grad=True),
    "empty_like": lambda t: t.empty_like(t.ones(2, 2)),
    "empty_strided": lambda t: t.empty_strided((2,), (2,)),
    "empty_permuted": lambda t: t.empty_permuted((2, 3), (1, 0)),
    "new_empty": lambda t: t.ones(1).new_empty(2),
    "new_empty_strided": lambda t: t.ones(1).new_empty_strided((2,), (1,)),
    "Tensor": lambda t: t.Tensor(3),
    "resize_": lambda t: t.ones(2, 2).resize_(3, 3),
    "resize_ within": lambda t: t.ones(4).resize_(2),
    "resize_as_": lambda t: t.ones(1).resize_as_(t.ones(3)),
    "a sum": lambda t: t.ones(3) + t.ones(3),
    "a module": lambda t: t.nn.Linear(2, 2).weight.isnan().any(),
}

REFUSED = {
    "put_": lambda t: t.ones(3).put_(t.tensor([0]), t.ones(1)),
    "put": lambda t: t.put(t.ones(3), t.tensor([0]), t.ones(1)),
    "put_, added": lambda t: t.ones(3).put_(t.tensor([0]), t.ones(1), accumulate=True),
    "MaxUnpool1d": lambda t: t.nn.MaxUnpool1d(2)(t.ones(1, 1, 1), t.zeros(1, 1, 1).long()),
    "MaxUnpool2d": lambda t: t.nn.MaxUnpool2d(2)(t.ones(1, 1, 1, 1), t.zeros(1, 1, 1, 1).long()),
}


@pytest.fixture
def deterministic_mode(mt, oracle):
    for torch in (mt, oracle):
        torch.use_deterministic_algorithms(True)
    yield
    for torch in (mt, oracle):
        torch.use_deterministic_algorithms(False)
        torch.utils.deterministic.fill_uninitialized_memory = True


@pytest.mark.parametrize("name", FRESH)
def test_fresh_memory_is_filled(name, mt, oracle, deterministic_mode):
    assert outcome(FRESH[name], mt)[0] == outcome(FRESH[name], oracle)[0]


def test_uninitialised_memory_is_not_filled_if_disabled(mt, deterministic_mode):
    mt.utils.deterministic.fill_uninitialized_memory = False
    x = mt.ones(2).resize_(1)
    assert x.resize_(2).tolist() == [1, 1]
    assert not mt.zeros(1000).isnan().any()


@pytest.mark.parametrize("warn_only", [False, True])
@pytest.mark.parametrize("name", REFUSED)
def test_operators_without_a_fixed_order_say_so(name, warn_only, mt, oracle, deterministic_mode):
    for torch in (mt, oracle):
        torch.use_deterministic_algorithms(True, warn_only=warn_only)
    assert outcome(REFUSED[name], mt) == outcome(REFUSED[name], oracle)


@pytest.mark.parametrize("options", [{"warn_only": 1}, {"warn_only": None}, {"warn_only": "yes"}])
def test_whether_to_warn_is_a_bool(options, mt, oracle):
    def set_warn_only(torch):
        return torch.use_deterministic_algorithms(False, **options)

    assert outcome(set_warn_only, mt) == outcome(set_warn_only, oracle)


def test_whether_memory_is_filled_is_a_bool(mt, oracle):
    def set_fill(torch):
        torch.utils.deterministic.fill_uninitialized_memory = 5

    assert outcome(set_fill, mt) == outcome(set_fill, oracle)
