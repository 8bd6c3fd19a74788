"""torch.pipeline: operators are deferred until a result is read, and are bit-identical to immediate calls."""

import re

import pytest


def _count_waiting(mt):
    return mt.pipeline.statistics()["queued"]


def test_shapes_are_known_before_anything_is_computed(mt):
    with mt.pipeline():
        before = mt.pipeline.statistics()
        y = (mt.ones(2, 3) * 2).sum(1)
        assert y.shape == (2,) and y.dtype == mt.float32
        after = mt.pipeline.statistics()
        assert after["queued"] > before["queued"] and after["flushes"] == before["flushes"]
    assert y.tolist() == [6.0, 6.0]


OBSERVING_CALLS = {
    "printing": lambda mt, y: repr(y),
    "item": lambda mt, y: y.sum().item(),
    "tolist": lambda mt, y: y.tolist(),
    "a truth value": lambda mt, y: bool((y > 0).all()),
    "data_ptr": lambda mt, y: y.data_ptr(),
    "numpy": lambda mt, y: y.numpy(),
    "grad_fn": lambda mt, y: y.grad_fn,
    "_version": lambda mt, y: y._version,
    "untyped_storage": lambda mt, y: y.untyped_storage(),
    "equal": lambda mt, y: mt.equal(y, y),
    "nonzero": lambda mt, y: y.nonzero(),
    "requires_grad_": lambda mt, y: y.requires_grad_(),
    "detached memory": lambda mt, y: y.data,
    "flush": lambda mt, y: mt.pipeline.flush(),
}


@pytest.mark.parametrize("name", OBSERVING_CALLS)
def test_reading_a_result_flushes_the_pipeline(name, mt):
    with mt.pipeline():
        y = mt.ones(3) + 1
        before = mt.pipeline.statistics()["flushes"]
        OBSERVING_CALLS[name](mt, y)
        assert mt.pipeline.statistics()["flushes"] == before + 1
        assert y.tolist() == [2.0, 2.0, 2.0]


PROGRAMS = {
    "a chain": lambda mt, x: ((x * 2 + 1).tanh() - x).exp(),
    "a chain with a broadcast number": lambda mt, x: (x.sum() * x + 3).abs().sqrt(),
    "a chain in half precision": lambda mt, x: (x.half() * 3 + 1).sigmoid() * x.half(),
    "a chain of dtypes": lambda mt, x: ((x > 0).to(mt.int64) * 3 + x).double().log1p(),
    "a product with a tail": lambda mt, x: mt.nn.functional.gelu(x @ x.t() + 1) * 2,
    "a reduction with a tail": lambda mt, x: x.sum(1, keepdim=True).sqrt() + x,
    "layers": lambda mt, x: mt.nn.functional.layer_norm(mt.nn.functional.linear(x, mt.ones(5, 4), mt.ones(5)), (5,)),
    "attention": lambda mt, x: mt.nn.functional.scaled_dot_product_attention(*[x[None, None]] * 3),
    "views": lambda mt, x: x.t().reshape(-1)[1:].unsqueeze(0).expand(2, -1) * 2,
    "strides": lambda mt, x: (x.t() * 2, (x[:, None] + x).stride()),
    "in place": lambda mt, x: x.clone().add_(1).mul_(x).clamp_(max=2),
    "in place through a view": lambda mt, x: (lambda y: (y[0].add_(5), y * 2)[1])(x.clone()),
    "in place on what waits": lambda mt, x: (lambda y: (y.view(-1)[2:].zero_(), y + 1)[1])(x * 2),
    "out=": lambda mt, x: mt.add(x * 2, x, out=mt.empty(0)),
    "chance": lambda mt, x: mt.nn.functional.dropout(x * 2) + mt.rand(3, 4),
    "lists": lambda mt, x: mt.cat([*(x * 2).split(2), x.flip(0)]).chunk(2),
    "indices": lambda mt, x: (x * 2)[(x[:, 0] > 0).nonzero().flatten()],
    "a mask": lambda mt, x: (x + 1)[x > 0],
    "resized": lambda mt, x: (x * 2).resize_(2, 2),
    "several results": lambda mt, x: ((x * 2).max(0), (x + 1).sort(1).values, mt.var_mean(x * 3)),
    "one hot": lambda mt, x: mt.nn.functional.one_hot((x * 0).long() + 1, 3),
    "complex": lambda mt, x: (mt.complex(x, x) * 2).conj().imag + 1,
    "no elements": lambda mt, x: (x[:0] * 2 + 1).sum(),
    "a number": lambda mt, x: (x.sum() * 2 + 1).sqrt(),
    "autocast": lambda mt, x: _multiply_in_autocast(mt, x),
    "kept and dropped": lambda mt, x: (lambda y: (y, (y + 1) * 2))(x * 2),
    "the same operand twice": lambda mt, x: (lambda y: y * y + y)(x + 1),
    "another size follows": lambda mt, x: ((x * 2 + 1), (x[0] * 3).sin()),
}


def _multiply_in_autocast(mt, x):
    with mt.autocast("cpu"):
        return (x @ x.t()) + 1


def _flatten_tensors(mt, value):
    if isinstance(value, mt.Tensor):
        return [(str(value.dtype), tuple(value.shape), value.stride(), value._version, repr(value.tolist()))]
    if isinstance(value, (tuple, list)):
        return [item for part in value for item in _flatten_tensors(mt, part)]
    return [value]


@pytest.mark.parametrize("name", PROGRAMS)
def test_pipeline_is_bit_identical_to_immediate_calls(name, mt):
    def run_program():
        mt.manual_seed(1)
        return PROGRAMS[name](mt, mt.linspace(-1, 2, 12).view(3, 4))

    at_once = _flatten_tensors(mt, run_program())
    with mt.pipeline():
        waited = run_program()
    assert _flatten_tensors(mt, waited) == at_once


def test_long_tensors_are_chained_in_tiles(mt):
    x = mt.linspace(-3, 3, 100_003)
    at_once = ((x * 2).sin() + x).half() * 0.1
    before = mt.pipeline.statistics()
    with mt.pipeline():
        waited = ((x * 2).sin() + x).half() * 0.1
    after = mt.pipeline.statistics()
    assert after["chained"] - before["chained"] >= 3 and after["chains"] > before["chains"]
    assert mt.equal(waited, at_once)


def test_gradients_are_those_of_running_at_once(mt):
    def train_step():
        x = mt.linspace(-1, 2, 12).view(3, 4)
        weight = (mt.ones(4, 4) * 0.5).requires_grad_()
        bias = x.sum(0) * 2
        loss = ((x * 2) @ weight + bias).tanh().sum()
        loss.backward()
        return loss.item(), weight.grad.tolist(), type(loss.grad_fn).__name__

    at_once = train_step()
    with mt.pipeline():
        waited = train_step()
    assert waited == at_once


def test_calls_that_record_a_gradient_wait_too(mt):
    leaf = mt.ones(3, requires_grad=True)
    with mt.pipeline():
        before = mt.pipeline.statistics()
        loss = (leaf.view(3, 1) * 2 + 1).exp().sum()
        assert (loss.requires_grad, loss.is_leaf, (leaf > 0).requires_grad) == (True, False, False)
        after = mt.pipeline.statistics()
        assert after["queued"] >= before["queued"] + 5 and after["flushes"] == before["flushes"]
        loss.backward()
        assert mt.pipeline.statistics()["flushes"] == before["flushes"] + 1
    assert leaf.grad.tolist() == [2 * mt.tensor(3.0).exp().item()] * 3


def test_hooks_on_saved_tensors_are_those_of_the_line_that_called(mt):
    leaf, packed = mt.ones(2, requires_grad=True), []
    with mt.pipeline():
        with mt.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t.tolist()) or t, lambda t: t):
            y = (leaf * 3).exp()
        z = y.exp()
    assert packed == [y.tolist()]  # the factor is a number, which torch does not pack
    z.sum().backward()
    assert leaf.grad is not None


def test_operator_that_reads_its_argument_flushes_the_pipeline(mt):
    with mt.pipeline():
        assert mt.quantile(mt.arange(5.0) * 2, 0.5).item() == 4.0
        assert (mt.arange(5.0) + 1).narrow(0, mt.tensor(1) + 1, 2).tolist() == [3.0, 4.0]


def test_a_wrong_shape_raises_at_its_line(mt):
    with mt.pipeline():
        with pytest.raises(RuntimeError, match=r"^The size of tensor a \(3\) must match the size of tensor b \(4\)"):
            mt.ones(3) + mt.ones(4)


def test_delayed_errors_name_the_operator_and_the_line(mt):
    with pytest.raises(IndexError, match="out of range in self") as caught:
        with mt.pipeline():
            table = mt.ones(3, 2) * 2
            rows = mt.nn.functional.embedding(mt.tensor([5]), table)  # this line
            later = rows + 1
            assert later.shape == (1, 2)
    found = re.search(r"\(aten::embedding was queued in a pipeline at (.*):(\d+)\)", str(caught.value))
    assert found and found[1] == __file__
    line = open(__file__).read().split("\n")[int(found[2]) - 1]
    assert "# this line" in line
    assert table.tolist() == [[2.0, 2.0]] * 3
    for lost in (rows, later):
        with pytest.raises(RuntimeError, match="never computed, since its pipeline failed"):
            lost.tolist()
        with pytest.raises(RuntimeError, match="never computed"):
            lost + 1


def test_a_failed_flush_leaves_later_writes_undone(mt):
    x = mt.zeros(3)
    with pytest.raises(IndexError):
        with mt.pipeline():
            x.add_(1)
            mt.nn.functional.embedding(mt.tensor([5]), mt.ones(3, 2))
            x.mul_(7)
    assert x.tolist() == [1.0, 1.0, 1.0]
    assert (x + 1).tolist() == [2.0, 2.0, 2.0]


def test_nested_pipelines_flush_on_exceptions(mt):
    with pytest.raises(ZeroDivisionError):
        with mt.pipeline():
            with mt.pipeline():
                x = mt.ones(2) * 3
            y = x + 1
            raise ZeroDivisionError
    assert (x.tolist(), y.tolist()) == ([3.0, 3.0], [4.0, 4.0])
    before = _count_waiting(mt)
    mt.ones(2) + 1
    assert _count_waiting(mt) == before


def test_pipelines_belong_to_their_thread(mt):
    import threading

    queued = []
    with mt.pipeline():
        y = mt.ones(2) * 3
        thread = threading.Thread(target=lambda: queued.append(((mt.ones(2) + 1).tolist(), _count_waiting(mt))))
        thread.start()
        thread.join()
        assert queued == [([2.0, 2.0], 0)]
        assert y.tolist() == [3.0, 3.0]
