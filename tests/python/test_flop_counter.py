"""torch.utils.flop_counter counts as torch does, by operator and by module, and prints torch's table."""

from importlib import import_module

import pytest
from outcomes import normalise, outcome


def _make_counter(torch):
    return import_module(torch.__name__ + ".utils.flop_counter")


def _backward_of_call(call, *shapes, **options):
    def call_and_backward(torch):
        call(torch, *(torch.ones(shape, requires_grad=True, **options) for shape in shapes)).sum().backward()

    return call_and_backward


def _call_without_grad(call, *shapes, mode="no_grad", **options):
    def call_in_mode(torch):
        with getattr(torch, mode)():
            call(torch, *(torch.ones(shape, **options) for shape in shapes))

    return call_in_mode


def _backward_of_module(make, *shapes, train=True):
    def call_module_and_backward(torch):
        out = make(torch.nn)(*(torch.ones(shape) for shape in shapes))
        out = out[0] if isinstance(out, tuple) else out
        if train:
            out.sum().backward()

    return call_module_and_backward


def _call_module_without_grad(make, *shapes):
    def call_module_in_no_grad(torch):
        with torch.no_grad():
            _backward_of_module(make, *shapes, train=False)(torch)

    return call_module_in_no_grad


def _make_network(nn):
    class Head(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))

        def forward(self, x):
            return self.layers(x.mean((2, 3)))

    return nn.Sequential(nn.Conv2d(3, 8, 3), Head())


def _call_with_packed_sequence(make):
    def call_with_packed(torch):
        with torch.no_grad():
            pack = torch.nn.utils.rnn.pack_padded_sequence
            make(torch.nn)(pack(torch.ones(3, 2, 4), [3, 2]))

    return call_with_packed


def _call_attention(t, q, k, v, **options):
    return t.nn.functional.scaled_dot_product_attention(q, k, v, **options)


_HEADS = ((2, 3, 8, 4), (2, 3, 6, 4), (2, 3, 6, 4))
_PACKED_HEADS = ((3, 8, 4), (3, 6, 4), (3, 6, 4))

CALLS = {
    "linear": _backward_of_module(lambda nn: nn.Linear(4, 5), (2, 3, 4)),
    "linear of a vector": _backward_of_module(lambda nn: nn.Linear(4, 5), (4,)),
    "linear without bias": _backward_of_module(lambda nn: nn.Linear(4, 5, bias=False), (3, 4)),
    "linear in inference mode": _call_without_grad(
        lambda t, x, w, b: t.nn.functional.linear(x, w, b), (2, 3, 4), (5, 4), (5,), mode="inference_mode"
    ),
    "matmul": _backward_of_call(lambda t, a, b: t.matmul(a, b), (6, 2, 3, 4), (2, 4, 5)),
    "matmul in inference mode": _call_without_grad(
        lambda t, a, b: t.matmul(a, b), (2, 3, 4), (4, 5), mode="inference_mode"
    ),
    "einsum": _backward_of_call(lambda t, a, b: t.einsum("ij,bjk->bik", a, b), (3, 4), (2, 4, 5)),
    "baddbmm": _backward_of_call(lambda t, c, a, b: t.baddbmm(c, a, b), (2, 3, 5), (2, 3, 4), (2, 4, 5)),
    "mv, which counts nothing": _backward_of_call(lambda t, a, b: t.mv(a, b), (3, 4), (4,)),
    "conv1d": _backward_of_call(lambda t, x, w: t.nn.functional.conv1d(x, w), (2, 3, 8), (4, 3, 3)),
    "conv2d": _backward_of_call(
        lambda t, x, w, b: t.nn.functional.conv2d(x, w, b, stride=2), (2, 3, 8, 8), (4, 3, 3, 3), (4,)
    ),
    "conv2d in groups": _backward_of_call(
        lambda t, x, w: t.nn.functional.conv2d(x, w, groups=2), (2, 4, 8, 8), (4, 2, 3, 3)
    ),
    "conv_transpose2d": _backward_of_call(
        lambda t, x, w: t.nn.functional.conv_transpose2d(x, w, stride=2), (2, 3, 8, 8), (3, 4, 3, 3)
    ),
    "conv1d in inference mode": _call_without_grad(
        lambda t, x, w: t.nn.functional.conv1d(x, w, padding="same"), (2, 3, 8), (4, 3, 3), mode="inference_mode"
    ),
    "attention": _backward_of_call(_call_attention, *_HEADS),
    "attention of three dimensions": _backward_of_call(_call_attention, *_PACKED_HEADS),
    "attention without gradients": _call_without_grad(_call_attention, *_HEADS),
    "attention of meta tensors": _backward_of_call(_call_attention, *_HEADS, device="meta"),
    "attention with dropout": _backward_of_call(lambda t, *qkv: _call_attention(t, *qkv, dropout_p=0.5), *_HEADS),
    "multi-head attention": _backward_of_module(
        lambda nn: lambda x, m=nn.MultiheadAttention(8, 2, batch_first=True): m(x, x, x), (2, 5, 8)
    ),
    "a transformer": _backward_of_module(
        lambda nn: nn.Transformer(8, 2, 1, 1, 16, batch_first=True), (2, 5, 8), (2, 4, 8)
    ),
    "a net": _backward_of_module(_make_network, (2, 3, 8, 8)),
    "lstm": _backward_of_module(lambda nn: nn.LSTM(4, 5, 2), (3, 2, 4)),
    "lstm of a packed sequence": _call_with_packed_sequence(lambda nn: nn.LSTM(4, 5)),
    "gru": _backward_of_module(lambda nn: nn.GRU(4, 5, 2), (3, 2, 4)),
    "gru without gradients": _call_module_without_grad(lambda nn: nn.GRU(4, 5, 2, bidirectional=True), (3, 2, 4)),
    "rnn without bias or gradients": _call_module_without_grad(lambda nn: nn.RNN(4, 5, bias=False), (3, 2, 4)),
    "gru of a packed sequence": _call_with_packed_sequence(lambda nn: nn.GRU(4, 5)),
    "a checkpoint": _backward_of_call(
        lambda t, x: t.utils.checkpoint.checkpoint(lambda x: t.mm(x, x), x, use_reentrant=False), (3, 3)
    ),
    "a call that fails": lambda torch: pytest.raises(RuntimeError, torch.mm, torch.ones(2, 3), torch.ones(2, 3)),
}


def _count_flops(torch, call):
    with _make_counter(torch).FlopCounterMode(display=False) as counter:
        call(torch)
    return {
        module: {str(operator): count for operator, count in counts.items()}
        for module, counts in counter.get_flop_counts().items()
    }


@pytest.mark.parametrize("name", CALLS)
def test_counts_are_torchs(name, mt, oracle):
    assert _count_flops(mt, CALLS[name]) == _count_flops(oracle, CALLS[name])


def _count_flops_and_print_table(torch, call, **options):
    with _make_counter(torch).FlopCounterMode(display=False, **options) as counter:
        call(torch)
    return counter


# The expected table is the one that torch prints with tabulate 0.9.
NET = """\
Module                            FLOP    % Total
-----------------------------  -------  ---------
Sequential                     64.512K    100.00%
 - aten.convolution            31.104K     48.21%
 - aten.addmm                   0.768K      1.19%
 - aten.mm                      1.536K      2.38%
 - aten.convolution_backward   31.104K     48.21%
 Sequential.0                  62.208K     96.43%
  - aten.convolution           31.104K     48.21%
  - aten.convolution_backward  31.104K     48.21%
 Sequential.1                   2.304K      3.57%
  - aten.addmm                  0.768K      1.19%
  - aten.mm                     1.536K      2.38%"""
PRODUCT = """\
Module        FLOP    % Total
----------  ------  ---------
Global          16    100.00%
 - aten.mm      16    100.00%"""


def test_the_table_is_torchs(mt):
    assert _count_flops_and_print_table(mt, CALLS["a net"]).get_table() == NET
    assert _count_flops_and_print_table(mt, lambda t: t.ones(2, 2) @ t.ones(2, 2)).get_table() == PRODUCT


TABLES = {
    "a net": CALLS["a net"],
    "a net and more": lambda torch: (CALLS["a net"](torch), torch.ones(3, 4) @ torch.ones(4, 4)),
    "small numbers": lambda torch: torch.ones(2, 2) @ torch.ones(2, 2),
    "large numbers": lambda torch: torch.nn.Linear(1000, 20000, device="meta")(torch.ones(3000, 1000, device="meta")),
    "nothing": lambda torch: None,
    "a module without operations": lambda torch: torch.nn.ReLU()(torch.ones(2)),
}


@pytest.mark.parametrize("depth", [None, 0, 1, 2, 4])
@pytest.mark.parametrize("name", TABLES)
def test_tables_at_each_depth_are_torchs(name, depth, mt, oracle):
    tabulate = pytest.importorskip("tabulate", reason="torch's table needs tabulate")
    if not tabulate.__version__.startswith("0.9."):
        pytest.skip("other releases of tabulate print other tables")
    for options in ({}, {"depth": None}):
        ours, theirs = (
            _count_flops_and_print_table(torch, TABLES[name], **options).get_table(depth) for torch in (mt, oracle)
        )
        assert ours == theirs


def test_the_table_is_printed_at_the_end(mt, capsys):
    with _make_counter(mt).FlopCounterMode():
        mt.ones(2, 2) @ mt.ones(2, 2)
    assert capsys.readouterr().out == PRODUCT + "\n"


def test_a_second_use_counts_anew(mt):
    counter = _make_counter(mt).FlopCounterMode(display=False)
    for _ in range(2):
        with counter:
            mt.ones(2, 2) @ mt.ones(2, 2)
        assert counter.get_total_flops() == 16


def _count_registered_operators(torch):
    flops, aten = _make_counter(torch), torch.ops.aten

    @flops.register_flop_formula([aten.sinh, [aten.cosh]])
    def formula(x, out_shape=None, **kwargs):
        return 3 * x[0] + out_shape[0]

    @flops.register_flop_formula(aten.tanh, get_raw=True)
    def raw(x, out_val=None):
        return x.dim() + out_val.dim()

    try:
        return _count_flops(torch, lambda t: t.ones(2).sinh().cosh().tanh()), formula.__name__
    finally:
        for operator in (aten.sinh, aten.cosh, aten.tanh):
            del flops.flop_registry[operator]


def _count_mapped_operators(torch):
    def raw(x, y, out_val):
        return out_val.dim()

    raw._get_raw = True
    mapping = {torch.ops.aten.mul: lambda x, y, out_shape: out_shape[0], torch.ops.aten.add: raw}
    counter = _count_flops_and_print_table(torch, lambda t: t.ones(2) * 2 + 1, custom_mapping=mapping)
    return {str(key): count for key, count in counter.get_flop_counts()["Global"].items()}, counter.get_total_flops()


BEHAVIOURS = {
    "registered formulas": _count_registered_operators,
    "a custom mapping": _count_mapped_operators,
    "registered twice": lambda t: _make_counter(t).register_flop_formula(t.ops.aten.mm)(lambda *shapes: 1),
    "an overload": lambda t: _make_counter(t).register_flop_formula(t.ops.aten.mm.default)(lambda *shapes: 1),
    "no operator": lambda t: _make_counter(t).register_flop_formula([3])(lambda *shapes: 1),
    "modules": lambda t: _make_counter(t).FlopCounterMode(t.nn.ReLU(), display=False).depth,
    "an end without a beginning": lambda t: _make_counter(t).FlopCounterMode().__exit__(None, None, None),
    "mm": lambda t: _make_counter(t).mm_flop((2, 3), (3, 4)),
    "mm of unlike": lambda t: _make_counter(t).mm_flop((2, 3), (4, 5)),
    "bmm of unlike batches": lambda t: _make_counter(t).bmm_flop((2, 3, 4), (3, 4, 5)),
    "bmm of unlike": lambda t: _make_counter(t).bmm_flop((2, 3, 4), (2, 3, 5)),
    "sdpa": lambda t: _make_counter(t).sdpa_flop_count((1, 4, 3, 4), (1, 2, 5, 4), (1, 2, 5, 6)),
    "sdpa of unlike": lambda t: _make_counter(t).sdpa_flop_count((1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 4, 6)),
    "sdpa of unlike heads": lambda t: _make_counter(t).sdpa_flop_count((1, 3, 3, 4), (1, 2, 5, 4), (1, 2, 5, 6)),
    "gradients": lambda t: _make_counter(t).sdpa_backward_flop_count(
        (1, 4, 3, 6), (1, 4, 3, 4), (1, 2, 5, 4), (1, 2, 5, 6)
    ),
    "gradients of unlike": lambda t: _make_counter(t).sdpa_backward_flop_count(
        (1, 2, 3, 6), (1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 4, 6)
    ),
    "gradients of unlike batches": lambda t: _make_counter(t).sdpa_backward_flop_count(
        (1, 2, 3, 6), (2, 2, 3, 4), (1, 2, 5, 4), (1, 2, 4, 6)
    ),
    "gradients of unlike heads": lambda t: _make_counter(t).sdpa_backward_flop_count(
        (1, 3, 3, 6), (1, 3, 3, 4), (1, 2, 5, 4), (1, 2, 5, 6)
    ),
    "a convolution": lambda t: _make_counter(t).conv_flop_count([2, 3, 8], [4, 3, 3], [2, 4, 6]),
    "a transposed convolution": lambda t: _make_counter(t).conv_flop_count([2, 3, 8], [3, 4, 3], [2, 4, 10], True),
    "units": lambda t: [_make_counter(t).get_suffix_str(n) for n in (0, 99, 12345, 123456, 10**8, 10**12, 10**20)],
    "numbers": lambda t: [_make_counter(t).convert_num_with_suffix(12345678, s) for s in ("", "K", "M", "B", "T")],
    "an unknown unit": lambda t: _make_counter(t).convert_num_with_suffix(1, "Q"),
    "shares": lambda t: [_make_counter(t).convert_to_percent_str(1, n) for n in (0, 1, 3)],
}


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_formulas_and_refusals_are_torchs(name, mt, oracle):
    assert outcome(BEHAVIOURS[name], mt) == outcome(BEHAVIOURS[name], oracle)


def test_operators_are_counted_under_their_names(mt):
    counts = _count_flops_and_print_table(mt, lambda t: t.ones(2, 2) @ t.ones(2, 2)).get_flop_counts()
    assert counts == {"Global": {mt.ops.aten.mm: 16}}
    assert normalise(str(next(iter(counts["Global"])))) == "aten.mm"
