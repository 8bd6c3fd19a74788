"""Writes by index refuse sources and indices that share memory with their target. Expected: real torch's texts."""

import pytest
from outcomes import outcome

# Operators that write a source into a vector of six numbers, at two indices. The source may be a view of the vector.
WRITES = {
    "index_add_": lambda t, x, i, s: x.index_add_(0, i, s),
    "index_copy_": lambda t, x, i, s: x.index_copy_(0, i, s),
    "index_reduce_": lambda t, x, i, s: x.index_reduce_(0, i, s, "mean"),
    "index_put_": lambda t, x, i, s: x.index_put_((i,), s),
    "index_put_, added": lambda t, x, i, s: x.index_put_((i,), s, accumulate=True),
    "indexed assignment": lambda t, x, i, s: x.__setitem__(i, s),
    "scatter_": lambda t, x, i, s: x.scatter_(0, i, s),
    "scatter_, added": lambda t, x, i, s: x.scatter_(0, i, s, reduce="add"),
    "scatter_add_": lambda t, x, i, s: x.scatter_add_(0, i, s),
    "scatter_reduce_": lambda t, x, i, s: x.scatter_reduce_(0, i, s, "sum"),
    "put_": lambda t, x, i, s: x.put_(i, s),
    "put_, added": lambda t, x, i, s: x.put_(i, s, accumulate=True),
    "scatter_ of a number": lambda t, x, i, s: x.scatter_(0, i, 5),
    "index_fill_": lambda t, x, i, s: x.index_fill_(0, i, 5),
    "index_add, out=": lambda t, x, i, s: t.index_add(t.zeros_like(x), 0, i, s, out=x),
    "index_copy, out=": lambda t, x, i, s: t.index_copy(t.zeros_like(x), 0, i, s, out=x),
    "scatter, out=": lambda t, x, i, s: t.scatter(t.zeros_like(x), 0, i, s, out=x),
    "scatter_add, out=": lambda t, x, i, s: t.scatter_add(t.zeros_like(x), 0, i, s, out=x),
}


def _make_source_within_target(torch, x):
    return torch.tensor([0, 1]), x[1:3]


def _make_source_before_target(torch, x):
    return torch.tensor([0, 1]), x[4:6]


def _make_separate_source(torch, x):
    return torch.tensor([0, 1]), torch.tensor([10, 20])


def _make_index_within_target(torch, x):
    return x[:2], torch.tensor([10, 20])


@pytest.mark.parametrize(
    "parts", [_make_source_within_target, _make_source_before_target, _make_separate_source, _make_index_within_target]
)
@pytest.mark.parametrize("name", WRITES)
def test_a_write_by_index_refuses_memory_of_its_own(name, parts, mt, oracle):
    def write_by_index(torch):
        x = torch.arange(6)
        WRITES[name](torch, x, *parts(torch, x))
        return x

    assert outcome(write_by_index, mt)[0] == outcome(write_by_index, oracle)[0]


def test_refused_write_leaves_its_target_unchanged(mt):
    x = mt.arange(6)
    with pytest.raises(
        RuntimeError, match="some elements of the input tensor and the written-to tensor refer to a single"
    ):
        x.index_add_(0, mt.tensor([0, 1]), x[1:3])
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
