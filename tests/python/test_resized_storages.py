"""Tensors whose storage was resized to fewer bytes than their elements have: views and operators raise, as in torch.

Where torch crashes or reads past the end, the operator raises what torch raises elsewhere."""

import pytest
from beside import outcome

NO_BYTES = "its data is not allocated yet|setStorage|with unallocated storage"
PAST_THE_END = r"setStorage: sizes .* are out of bounds for storage of size 20"
# `t` has sizes (2, 3, 4); `c` is complex. None of these reads elements, so torch does not crash.
VIEWS = """
t.view(24).shape
t.view(torch.int16).shape
t.reshape(4, 6).shape
torch.ops.aten._unsafe_view(t, [24]).shape
torch.ops.aten._reshape_alias(t, [24], [1]).shape
t.flatten().shape
t.detach().shape
t.data.shape
t[...].shape
t.contiguous() is t
t.to(torch.float32) is t
t.is_contiguous(), t.numel(), t.stride()
torch.view_as_real(c).shape
c.conj().is_conj()
torch.empty_like(t).shape
torch.zeros_like(t).sum()
t.transpose(1, 1).shape
t.transpose(0, 1)
t.permute(2, 0, 1)
t.movedim(0, 1)
t.mT
t.select(0, 1)
t[0]
t[:1]
t[None]
t.narrow(2, 0, 2)
t.split(1)
t.chunk(2)
t.unbind()
t.expand(2, 2, 3, 4)
t.expand(2, 3, 4)
t.squeeze()
t.squeeze(0)
t.unsqueeze(0)
t.diagonal(0, 1, 2)
t.unfold(2, 2, 1)
t.as_strided((30,), (1,))
t.transpose_(0, 1)
t.unsqueeze_(0)
c.real
c.imag
""".strip().splitlines()
# Operators that torch refuses if the storage has no bytes.
REFUSED = """
m @ m.new_ones(4, 3)
m.softmax(0)
torch.nn.functional.linear(m, torch.ones(2, 4))
torch.multinomial(m, 1)
o.item()
m.tolist()
""".strip().splitlines()
# Operators with which torch crashes.
READING = """
m + 1
m + m
torch.ones(3, 4) + m
m.sum()
m.sum(0)
m.exp()
m.relu_()
m.fill_(1)
m.zero_()
m.clone()
torch.ones(3, 4).copy_(m)
m.copy_(torch.ones(3, 4))
m.sort()
m.cumsum(0)
m.half()
m.argmax()
m.nonzero()
m.masked_fill(torch.ones(3, 4, dtype=torch.bool), 0)
torch.cat([m, m])
torch.equal(m, torch.ones(3, 4))
torch.add(torch.ones(3, 4), 1, out=m)
torch.where(torch.ones(3, 4, dtype=torch.bool), m, m)
m.bernoulli_()
repr(m)
""".strip().splitlines()


def make_tensors_on_shrunk_storages(torch, storage_nbytes):
    values = {
        "t": torch.ones(2, 3, 4),
        "c": torch.ones(2, 3, 4, dtype=torch.complex64),
        "m": torch.ones(3, 4),
        "o": torch.ones(8)[:1],
    }
    for value in values.values():
        value.untyped_storage().resize_(storage_nbytes)
    return values


def assert_same(mt, oracle, expression, nbytes):
    # Only texts in the assertion: pytest would print the tensors of a failed one, with which torch crashes.
    ours, theirs = (
        outcome(torch, expression, make_tensors_on_shrunk_storages(torch, nbytes)) for torch in (mt, oracle)
    )
    assert ours == theirs


@pytest.mark.parametrize("nbytes", [0, 20])
@pytest.mark.parametrize("expression", VIEWS)
def test_views_are_refused_as_in_torch(mt, oracle, expression, nbytes):
    assert_same(mt, oracle, expression, nbytes)


@pytest.mark.parametrize("expression", REFUSED)
def test_elements_without_bytes_are_refused_as_in_torch(mt, oracle, expression):
    assert_same(mt, oracle, expression, 0)


@pytest.mark.parametrize("expression", READING)
@pytest.mark.parametrize(("nbytes", "text"), [(0, NO_BYTES), (20, PAST_THE_END)])
def test_operators_raise_instead_of_reading_past_the_end(mt, expression, nbytes, text):
    with pytest.raises(RuntimeError, match=text):
        eval(expression, {"torch": mt, **make_tensors_on_shrunk_storages(mt, nbytes)})


def test_a_storage_that_has_grown_again_serves_its_tensors(mt):
    values = make_tensors_on_shrunk_storages(mt, 0)
    values["m"].untyped_storage().resize_(48)
    assert values["m"].fill_(2).sum().item() == 24


def test_a_smaller_tensor_over_the_storage_is_unaffected(mt):
    whole = mt.arange(6.0)
    part = whole[:2]
    whole.untyped_storage().resize_(8)
    assert (part + part).tolist() == [0.0, 2.0]
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 8"):
        whole + 1


def test_addresses_and_files_of_empty_storages_need_no_elements(mt, oracle, tmp_path):
    for torch in (mt, oracle):
        tensor = make_tensors_on_shrunk_storages(torch, 0)["m"]
        assert tensor.data_ptr() == 0
        assert tensor.untyped_storage().nbytes() == 0
        assert torch.utils.dlpack.to_dlpack(tensor) is not None
        torch.save(tensor, tmp_path / "file.pt")


def test_a_view_past_the_end_of_a_whole_storage_is_refused(mt):
    # torch returns the view, whose elements are outside of the storage.
    with pytest.raises(RuntimeError, match=r"setStorage: sizes \[5\], strides \[3\], .* storage of size 4"):
        mt.ops.aten._reshape_alias(mt.ones(1), [5], [3])
