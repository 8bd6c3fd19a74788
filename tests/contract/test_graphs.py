"""The graph that an operator records: the same nodes, with the same edges, as in torch."""

import pytest
from carried import Carrier
from compare import fill_freed_memory, has_operator, skip_unless_all_forms_exist
from generated import copy_arguments, get_by_path, list_operator_paths, list_small_samples
from test_generated import OPERATORS

# Operators whose graph differs from torch's, because our formula computes the same gradients with other operators.
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


def describe_graph(torch, result):
    """Lists nodes by name, depth first; a repeated node as its name only."""
    met = set()

    def describe_node(node):
        if node is None:
            return "-"
        if node in met or node.name() == "torch::autograd::AccumulateGrad":
            return node.name()
        met.add(node)
        return node.name() + "(" + ", ".join(f"{describe_node(n)} {i}" for n, i in node.next_functions) + ")"

    return [describe_node(t.grad_fn) for t in list_floating_tensors(torch, result)]


def list_floating_tensors(torch, value):
    if isinstance(value, torch.Tensor):
        return [value] if value.is_floating_point() or value.is_complex() else []
    if isinstance(value, dict):
        value = list(value.values())
    return [t for item in value for t in list_floating_tensors(torch, item)] if isinstance(value, (list, tuple)) else []


def record_graph_of_call(torch, path, args, kwargs):
    args, kwargs = copy_arguments(torch, (args, kwargs))
    for leaf in list_floating_tensors(torch, [args, kwargs]):
        leaf.requires_grad_()
    fill_freed_memory(torch, 0)
    return describe_graph(torch, get_by_path(torch, path)(*args, **kwargs))


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_records_torchs_graph(name, torch, mt, count_cases):
    operator, compared = OPERATORS[name], 0
    if name in OTHERWISE:
        pytest.skip(f"another graph by design: {OTHERWISE[name]}")
    if not operator.supports_autograd:
        pytest.skip("no gradient")
    skip_unless_all_forms_exist(torch, mt, name)
    for args, kwargs in list_small_samples(torch, operator, 3):
        for path in list_operator_paths(torch, name):
            if not has_operator(mt, path):
                continue
            try:
                theirs = record_graph_of_call(torch, path, args, kwargs)
                carried = Carrier(torch, mt)((args, kwargs))
            except Exception:  # real torch raises, or an argument cannot be converted
                continue
            assert record_graph_of_call(mt, path, *carried) == theirs, (path, args, kwargs)
            compared += 1
    count_cases("graphs", compared)
    if not compared:
        pytest.skip("nothing to record")
