"""torch._lazy_clone: copies share memory until one of them is written; what real torch shows of it."""

import pytest


def _share_memory(mt, a, b):
    return mt._C._data_address(a) == mt._C._data_address(b)


@pytest.fixture
def clone_pair(mt):
    original = mt.arange(6.0).view(2, 3)
    return original, original._lazy_clone()


def test_a_lazy_clone_has_a_storage_of_its_own_over_the_same_memory(mt, clone_pair):
    original, clone = clone_pair
    assert _share_memory(mt, original, clone)
    assert mt._C._storage_address(original) != mt._C._storage_address(clone)
    assert mt._C._is_cow_tensor(original) and mt._C._is_cow_tensor(clone)
    view = original[:, 1:]._lazy_clone()
    assert (view.stride(), view.storage_offset(), view.tolist()) == ((3, 1), 1, [[1.0, 2.0], [4.0, 5.0]])


def test_reading_keeps_the_memory_shared(mt, clone_pair):
    original, clone = clone_pair
    for read in (lambda t: t + t, lambda t: t.tolist(), lambda t: t.sum().item(), repr, lambda t: t.view(6)):
        read(clone)
    assert _share_memory(mt, original, clone) and mt._C._is_cow_tensor(clone)


WRITES = {
    "in place": lambda torch, t: t.add_(1),
    "through a view": lambda torch, t: t.view(6)[1:].mul_(2),
    "by index": lambda torch, t: t.__setitem__(0, 9.0),
    "out": lambda torch, t: torch.add(t, 1, out=t),
    "foreach": lambda torch, t: torch._foreach_add_([t], 1),
    "resize": lambda torch, t: t.resize_(50),
    "numpy": lambda torch, t: t.numpy().__setitem__(0, 9.0),
    "dlpack": lambda torch, t: torch.from_dlpack(t).zero_(),
    "storage": lambda torch, t: t.untyped_storage().fill_(0),
    "shared memory": lambda torch, t: t.share_memory_().zero_(),
    "random": lambda torch, t: t.normal_(),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_to_one_copy_leaves_the_other(mt, clone_pair, name):
    original, clone = clone_pair
    address = mt._C._data_address(original)
    WRITES[name](mt, clone)
    assert original.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert not mt._C._is_cow_tensor(clone) and not _share_memory(mt, original, clone)
    original.add_(1)  # the last one with the bytes writes them where they are
    assert not mt._C._is_cow_tensor(original) and mt._C._data_address(original) == address


def test_running_statistics_are_written_to_a_copy(mt):
    mean = mt.zeros(3)
    clone = mean._lazy_clone()
    mt.nn.functional.batch_norm(mt.ones(4, 3), clone, mt.ones(3), training=True)
    assert mean.tolist() == [0.0, 0.0, 0.0]
    assert clone.tolist() == pytest.approx([0.1, 0.1, 0.1])


def test_clones_of_clones_are_freed_in_any_order(mt, clone_pair):
    original, clone = clone_pair
    further = [clone._lazy_clone() for _ in range(3)]
    del clone_pair, original
    further[1].zero_()
    del clone
    assert further[0].tolist() == further[2].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


def test_gradients_pass_a_lazy_clone(mt):
    x = mt.ones(2, requires_grad=True)
    clone = x._lazy_clone()
    assert type(clone.grad_fn).__name__ == "LazyCloneBackward0"
    (clone * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_memory_of_others_is_not_cloned_lazily(mt):
    with pytest.raises(RuntimeError, match="not allocated by this library"):
        mt.frombuffer(bytearray(8), dtype=mt.uint8)._lazy_clone()
    meta = mt.ones(3, device="meta")._lazy_clone()
    assert meta.is_meta and mt._C._is_cow_tensor(meta)
