"""torch.utils.module_tracker reports the running modules, forward and backward, as torch's does."""

import logging
from importlib import import_module

import pytest
from outcomes import normalise


def _make_module_tracker(torch):
    return import_module(torch.__name__ + ".utils.module_tracker").ModuleTracker()


def _observe_tracked_modules(torch, make, run):
    """The values of `parents` and `is_bw` at each product, forward and backward, and afterwards."""
    tracker, seen = _make_module_tracker(torch), []

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            seen.append((sorted(tracker.parents), tracker.is_bw))
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            seen.append((sorted(tracker.parents), tracker.is_bw))
            return grad * 2

    class Leaf(torch.nn.Module):
        def forward(self, x, *others, **named):
            return Product.apply(x)

    net = make(torch.nn, Leaf)
    with tracker:
        run(torch, net)
        seen.append((sorted(tracker.parents), tracker.is_bw))
    net(torch.ones(2))
    return seen, sorted(tracker.parents)


def _run_forward(torch, net):
    net(torch.ones(2))


def _run_backward(torch, net):
    net(torch.ones(2, requires_grad=True)).sum().backward()


def _run_two_backwards(torch, net):
    for _ in range(2):
        out = net(torch.ones(2, requires_grad=True)).sum()
        out.backward(retain_graph=True)
        out.backward()


def _run_without_gradients(torch, net):
    with torch.no_grad():
        net(torch.ones(2, requires_grad=True))


def _run_submodule_first(torch, net):
    net[0](torch.ones(2, requires_grad=True)).sum().backward()
    net(torch.ones(2, requires_grad=True)).sum().backward()


def _run_failing(torch, net):
    try:
        net(torch.ones(2), 3)
    except TypeError:
        pass
    net(torch.ones(2))


def _use_same_leaf_twice(nn, leaf):
    one = leaf()
    return nn.Sequential(one, nn.Sequential(one, leaf()))


NETS = {
    "a leaf": lambda nn, leaf: nn.Sequential(leaf()),
    "nested": lambda nn, leaf: nn.Sequential(nn.Sequential(leaf(), leaf()), leaf()),
    "shared": _use_same_leaf_twice,
}
RUNS = {
    "forward": _run_forward,
    "backward": _run_backward,
    "two backwards": _run_two_backwards,
    "without gradients": _run_without_gradients,
    "a part first": _run_submodule_first,
    "a failing call": _run_failing,
}


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("net", NETS)
def test_running_modules_are_torchs(net, run, mt, oracle):
    assert _observe_tracked_modules(mt, NETS[net], RUNS[run]) == _observe_tracked_modules(oracle, NETS[net], RUNS[run])


def test_a_backward_knows_its_modules(mt):
    seen, afterwards = _observe_tracked_modules(mt, NETS["nested"], _run_backward)
    assert seen[0] == (["Global", "Sequential", "Sequential.0", "Sequential.0.0"], False)
    assert seen[3] == (["Global", "Sequential", "Sequential.1"], True)
    assert afterwards == ["Global"]


def test_a_module_inside_of_itself_is_logged(mt, caplog):
    tracker = _make_module_tracker(mt)

    class Again(mt.nn.Module):
        def forward(self, x, depth):
            return self(x, depth - 1) if depth else x

    with caplog.at_level(logging.INFO), tracker:
        Again()(mt.ones(2), 1)
    assert [record.name for record in caplog.records] == ["mindtorch.utils.module_tracker"] * 2
    assert all("Again" in normalise(record.getMessage()) for record in caplog.records)
    assert tracker.parents == {"Global"}
