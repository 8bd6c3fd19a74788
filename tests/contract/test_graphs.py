"""The graph that an operator records: the same nodes, with the same edges, as in torch."""

import pytest
from carried import Carrier
from compare import exists, skip_unless_offered, stir
from generated import copied, find, paths, samples
from test_generated import OPERATORS

# Our formula computes the same gradients with other operators.
OTHERWISE = {
    "clamp": "a tensor as the only bound makes it clamp_min or clamp_max",
    "combinations": "picks rows by index, where torch masks the whole grid",
    "tensordot": "contracts dimensions of size 1 as it does others",
    "quantile": "a tensor without dimensions is not viewed once more",
    "nanquantile": "a tensor without dimensions is not viewed once more",
    "cov": "a complex matrix's diagonal stays as it is",
    "corrcoef": "a complex matrix's diagonal stays as it is",
    "nn.functional.linear_cross_entropy": "its chunks are a function of our own",
}


def graph(torch, result):
    """Lists nodes by name, depth first; a repeated node as its name only."""
    met = set()

    def text(node):
        if node is None:
            return "-"
        if node in met or node.name() == "torch::autograd::AccumulateGrad":
            return node.name()
        met.add(node)
        return node.name() + "(" + ", ".join(f"{text(n)} {i}" for n, i in node.next_functions) + ")"

    return [text(t.grad_fn) for t in floating(torch, result)]


def floating(torch, value):
    if isinstance(value, torch.Tensor):
        return [value] if value.is_floating_point() or value.is_complex() else []
    if isinstance(value, dict):
        value = list(value.values())
    return [t for item in value for t in floating(torch, item)] if isinstance(value, (list, tuple)) else []


def record(torch, path, args, kwargs):
    args, kwargs = copied(torch, (args, kwargs))
    for leaf in floating(torch, [args, kwargs]):
        leaf.requires_grad_()
    stir(torch, 0)
    return graph(torch, find(torch, path)(*args, **kwargs))


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_records_torchs_graph(name, torch, mt, counted):
    operator, compared = OPERATORS[name], 0
    if name in OTHERWISE:
        pytest.skip(f"another graph by design: {OTHERWISE[name]}")
    if not operator.supports_autograd:
        pytest.skip("no gradient")
    skip_unless_offered(torch, mt, name)
    for args, kwargs in samples(torch, operator, 3):
        for path in paths(torch, name):
            if not exists(mt, path):
                continue
            try:
                theirs = record(torch, path, args, kwargs)
                carried = Carrier(torch, mt)((args, kwargs))
            except Exception:  # real torch raises, or an argument cannot be converted
                continue
            assert record(mt, path, *carried) == theirs, (path, args, kwargs)
            compared += 1
    counted("graphs", compared)
    if not compared:
        pytest.skip("nothing to record")
