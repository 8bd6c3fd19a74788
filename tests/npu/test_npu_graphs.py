"""Graphs: work recorded once and replayed over the same memory."""

import pytest


def test_a_graph_does_its_work_again_on_new_input(mt):
    x = mt.zeros(4, device="npu")
    graph = mt.npu.NPUGraph()
    with mt.npu.graph(graph):
        assert mt.npu.is_current_stream_capturing()
        y = (x + 1) * 2
    assert not mt.npu.is_current_stream_capturing()
    for value in (3.0, 5.0):
        x.fill_(value)
        graph.replay()
        mt.npu.synchronize()
        assert y.tolist() == [(value + 1) * 2] * 4


def test_graphs_can_share_a_pool_of_memory(mt):
    pool = mt.npu.graph_pool_handle()
    first, second = mt.npu.NPUGraph(), mt.npu.NPUGraph()
    x = mt.ones(4, device="npu")
    with mt.npu.graph(first, pool=pool):
        y = x + 1
    with mt.npu.graph(second, pool=pool):
        z = y * 3
    assert first.pool() == second.pool() == pool
    first.replay()
    second.replay()
    assert z.tolist() == [6.0] * 4
    assert mt.npu.memory_snapshot(mempool_id=pool)


@pytest.mark.parametrize("name", ["debug_dump", "enable_debug_mode", "instantiate", "raw_npu_graph"])
def test_unsupported_graph_methods_are_refused(mt, name):
    with pytest.raises(NotImplementedError, match=f"torch.npu.NPUGraph.{name} is not supported"):
        getattr(mt.npu.NPUGraph(), name)()


def test_the_default_stream_is_not_recorded(mt):
    with pytest.raises(RuntimeError):
        mt.npu.NPUGraph().capture_begin()
    with pytest.raises(RuntimeError, match="Unknown capture error mode"):
        mt.npu.NPUGraph().capture_begin(capture_error_mode="none")


def test_the_accelerators_graph_is_the_npus(mt):
    x = mt.ones(2, device="npu")
    graph = mt.accelerator.Graph()
    with mt.npu.stream(mt.npu.Stream()), graph:
        x += 1
    graph.replay()
    mt.npu.synchronize()
    assert x.tolist() == [2.0, 2.0]
    graph.reset()


def test_graphed_callables_replay_forward_and_backward(mt):
    mt.manual_seed(0)
    module = mt.nn.Sequential(mt.nn.Linear(3, 4), mt.nn.Tanh()).npu()
    weight = module[0].weight
    inputs = [mt.randn(2, 3, device="npu") for _ in range(2)]
    expected = []
    for x in inputs:
        leaf = x.clone().requires_grad_()
        module.zero_grad()
        y = module(leaf)
        y.square().sum().backward()
        expected.append([t.cpu().clone() for t in (y.detach(), leaf.grad, weight.grad)])
    graphed = mt.npu.make_graphed_callables(module, (mt.randn(2, 3, device="npu", requires_grad=True),))
    assert graphed is module
    for x, values in zip(inputs, expected, strict=True):
        leaf = x.clone().requires_grad_()
        module.zero_grad()
        y = graphed(leaf)
        y.square().sum().backward()
        for ours, theirs in zip((y.detach(), leaf.grad, weight.grad), values, strict=True):
            mt.testing.assert_close(ours.cpu(), theirs)
