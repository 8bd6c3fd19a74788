"""torch.from_file: tensors over mapped files, as a function and as an operator."""

import pytest
from beside import outcome

CALLS = """
torch.from_file(path, size=4)
torch.from_file(path, False, 4, dtype=torch.int16)
torch.from_file(path, size=None), torch.from_file(path)
torch.from_file(path, size=2, requires_grad=True)
torch.from_file(path, size=2, dtype=torch.int16, requires_grad=True)
torch.from_file(path, size=5)
torch.from_file(path, size=-1)
torch.from_file(path, True, 2, layout=torch.sparse_coo)
torch.from_file(path, True, 2, pin_memory=True)
torch.from_file(folder, False, 2)
torch.from_file(folder + "/missing/file", True, 2)
torch.from_file(folder + "/missing", False, 2)
torch.from_file(bytes(path, "utf-8"), False, 2)
torch.from_file(3)
torch.from_file(size=2)
torch.from_file(path, 0, 2)
torch.from_file(path, False, 2.5)
torch.from_file(path, size=2, out=torch.zeros(2))
torch.ops.aten.from_file(path, False, 2)
torch.ops.aten.from_file.default._schema
torch.ops.aten.from_file.out(path, False, 2, out=torch.zeros(0))
torch.vmap(lambda x: x + torch.from_file(path, size=2))(torch.zeros(2, 2))
torch.from_file(path, size=2).untyped_storage().nbytes(), torch.from_file(path, size=2).untyped_storage().resizable()
"""


@pytest.mark.parametrize("call", CALLS.split("\n")[1:-1])
def test_calls_and_refusals_match_torch(mt, oracle, tmp_path, call):
    path = tmp_path / "bytes"
    path.write_bytes(bytes(range(16)))
    names = {"path": str(path), "folder": str(tmp_path)}
    assert outcome(mt, call, names) == outcome(oracle, call, names)


def test_a_size_beyond_64_bits_is_refused(mt, tmp_path):
    path = tmp_path / "bytes"
    path.write_bytes(bytes(4))
    for size in (2**62, -(2**62), -(2**63)):
        with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
            mt.from_file(str(path), size=size)


def test_a_negative_size_makes_no_file(mt, tmp_path):
    with pytest.raises(RuntimeError, match="unable to mmap -4 bytes"):
        mt.from_file(str(tmp_path / "new"), shared=True, size=-1)
    assert not list(tmp_path.iterdir())


def test_writes_to_a_shared_file_tensor_reach_the_file(mt, tmp_path):
    path = tmp_path / "numbers"
    tensor = mt.from_file(str(path), shared=True, size=3, dtype=mt.int32)
    tensor.copy_(mt.tensor([1, 2, 3]))
    assert path.read_bytes() == b"".join(n.to_bytes(4, "little") for n in (1, 2, 3))
    private = mt.from_file(str(path), size=2, dtype=mt.int32)
    private.fill_(9)
    assert mt.from_file(str(path), size=2, dtype=mt.int32).tolist() == [1, 2]


STORAGES = """
tensor.is_shared(), storage.is_shared(), tensor.view(2, 2).is_shared(), tensor.clone().is_shared()
storage.filename == (path if shared else None), storage.clone().filename
tensor.share_memory_() is tensor, tensor.is_shared(), storage.filename == (path if shared else None), storage.nbytes()
torch.UntypedStorage.from_file(path, shared, 16).filename == (path if shared else None)
torch.UntypedStorage.from_file(path, shared, 16).is_shared()
torch.from_file(path, shared, 0).is_shared(), torch.from_file(path, shared, 0).untyped_storage().filename == path
"""


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("call", STORAGES.split("\n")[1:-1])
def test_a_mapped_file_counts_as_shared(mt, oracle, tmp_path, call, shared):
    path = tmp_path / "bytes"
    path.write_bytes(bytes(16))

    def describe_mapped_storage(torch):
        tensor = torch.from_file(str(path), shared, 4)
        names = {"path": str(path), "shared": shared, "tensor": tensor, "storage": tensor.untyped_storage()}
        return outcome(torch, call, names)

    assert describe_mapped_storage(mt) == describe_mapped_storage(oracle)


def test_writes_reach_the_file_after_share_memory(mt, tmp_path):
    path = tmp_path / "numbers"
    tensor = mt.from_file(str(path), shared=True, size=1, dtype=mt.int32).share_memory_()
    tensor.fill_(7)
    assert path.read_bytes() == (7).to_bytes(4, "little")
