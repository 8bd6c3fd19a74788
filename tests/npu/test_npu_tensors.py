"""Tensors, modules, files and mixed precision on a device."""

import copy
import pickle

import pytest


def test_tensors_know_where_they_are(mt):
    x = mt.ones(2, 3, device="npu:1")
    assert x.is_npu and not x.is_cpu and not x.is_cuda and x.get_device() == 1
    assert x.type() == "torch.npu.FloatTensor" and isinstance(x, mt.npu.FloatTensor)
    assert "device='npu:1'" in repr(x)
    storage = x.untyped_storage()
    assert storage.is_npu and storage.device == mt.device("npu:1") and storage.get_device() == 1


def test_values_go_there_and_come_back(mt):
    for dtype in (mt.float32, mt.float16, mt.bfloat16, mt.float64, mt.int64, mt.int32, mt.uint8, mt.bool):
        x = mt.arange(12).reshape(3, 4).to(dtype)
        assert mt.equal(x.npu().cpu(), x) and mt.equal(x.t().npu().cpu(), x.t()), dtype
    strided = mt.arange(24).reshape(2, 3, 4).npu()[:, 1:, ::2]
    assert strided.tolist() == mt.arange(24).reshape(2, 3, 4)[:, 1:, ::2].tolist()
    assert mt.tensor([1.5, -2.0], device="npu").tolist() == [1.5, -2.0] and mt.tensor(3, device="npu").item() == 3


def test_tensors_that_are_there_already_are_not_copied(mt):
    x = mt.ones(2, device="npu:0")
    assert x.npu() is x and x.to("npu") is x and x.npu(0) is x and x.to("npu", copy=True) is not x
    assert x.npu(1).device == mt.device("npu:1")
    with pytest.raises(RuntimeError, match="Invalid device, must be npu device"):
        x.npu("cpu")


def test_results_are_the_cpus(mt):
    a, b = mt.randn(4, 5), mt.randn(5, 3)
    calls = (lambda t, u: t @ u, lambda t, u: (t.relu() + 1).sum(), lambda t, u: mt.softmax(t, -1), lambda t, u: u.T)
    for call in calls:
        mt.testing.assert_close(call(a.npu(), b.npu()).cpu(), call(a, b))


def test_tensors_on_two_devices_do_not_mix(mt):
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        mt.ones(2, device="npu") + mt.ones(2)
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        mt.ones(2, device="npu:0") + mt.ones(2, device="npu:1")


def test_numpy_needs_a_copy_on_the_host(mt):
    pytest.importorskip("numpy")
    with pytest.raises(TypeError, match="can't convert npu:0 device type tensor to numpy"):
        mt.ones(2, device="npu").numpy()
    assert mt.ones(2, device="npu").numpy(force=True).tolist() == [1.0, 1.0]


def test_gradients_flow_on_the_device(mt):
    x = mt.randn(3, 4)
    on_host, on_device = x.clone().requires_grad_(), x.npu().requires_grad_()
    for leaf in (on_host, on_device):
        (leaf.tanh() * 2).sum().backward()
    assert on_device.grad.device == mt.device("npu:0")
    mt.testing.assert_close(on_device.grad.cpu(), on_host.grad)


def test_modules_move_and_train(mt):
    mt.manual_seed(0)
    host = mt.nn.Sequential(mt.nn.Linear(4, 8), mt.nn.Tanh(), mt.nn.Linear(8, 2))
    device = copy.deepcopy(host).npu()
    assert {p.device for p in device.parameters()} == {mt.device("npu:0")}
    x, target = mt.randn(6, 4), mt.randn(6, 2)
    for model, place in ((host, "cpu"), (device, "npu")):
        optimizer = mt.optim.AdamW(model.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (model(x.to(place)) - target.to(place)).pow(2).mean().backward()
            optimizer.step()
    for ours, theirs in zip(device.cpu().parameters(), host.parameters(), strict=True):
        mt.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_packed_sequences_move(mt):
    packed = mt.nn.utils.rnn.PackedSequence(mt.ones(2), mt.tensor([1, 1]))
    assert packed.npu().is_npu and not packed.is_npu and not packed.npu().cpu().is_npu


def test_storages_move(mt):
    storage = mt.arange(3.0).untyped_storage()
    there = storage.npu()
    assert there.is_npu and there.nbytes() == 12 and there.cpu().tolist() == storage.tolist()
    assert mt.UntypedStorage(4, device="npu").device == mt.device("npu:0")
    assert mt.npu.FloatStorage(2).device == mt.device("npu:0")


def test_files_keep_the_device_and_can_be_read_elsewhere(mt, tmp_path):
    path = tmp_path / "x.pt"
    mt.save({"x": mt.arange(3.0, device="npu:1")}, path)
    assert mt.load(path)["x"].device == mt.device("npu:1")
    for place in ("npu:0", mt.device("npu", 0), {"npu:1": "npu:0"}, lambda storage, location: storage.npu(0)):
        loaded = mt.load(path, map_location=place)["x"]
        assert loaded.device == mt.device("npu:0") and loaded.tolist() == [0.0, 1.0, 2.0]
    assert mt.load(path, map_location="cpu")["x"].tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(RuntimeError, match="deserialize object on NPU device 7 but torch.npu.device_count"):
        mt.load(path, map_location="npu:7")


def test_pickles_keep_the_device(run_as_torch):
    out = run_as_torch("import pickle, torch; x = torch.ones(2, device='npu:1'); print(pickle.loads(pickle.dumps(x)))")
    assert out == "tensor([1., 1.], device='npu:1')\n"


def test_deep_copy_keeps_the_device(mt):
    x = mt.ones(2, device="npu:1")
    assert copy.deepcopy(x).device == x.device and copy.copy(x).data_ptr() == x.data_ptr()


def test_device_objects_can_be_pickled(mt):
    assert pickle.loads(pickle.dumps(str(mt.device("npu", 1)))) == "npu:1"


def test_legacy_types_make_tensors_there(mt):
    assert mt.npu.HalfTensor([1, 2]).dtype is mt.float16 and mt.npu.FloatTensor(2, 3).device == mt.device("npu:0")
    assert mt.ones(2).type("torch.npu.HalfTensor").is_npu and mt.ones(2).npu().type("torch.FloatTensor").is_cpu


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_autocast_narrows_products_on_the_device(dtype, mt):
    narrow = getattr(mt, dtype)
    x, w = mt.randn(3, 4, device="npu"), mt.randn(4, 4, device="npu")
    with mt.autocast("npu", dtype=narrow):
        assert mt.npu.is_autocast_enabled() and mt.npu.get_autocast_dtype() is narrow
        assert (x @ w).dtype is narrow
        assert (mt.ones(2, 2) @ mt.ones(2, 2)).dtype is mt.float32
    assert (x @ w).dtype is mt.float32 and not mt.npu.is_autocast_enabled()
    with mt.npu.amp.autocast():
        assert (x @ w).dtype is mt.float16


def test_torch_npu_operators_match_their_names(run_as_torch):
    out = run_as_torch(
        "import torch, torch_npu, torch.nn.functional as F\n"
        "torch.manual_seed(0)\n"
        "q, k, v = torch.randn(3, 2, 5, 4, 8).npu().unbind(0)\n"  # batch, heads, length, width: 2, 5, 4, 8
        "expected = F.scaled_dot_product_attention(q, k, v, is_causal=True)\n"
        "ours = torch_npu.npu_fusion_attention(q, k, v, 5, 'BNSD', scale=8**-0.5, sparse_mode=3)[0]\n"
        "print(torch.allclose(ours.cpu(), expected.cpu(), atol=1e-5))\n"
        "flat = [t.transpose(1, 2).flatten(-2) for t in (q, k, v)]\n"
        "other = torch_npu.npu_fusion_attention(*flat, 5, 'BSH', scale=8**-0.5, sparse_mode=2)[0]\n"
        "print(torch.allclose(other.cpu(), expected.transpose(1, 2).flatten(-2).cpu(), atol=1e-5))\n"
        "x, gamma = torch.randn(3, 8).npu(), torch.rand(8).npu()\n"
        "expected = F.rms_norm(x.cpu(), (8,), gamma.cpu(), 1e-6)\n"
        "print(torch.allclose(torch_npu.npu_rms_norm(x, gamma)[0].cpu(), expected, atol=1e-5))\n"
        "print(torch_npu.get_npu_format(x), torch_npu.npu_format_cast(x, 2) is x)"
    )
    assert out == "True\nTrue\nTrue\n2 True\n"


def test_training_step_makes_only_requested_copies(mt):
    model = mt.nn.Linear(4, 2).npu()
    x = mt.randn(3, 4, device="npu")
    optimizer = mt.optim.AdamW(model.parameters())
    model(x).pow(2).mean().backward()
    optimizer.step()
    mt.npu.synchronize()
    mt._C._npu_simulatorResetCounters()
    optimizer.zero_grad()
    model(x).pow(2).mean().backward()
    optimizer.step()
    mt.npu.synchronize()
    counters = mt._C._npu_simulatorCounters()
    assert counters["copies.device_to_host"] == 0 and counters["copies.host_to_device"] == 0, counters
