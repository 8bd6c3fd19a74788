"""Devices: their number, the current one, and their properties."""

import warnings

import pytest


def test_devices_are_counted_and_the_first_is_current(mt):
    assert mt.npu.is_available() and mt.npu.device_count() == 2
    assert mt.npu.current_device() == 0 and mt.npu.is_initialized()


def test_properties_describe_a_device(mt):
    properties = mt.npu.get_device_properties(1)
    assert properties.name == mt.npu.get_device_name("npu:1") == mt.npu.get_device_name(mt.device("npu", 1))
    assert properties.total_memory == mt.npu.mem_get_info(1)[1] == 16 << 30
    assert repr(properties).startswith(f"_NPUDeviceProperties(name='{properties.name}', total_memory=16384MB, ")
    with pytest.raises(AttributeError, match="can't set attribute 'name'"):
        properties.name = "another"


@pytest.mark.parametrize("device", [2, -3, "npu:2"])
def test_devices_that_are_not_there_have_no_properties(device, mt):
    with pytest.raises(AssertionError, match="Invalid device id"):
        mt.npu.get_device_properties(device)


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_devices_of_other_kinds_are_refused(device, mt):
    with pytest.raises(ValueError, match=f"Expected a npu device, but got: {device}"):
        mt.npu.set_device(device)


def test_missing_device_cannot_be_made_current_or_allocated_on(mt):
    with pytest.raises(RuntimeError) as refused:
        mt.npu.set_device(5)
    with pytest.raises(RuntimeError) as also:
        mt.zeros(1, device="npu:5")
    assert str(refused.value) == str(also.value)
    assert mt.npu.current_device() == 0


def test_the_current_device_is_where_tensors_go(mt):
    mt.npu.set_device(1)
    assert mt.zeros(1, device="npu").device == mt.device("npu", 1)
    assert mt.ones(1).npu().device == mt.ones(1).to("npu").device == mt.device("npu:1")


def test_contexts_change_the_device_and_change_it_back(mt):
    on_one = mt.zeros(1, device="npu:1")
    with mt.npu.device(1):
        assert mt.npu.current_device() == 1
        with mt.npu.device(None), mt.npu.device(-1), mt.npu.device_of(mt.ones(1)):
            assert mt.npu.current_device() == 1
        with mt.npu.device("npu:0"):
            assert mt.npu.current_device() == 0
        assert mt.npu.current_device() == 1
    assert mt.npu.current_device() == 0
    with mt.npu.device_of(on_one):
        assert mt.npu.current_device() == 1
    with pytest.raises(KeyError), mt.npu.device(1):
        raise KeyError
    assert mt.npu.current_device() == 0


def test_the_current_device_belongs_to_a_thread(mt):
    import threading

    seen = []
    mt.npu.set_device(1)
    thread = threading.Thread(target=lambda: seen.append(mt.npu.current_device()))
    thread.start()
    thread.join()
    assert seen == [0] and mt.npu.current_device() == 1


def test_a_default_device_and_a_device_context_reach_factories(mt):
    with mt.device("npu:1"):
        assert mt.zeros(2).device == mt.device("npu:1") and mt.tensor([1]).is_npu
    mt.set_default_device("npu")
    try:
        assert mt.ones(2).device == mt.device("npu:0") and mt.get_default_device() == mt.device("npu:0")
    finally:
        mt.set_default_device(None)
    assert mt.ones(2).is_cpu


def test_peers_reach_each_other(mt):
    assert mt.npu.can_device_access_peer(0, 1) in (True, False)
    with pytest.raises(AssertionError, match="Invalid peer device id"):
        mt.npu.can_device_access_peer(0, 2)


def test_accelerator_is_the_npu(mt):
    a = mt.accelerator
    assert a.is_available() and a.device_count() == 2 and a.current_accelerator() == mt.device("npu")
    a.set_device_index(1)
    assert a.current_device_index() == mt.npu.current_device() == 1
    with a.device_index(0):
        assert mt.npu.current_device() == 0
    assert mt.npu.current_device() == 1
    assert a.current_stream().stream_id == mt.npu.current_stream().stream_id
    assert a.current_stream("npu:0").device == mt.device("npu:0")
    assert a.memory_allocated() == mt.npu.memory_allocated() and a.get_memory_info(0) == mt.npu.mem_get_info(0)
    a.synchronize()
    with pytest.raises(ValueError, match="cpu doesn't match the current accelerator npu"):
        a.set_device_index("cpu")
    assert mt.get_device_module() is mt.npu and mt.get_device_module("npu:1") is mt.npu


def test_number_selects_an_npu(mt):
    assert mt.ones(2).to(1).device == mt.device(1) == mt.device("npu", 1)


def test_npu_capability_follows_the_environment_variable(mt, monkeypatch):
    monkeypatch.delenv("TORCH_NPU_DEVICE_CAPABILITY", raising=False)
    with pytest.warns(UserWarning, match="TORCH_NPU_DEVICE_CAPABILITY"):
        assert mt.npu.get_device_capability() is None
    monkeypatch.setenv("TORCH_NPU_DEVICE_CAPABILITY", "8.0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mt.npu.get_device_capability(0) == (8, 0)


def test_forked_child_cannot_use_the_device(run_as_torch):
    out = run_as_torch(
        "import os, torch\n"
        "torch.ones(1).npu()\n"
        "if os.fork() == 0:\n"
        "    for call in (torch.npu.init, torch.npu.Stream, lambda: torch.ones(1).npu()):\n"
        "        try: call()\n"
        "        except RuntimeError as e: print(e)\n"
        "    print(torch.npu.is_initialized(), torch.npu._is_in_bad_fork(), flush=True)\n"
        "    os._exit(0)\n"
        "os.wait()"
    )
    text = (
        "Cannot re-initialize NPU in forked subprocess. To use NPU with "
        "multiprocessing, you must use the 'spawn' start method"
    )
    assert out.splitlines() == [text] * 3 + ["False True"]


def test_transformers_finds_the_npu(run_as_torch):
    pytest.importorskip("transformers")
    out = run_as_torch("from transformers.utils import is_torch_npu_available as a; print(a(), a(check_device=True))")
    assert out == "True True\n"
