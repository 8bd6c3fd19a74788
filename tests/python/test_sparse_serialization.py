"""Sparse tensors in files, copies and other processes: every layout, both formats, in both directions."""

import copy
import io
import pickle

import pytest
from outcomes import normalise, outcome

LAYOUTS = {
    "coordinates": lambda torch: torch.sparse_coo_tensor([[0, 1, 0], [1, 0, 1]], [1.0, 2.0, 3.0], (3, 2)),
    "coalesced": lambda torch: torch.eye(3).to_sparse(),
    "hybrid": lambda torch: torch.sparse_coo_tensor([[0, 1]], [[1.0, 2], [3, 4]], (3, 2)),
    "empty": lambda torch: torch.sparse_coo_tensor((2, 3), dtype=torch.int64),
    "complex": lambda torch: torch.sparse_coo_tensor([[1]], [1j], (3,)),
    "csr": lambda torch: torch.eye(3, dtype=torch.float64).to_sparse_csr(),
    "csc": lambda torch: torch.eye(3).to_sparse_csc(),
    "bsr": lambda torch: torch.ones(4, 4).to_sparse_bsr((2, 2)),
    "bsc": lambda torch: torch.ones(4, 4).to_sparse_bsc((2, 1)),
    "batched": lambda torch: torch.ones(2, 3, 3).to_sparse_csr(),
}


def save_to_bytes(torch, value, **options):
    stream = io.BytesIO()
    torch.save(value, stream, **options)
    return stream.getvalue()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("weights_only", [True, False])
def test_files_go_to_torch_and_come_from_it(mt, oracle, layout, zipped, weights_only):
    make, options = LAYOUTS[layout], {"_use_new_zipfile_serialization": zipped}
    for writer in (mt, oracle):
        data = save_to_bytes(writer, {"x": make(writer), "y": [make(writer)]}, **options)
        for reader in (mt, oracle):
            loaded = reader.load(io.BytesIO(data), weights_only=weights_only)
            expected = outcome(lambda torch: {"x": make(torch), "y": [make(torch)]}, reader)[0]
            assert outcome(lambda torch, loaded=loaded: loaded, reader)[0] == expected


@pytest.mark.parametrize("layout", ["coordinates", "csr"])
def test_loaded_parameters_require_grad_and_sparse_coo_tensors_do_not(mt, oracle, layout):
    for torch in (mt, oracle):
        made = LAYOUTS[layout](torch)
        parameter = torch.load(io.BytesIO(save_to_bytes(torch, torch.nn.Parameter(made))))
        assert type(parameter) is torch.nn.Parameter and parameter.requires_grad and parameter.layout is made.layout
        plain = torch.load(io.BytesIO(save_to_bytes(torch, made.clone().requires_grad_())))
        assert plain.requires_grad is (layout == "csr")  # with gradients of values()


def test_a_meta_location_and_a_meta_tensor(mt, oracle):
    def load_on_meta(torch):
        data = save_to_bytes(torch, LAYOUTS["coordinates"](torch))
        return repr(torch.load(io.BytesIO(data), map_location="meta"))

    def load_from_meta(torch):
        return repr(torch.load(io.BytesIO(save_to_bytes(torch, torch.sparse_coo_tensor((3,), device="meta")))))

    assert normalise(load_on_meta(mt)) == normalise(load_on_meta(oracle))
    assert normalise(load_from_meta(mt)) == normalise(load_from_meta(oracle))


HOSTILE = {
    "beyond the size": lambda torch: torch.sparse_coo_tensor([[5]], [1.0], (3,)),
    "out of order": lambda torch: torch.sparse_coo_tensor([[1, 0]], [1.0, 2], (3,), is_coalesced=True),
    "a column too far": lambda torch: torch.sparse_csr_tensor([0, 1], [5], [1.0], (1, 3)),
    "more than there is": lambda torch: torch.sparse_csr_tensor([0, 3], [1], [1.0], (1, 3)),
    "a row too far": lambda torch: torch.sparse_csc_tensor([0, 1], [5], [1.0], (3, 1)),
    "in a parameter": lambda torch: torch.nn.Parameter(torch.sparse_coo_tensor([[5]], [1.0], (3,))),
}


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("weights_only", [True, False])
def test_out_of_range_indices_are_refused_on_loading(mt, oracle, what, zipped, weights_only):
    data = save_to_bytes(mt, HOSTILE[what](mt), _use_new_zipfile_serialization=zipped)
    with pytest.raises(RuntimeError) as ours:
        mt.load(io.BytesIO(data), weights_only=weights_only)
    with oracle.sparse.check_sparse_tensor_invariants(), pytest.raises(RuntimeError) as theirs:
        oracle.load(io.BytesIO(data), weights_only=weights_only)
    assert str(ours.value) == str(theirs.value)
    with mt.serialization.skip_data():
        mt.load(
            io.BytesIO(save_to_bytes(mt, HOSTILE[what](mt))), weights_only=weights_only
        )  # with uninitialised memory


def test_a_rebuilt_tensor_is_checked_by_torch_load_alone(mt):
    pickled = pickle.dumps(mt.sparse_coo_tensor([[5]], [1.0], (3,)))
    assert pickle.loads(pickled)._nnz() == 1
    assert mt.load(io.BytesIO(save_to_bytes(mt, mt.ones(2)))).sum() == 2


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pickles_and_shallow_copies_are_the_same_tensor(mt, layout):
    made = LAYOUTS[layout](mt)
    for copied in (pickle.loads(pickle.dumps(made)), copy.copy(made)):
        assert outcome(lambda torch, copied=copied: copied, mt) == outcome(lambda torch: made, mt)


@pytest.mark.parametrize(
    "make",
    [
        lambda torch: torch.sparse_coo_tensor([[1]], [1.0], (3,), requires_grad=True),
        lambda torch: torch.eye(2).to_sparse_csr(),
        lambda torch: torch.nn.Parameter(torch.eye(2).to_sparse()),
        lambda torch: torch.sparse_coo_tensor([[1]], [1.0], (3,), requires_grad=True).coalesce() * 2,
    ],
)
def test_deep_copies_are_made_or_refused_as_by_torch(mt, oracle, make):
    assert outcome(lambda torch: copy.deepcopy(make(torch)), mt) == outcome(
        lambda torch: copy.deepcopy(make(torch)), oracle
    )


@pytest.mark.parametrize(
    "arguments",
    [
        lambda torch: (torch.sparse_coo, (torch.tensor([[5]]), torch.ones(1), torch.Size([3]))),
        lambda torch: (torch.sparse_coo, (torch.tensor([[1, 0]]), torch.ones(2), torch.Size([3]), True)),
        lambda torch: (torch.sparse_coo, (torch.tensor([[5]]), torch.ones(1))),
        lambda torch: (torch.sparse_csr, (torch.tensor([0, 1]), torch.tensor([5]), torch.ones(1), torch.Size([1, 2]))),
        lambda torch: (torch.strided, (torch.tensor([0, 1]), torch.tensor([5]), torch.ones(1), torch.Size([1, 2]))),
    ],
)
def test_the_function_that_files_name(mt, oracle, arguments):
    def call_rebuild(torch):
        return torch._utils._rebuild_sparse_tensor(*arguments(torch))

    assert outcome(call_rebuild, mt) == outcome(call_rebuild, oracle)


def test_a_module_with_sparse_buffers_saves_loads_and_moves(mt, oracle):
    def save_load_and_move_module(torch):
        module = torch.nn.Module()
        module.register_buffer("s", torch.sparse_coo_tensor([[1]], [1.0], (3,)))
        module.p = torch.nn.Parameter(torch.sparse_coo_tensor([[1]], [1.0], (3,)))
        found = [module.state_dict()]
        module.load_state_dict({"s": torch.sparse_coo_tensor([[0, 1]], [1.0, 4], (3,)), "p": module.p.detach()})
        found.append(module.state_dict())
        found.append(module.double().state_dict())
        with pytest.raises(RuntimeError) as error:
            module.load_state_dict({"s": torch.ones(3), "p": module.p.detach()})
        found.append(normalise(str(error.value)))
        with pytest.raises(NotImplementedError) as error:
            module.share_memory()
        found.append(str(error.value))
        module.load_state_dict({"s": torch.eye(3)[0].to_sparse(), "p": module.p.detach()}, assign=True)
        found.append(module.state_dict())
        return found, normalise(repr(module.to("meta").state_dict()))

    assert outcome(save_load_and_move_module, mt) == outcome(save_load_and_move_module, oracle)


@pytest.mark.parametrize("layout", ["coordinates", "csr"])
def test_batches_of_sparse_tensors_are_refused(mt, oracle, layout):
    def collate(torch):
        return torch.utils.data.default_collate([LAYOUTS[layout](torch)] * 2)

    assert outcome(collate, mt) == outcome(collate, oracle)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sparse_tensors_are_sent_by_components(mt, layout):
    from multiprocessing.reduction import ForkingPickler

    import mindtorch.multiprocessing  # noqa: F401 - registers how tensors are sent

    made = LAYOUTS[layout](mt)
    received = pickle.loads(bytes(ForkingPickler.dumps(made)))
    assert outcome(lambda torch: received, mt) == outcome(lambda torch: made, mt)
    part = (made._values() if made.is_sparse else made.values()).numel()
    if part:  # both processes use the same memory
        (made._values() if made.is_sparse else made.values()).fill_(7)
        assert (received._values() if received.is_sparse else received.values()).flatten()[0] == 7


def test_non_leaf_that_requires_grad_is_not_sent(mt, oracle):
    import mindtorch.multiprocessing.reductions as ours
    from torch.multiprocessing import reductions as theirs

    texts = []
    for torch, reductions in ((mt, ours), (oracle, theirs)):
        with pytest.raises(RuntimeError) as error:
            reductions.reduce_tensor(torch.sparse_coo_tensor([[1]], [1.0], (3,), requires_grad=True) * 2)
        texts.append(str(error.value))
    assert texts[0] == texts[1]


def test_flattened_lists_come_back(mt, oracle):
    def flatten_and_unflatten(torch):
        tensors = [LAYOUTS["coalesced"](torch), LAYOUTS["coalesced"](torch) * 2]
        flat = torch._utils._flatten_sparse_tensors(tensors)
        return list(flat), list(torch._utils._unflatten_sparse_tensors(flat, tensors))

    assert outcome(flatten_and_unflatten, mt) == outcome(flatten_and_unflatten, oracle)
