"""Recurrent layers: fused kernels and stepwise operators match real torch, padded and packed, bidirectional."""

import pytest
from outcomes import close, outcome, result

KINDS = ("LSTM", "GRU", "RNN")
SHAPES = {
    "plain": {},
    "batch first": {"batch_first": True},
    "two layers both ways": {"num_layers": 2, "bidirectional": True},
    "no bias": {"bias": False},
}


def _make_network(t, kind, dtype, **options):
    t.manual_seed(1)
    return getattr(t.nn, kind)(3, 4, **options).to(dtype)


def _run_network(t, kind, dtype, train, packed=False, **options):
    network = _make_network(t, kind, dtype, **options)
    t.manual_seed(2)
    x = t.randn(5, 5, 3).to(dtype).requires_grad_(train)
    given = t.nn.utils.rnn.pack_padded_sequence(x, [5, 4, 4, 2, 1]) if packed else x
    if not train:
        with t.no_grad():
            output, state = network(given)
        return [output.data if packed else output, state]
    output, state = network(given)
    output = output.data if packed else output
    states = state if isinstance(state, tuple) else (state,)
    total = (output * output).sum() + sum(s.sum() for s in states)
    return [output, state, *t.autograd.grad(total, [x, *network.parameters()])]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_outputs_states_and_gradients_match_torch(mt, oracle, kind, shape, train, packed):
    if packed and "batch_first" in SHAPES[shape]:
        pytest.skip("packed sequences have no batch dimension")
    ours, theirs = (
        result(lambda t: _run_network(t, kind, t.float32, train, packed, **SHAPES[shape]), t) for t in (mt, oracle)
    )
    assert close(ours, theirs, relative=1e-4, absolute=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_double_precision_matches_torch(mt, oracle, kind):
    for train in (True, False):
        ours, theirs = (result(lambda t, train=train: _run_network(t, kind, t.float64, train), t) for t in (mt, oracle))
        assert close(ours, theirs, relative=1e-9, absolute=1e-12)


def test_projections_match_torch(mt, oracle):
    ours, theirs = (result(lambda t: _run_network(t, "LSTM", t.float64, True, proj_size=2), t) for t in (mt, oracle))
    assert close(ours, theirs, relative=1e-9, absolute=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_second_derivatives_agree_with_differences(mt, kind):
    network = _make_network(mt, kind, mt.double)
    x = mt.randn(3, 2, 3, dtype=mt.double, requires_grad=True)
    assert mt.autograd.gradgradcheck(lambda x: network(x)[0], (x,))


@pytest.mark.parametrize("kind", KINDS)
def test_cells_take_one_step(mt, oracle, kind):
    def step_cell(t):
        t.manual_seed(3)
        cell = getattr(t.nn, kind + "Cell")(3, 4)
        return cell(t.randn(2, 3))

    assert close(result(step_cell, mt), result(step_cell, oracle))


def _make_weights(t, gates):
    t.manual_seed(0)
    return [t.randn(gates * 4, 3), t.randn(gates * 4, 4), t.randn(gates * 4), t.randn(gates * 4)]


def _call_lstm(t, x, hx, weights, biases=True, layers=1, both=False):
    return t.lstm(x, hx, weights, biases, layers, 0.0, False, both, False)


def _call_gru(t, x, hx, weights, biases=True, layers=1):
    return t.gru(x, hx, weights, biases, layers, 0.0, False, False, False)


REFUSALS = {
    "one state": lambda t: _call_lstm(t, t.zeros(5, 2, 3), [t.zeros(1, 2, 4)], _make_weights(t, 4)),
    "three weights": lambda t: _call_lstm(t, t.zeros(5, 2, 3), [t.zeros(1, 2, 4)] * 2, _make_weights(t, 4)[:3]),
    "too few layers": lambda t: _call_lstm(t, t.zeros(5, 2, 3), [t.zeros(1, 2, 4)] * 2, _make_weights(t, 4), layers=2),
    "too few states": lambda t: _call_lstm(
        t, t.zeros(5, 2, 3), [t.zeros(1, 2, 4)] * 2, _make_weights(t, 4) * 2, layers=2
    ),
    "no steps": lambda t: _call_lstm(t, t.zeros(0, 2, 3), [t.zeros(1, 2, 4)] * 2, _make_weights(t, 4)),
    "three weights of a gru": lambda t: _call_gru(t, t.zeros(5, 2, 3), t.zeros(1, 2, 4), _make_weights(t, 3)[:3]),
    "biases as layers": lambda t: _call_gru(t, t.zeros(5, 2, 3), t.zeros(1, 2, 4), _make_weights(t, 3), biases=False),
    "layers without states": lambda t: _call_gru(t, t.zeros(5, 2, 3), t.zeros(1, 2, 4), _make_weights(t, 3), layers=2),
    "an input too narrow": lambda t: _call_gru(t, t.zeros(5, 2, 2), t.zeros(1, 2, 4), _make_weights(t, 3)),
    "a state of another batch": lambda t: _call_gru(t, t.zeros(5, 2, 3), t.zeros(1, 1, 4), _make_weights(t, 3)),
    "no steps of a gru": lambda t: _call_gru(t, t.zeros(0, 2, 3), t.zeros(1, 2, 4), _make_weights(t, 3)),
    "a cell's input too narrow": lambda t: t.gru_cell(t.zeros(2, 2), t.zeros(2, 4), *_make_weights(t, 3)),
    "a cell's state of another batch": lambda t: t.lstm_cell(t.zeros(1, 3), [t.zeros(2, 4)] * 2, *_make_weights(t, 4)),
    "a cell's weights of another gate": lambda t: t.rnn_tanh_cell(t.zeros(2, 3), t.zeros(2, 4), *_make_weights(t, 3)),
    "unsorted lengths": lambda t: t._pack_padded_sequence(t.zeros(5, 2, 3), t.tensor([3, 5]), False),
    "a length of zero": lambda t: t._pack_padded_sequence(t.zeros(5, 2, 3), t.tensor([3, 0]), False),
    "lengths of another batch": lambda t: t._pack_padded_sequence(t.zeros(5, 2, 3), t.tensor([3]), False),
    "real lengths": lambda t: t._pack_padded_sequence(t.zeros(5, 2, 3), t.tensor([3.0, 2.0]), False),
    "a total length too short": lambda t: t._pad_packed_sequence(t.zeros(3, 2), t.tensor([2, 1]), False, 0.0, 1),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_errors_match_torch(mt, oracle, name):
    assert outcome(REFUSALS[name], mt) == outcome(REFUSALS[name], oracle)


def test_states_that_do_not_fit_are_refused(mt):
    # Real torch accepts states of wrong sizes, and reads out of bounds.
    with pytest.raises(RuntimeError):
        _call_lstm(mt, mt.zeros(5, 2, 3), [mt.zeros(1, 1, 4)] * 2, _make_weights(mt, 4))
    with pytest.raises(RuntimeError):
        _call_lstm(mt, mt.zeros(5, 2, 2), [mt.zeros(1, 2, 4)] * 2, _make_weights(mt, 4))
    with pytest.raises(RuntimeError):
        _call_gru(mt, mt.zeros(5, 2, 3), mt.zeros(1, 2, 3), _make_weights(mt, 3))


def test_packing_and_padding_are_inverse(mt):
    x = mt.randn(4, 3, 2)
    packed = mt.nn.utils.rnn.pack_padded_sequence(x, [4, 2, 1])
    assert packed.batch_sizes.tolist() == [3, 2, 1, 1]
    padded, lengths = mt.nn.utils.rnn.pad_packed_sequence(packed, padding_value=-1.0)
    assert lengths.tolist() == [4, 2, 1]
    assert padded[:2, 1].tolist() == x[:2, 1].tolist()
    assert padded[2:, 1].tolist() == [[-1.0, -1.0]] * 2


def test_packing_looks_for_an_empty_input_before_the_lengths(mt, oracle):
    def pack_empty_input(torch):
        return torch.nn.utils.rnn.pack_padded_sequence(torch.randn(0, 0), torch.ones(1, 1, dtype=torch.int64))

    assert outcome(pack_empty_input, mt) == outcome(pack_empty_input, oracle)
