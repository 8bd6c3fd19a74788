"""Control flow as functions: cond, while_loop, scan, associative_scan and map; values and gradients are torch's.

torch's compiler captures the function first, so its `grad_fn` is one node; mindtorch records the calls.
"""

import importlib

import pytest
from outcomes import describe_value, result


def load_operator(torch, name):
    return getattr(importlib.import_module(f"{torch.__name__}._higher_order_ops.{name}"), name)


def compute_values_and_gradients(call, torch):
    """The result of a call or its error, without `requires_grad`, and the gradient of the sum of all results."""
    x = torch.arange(1.0, 13.0).reshape(4, 3).requires_grad_()
    try:
        made = call(torch, x)
    except Exception as error:
        return (type(error).__name__, str(error))
    leaves = [leaf for leaf in torch.utils._pytree.tree_leaves(made) if isinstance(leaf, torch.Tensor)]
    total = sum(((leaf.double() * (i + 1)).sum() for i, leaf in enumerate(leaves)), torch.tensor(0.0))
    if total.requires_grad:
        total.backward()
    gradient = None if x.grad is None else describe_value(x.grad, torch)
    return describe_value(
        torch.utils._pytree.tree_map(lambda leaf: getattr(leaf, "detach", lambda: leaf)(), made), torch
    ), gradient


CALLS = {
    "cond, true": lambda torch, x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)),
    "cond, false, one element": lambda torch, x: torch.cond(torch.tensor([False]), torch.sin, torch.cos, (x,)),
    "cond, a number": lambda torch, x: torch.cond(torch.tensor(2.5), torch.sin, torch.cos, (x,)),
    "cond, a bool": lambda torch, x: torch.cond(False, torch.sin, torch.cos, [x]),
    "cond, nested operands": lambda torch, x: torch.cond(
        torch.tensor(True), lambda d: {"k": d["a"]["b"].sin()}, lambda d: {"k": d["a"]["b"].cos()}, ({"a": {"b": x}},)
    ),
    "cond, no operands": lambda torch, x: torch.cond(torch.tensor(True), lambda: x.sin(), lambda: x.cos()),
    "cond, two elements": lambda torch, x: torch.cond(torch.tensor([True, False]), torch.sin, torch.cos, (x,)),
    "cond, no truth": lambda torch, x: torch.cond("a", torch.sin, torch.cos, (x,)),
    "cond, no function": lambda torch, x: torch.cond(torch.tensor(True), torch.sin, None, (x,)),
    "cond, operands that are no tuple": lambda torch, x: torch.cond(torch.tensor(True), torch.sin, torch.cos, 3),
    "cond, operands that are no tensors": lambda torch, x: torch.cond(torch.tensor(True), abs, abs, (3,)),
    "while_loop": lambda torch, x: load_operator(torch, "while_loop")(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (torch.tensor(0), x)
    ),
    "while_loop, never": lambda torch, x: load_operator(torch, "while_loop")(
        lambda i: False, lambda i: (i + 1,), (torch.tensor(0),)
    ),
    "while_loop, an int": lambda torch, x: load_operator(torch, "while_loop")(
        lambda i: i < 3, lambda i: (i + 1,), (0,)
    ),
    "while_loop, nested": lambda torch, x: load_operator(torch, "while_loop")(
        lambda d: d["i"] < 3, lambda d: ({"i": d["i"] + 1},), ({"i": torch.tensor(0)},)
    ),
    "while_loop, no function": lambda torch, x: load_operator(torch, "while_loop")(None, abs, (x,)),
    "scan": lambda torch, x: load_operator(torch, "scan")(lambda c, y: (c + y, c * y), torch.ones(3), x),
    "scan, reversed, other dim": lambda torch, x: load_operator(torch, "scan")(
        lambda c, y: (c + y, c * y), torch.ones(4), x, dim=1, reverse=True
    ),
    "scan, nested carry": lambda torch, x: load_operator(torch, "scan")(
        lambda c, y: ((c[0] + y, c[1] * y), c[0] * y), (torch.ones(3), torch.ones(3) * 2), x
    ),
    "scan, no function": lambda torch, x: load_operator(torch, "scan")(3, torch.ones(3), x),
    "scan, no tensor": lambda torch, x: load_operator(torch, "scan")(lambda c, y: (c, y), 3, x),
    "scan, no carry": lambda torch, x: load_operator(torch, "scan")(lambda c, y: (c, y), [], x),
    "scan, nothing": lambda torch, x: load_operator(torch, "scan")(lambda c, y: (c, y), torch.ones(3), []),
    "scan, no slices": lambda torch, x: load_operator(torch, "scan")(
        lambda c, y: (c, y), torch.ones(3), torch.zeros(0, 3)
    ),
    "scan, dim too large": lambda torch, x: load_operator(torch, "scan")(lambda c, y: (c, y), torch.ones(3), x, dim=2),
    "scan, reverse": lambda torch, x: load_operator(torch, "scan")(lambda c, y: (c, y), torch.ones(3), x, reverse=3),
    "map": lambda torch, x: load_operator(torch, "map")(lambda y, z: (y * z, y.sum()), x, torch.arange(3.0)),
    "map, nested": lambda torch, x: load_operator(torch, "map")(lambda y: {"b": y["a"] * 2}, {"a": x}),
    "map, no slices": lambda torch, x: load_operator(torch, "map")(abs, torch.zeros(0, 3)),
    "map, no tensor": lambda torch, x: load_operator(torch, "map")(abs, 3),
    "map, unequal": lambda torch, x: load_operator(torch, "map")(abs, (x, torch.ones(3, 3))),
}


@pytest.mark.parametrize("name", CALLS)
def test_control_flow_matches_torchs_values_and_gradients(mt, oracle, name):
    assert compute_values_and_gradients(CALLS[name], mt) == compute_values_and_gradients(CALLS[name], oracle)


SCANS = {
    "sums": lambda scan, torch, x: scan(lambda a, b: a + b, x, 0, combine_mode="generic"),
    "products, reversed, last dim": lambda scan, torch, x: scan(
        lambda a, b: a * b, x, -1, reverse=True, combine_mode="generic"
    ),
    "affine maps": lambda scan, torch, x: scan(
        lambda a, b: (b[0] * a[0], b[0] * a[1] + b[1]), (x / 7, x + 1), 0, combine_mode="generic"
    ),
    "matrices": lambda scan, torch, x: scan(
        lambda a, b: a @ b, (x.reshape(3, 2, 2) / 5).repeat(3, 1, 1), 0, combine_mode="generic"
    ),
    "one slice": lambda scan, torch, x: scan(lambda a, b: a + b, x[:1], 0, combine_mode="generic"),
    "the mode of kernels": lambda scan, torch, x: scan(lambda a, b: a + b, x, 0),
    "an unknown mode": lambda scan, torch, x: scan(lambda a, b: a + b, x, 0, combine_mode="x"),
    "no function": lambda scan, torch, x: scan(3, x, 0),
    "dim too large": lambda scan, torch, x: scan(lambda a, b: a + b, x, 5, combine_mode="generic"),
    "no slices": lambda scan, torch, x: scan(lambda a, b: a + b, torch.zeros(0, 3), 0, combine_mode="generic"),
    "reverse": lambda scan, torch, x: scan(lambda a, b: a + b, x, 0, reverse=1, combine_mode="generic"),
}


@pytest.mark.parametrize("name", SCANS)
def test_associative_scan_matches_torch(mt, oracle, name):
    def scan_and_differentiate(torch):
        return compute_values_and_gradients(
            lambda torch, x: SCANS[name](load_operator(torch, "associative_scan"), torch, x), torch
        )

    assert scan_and_differentiate(mt) == scan_and_differentiate(oracle)


def test_running_sums_of_every_length_are_cumsum(mt):
    for length in range(1, 20):
        x = mt.arange(float(length) * 2).reshape(length, 2)
        made = load_operator(mt, "associative_scan")(lambda a, b: a + b, x, 0, combine_mode="generic")
        assert made.tolist() == x.cumsum(0).tolist()


def test_loop_body_must_return_the_types_of_its_arguments(mt):
    loop = load_operator(mt, "while_loop")
    assert result(lambda torch: loop(lambda i: i < 3, lambda i: (i + 1, i), (mt.tensor(0),)), mt) == (
        "RuntimeError",
        "Expect body_fn to give 1 carried inputs, as it takes, but got 2.",
    )
