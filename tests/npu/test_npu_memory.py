"""Memory: blocks, statistics and errors of the caching allocator."""

import gc

import pytest

MIB = 1 << 20


@pytest.fixture(autouse=True)
def _reset_npu_memory(mt):
    gc.collect()
    mt.npu.synchronize()
    mt.npu.empty_cache()
    mt.npu.reset_peak_memory_stats()
    mt.npu.reset_accumulated_memory_stats()


def test_statistics_follow_a_tensor(mt):
    before = mt.npu.memory_allocated()
    x = mt.empty(3 * MIB, dtype=mt.uint8, device="npu")
    assert mt.npu.memory_allocated() - before == 3 * MIB
    assert mt.npu.memory_reserved() >= mt.npu.memory_allocated()
    del x
    assert mt.npu.memory_allocated() == before
    assert mt.npu.max_memory_allocated() - before == 3 * MIB
    stats = mt.npu.memory_stats()
    assert stats["allocation.all.allocated"] == stats["allocation.all.freed"] == 1
    assert stats["allocation.large_pool.allocated"] == 1 and stats["allocation.small_pool.allocated"] == 0
    mt.npu.empty_cache()
    assert mt.npu.memory_reserved() == before
    mt.npu.reset_peak_memory_stats()
    assert mt.npu.max_memory_allocated() == before


def test_keys_are_torch_cudas_in_order(mt):
    mt.zeros(1, device="npu")
    stats = mt.npu.memory_stats()
    names = {
        f"{metric}.{pool}.{column}"
        for metric in (
            "allocation segment active inactive_split allocated_bytes reserved_bytes active_bytes inactive_split_bytes "
            "requested_bytes"
        ).split()
        for pool in ("all", "large_pool", "small_pool")
        for column in ("current", "peak", "allocated", "freed")
    }
    names |= {
        f"oversize_{kind}.{column}"
        for kind in ("allocations", "segments")
        for column in ("current", "peak", "allocated", "freed")
    }
    names |= {"num_alloc_retries", "num_ooms", "num_sync_all_streams", "num_device_alloc", "num_device_free"}
    assert names | {"max_split_size"} == set(stats)
    assert list(stats) == sorted(stats) and all(isinstance(value, int) for value in stats.values())
    nested = mt.npu.memory_stats_as_nested_dict()
    assert nested["allocated_bytes"]["all"]["current"] == stats["allocated_bytes.all.current"]


def test_the_summary_is_a_table_of_75_columns(mt):
    mt.zeros(1, device="npu")
    lines = mt.npu.memory_summary().splitlines()
    assert {len(line) for line in lines} == {77} and "PyTorch NPU memory summary, device ID 0" in lines[1]
    assert len(mt.npu.memory_summary(1, abbreviated=True).splitlines()) < len(lines)


def test_snapshot_lists_segments_and_their_blocks(mt):
    x = mt.empty(5 * MIB, dtype=mt.uint8, device="npu")
    segments = mt.npu.memory_snapshot()
    segment = next(s for s in segments if s["address"] <= x.data_ptr() < s["address"] + s["total_size"])
    assert segment["segment_type"] == "large" and segment["device"] == 0 and segment["stream"] == 0
    block = next(b for b in segment["blocks"] if b["address"] == x.data_ptr())
    assert block["state"] == "active_allocated" and block["requested_size"] == 5 * MIB
    assert sum(b["size"] for b in segment["blocks"]) == segment["total_size"]
    assert sum(s["total_size"] for s in segments if s["device"] == 0) == mt.npu.memory_reserved()
    assert set(mt.npu.memory._snapshot()) == {"segments", "device_traces"}


def test_running_out_of_memory_is_torchs_error(mt):
    mt._C._npu_simulatorFaults(f"memory:{64 * MIB}")
    with pytest.raises(mt.npu.OutOfMemoryError) as error:
        mt.empty(80 * MIB, dtype=mt.uint8, device="npu")
    text = str(error.value)
    assert text.startswith("NPU out of memory. Tried to allocate 80.00 MiB.") and isinstance(error.value, RuntimeError)
    assert mt.npu.memory_stats()["num_ooms"] == 1
    mt._C._npu_simulatorFaults("")
    assert mt.ones(4, device="npu").sum().item() == 4


def test_a_share_of_the_memory_is_a_limit(mt):
    assert mt.npu.get_per_process_memory_fraction() == 1.0
    mt.npu.set_per_process_memory_fraction(0.01)  # of 16 GiB: 163 MiB
    try:
        assert mt.npu.get_per_process_memory_fraction(0) == 0.01
        with pytest.raises(mt.npu.OutOfMemoryError):
            mt.empty(200 * MIB, dtype=mt.uint8, device="npu")
        assert mt.empty(100 * MIB, dtype=mt.uint8, device="npu").numel() == 100 * MIB
    finally:
        mt.npu.set_per_process_memory_fraction(1.0)
    with pytest.raises(TypeError, match="Invalid type for fraction argument, must be `float`"):
        mt.npu.set_per_process_memory_fraction(1)
    with pytest.raises(ValueError, match="Invalid fraction value: 1.5. Allowed range: 0~1"):
        mt.npu.set_per_process_memory_fraction(1.5)


def test_raw_memory_comes_from_the_same_allocator(mt):
    before = mt.npu.memory_allocated()
    address = mt.npu.caching_allocator_alloc(1000)
    assert address and mt.npu.memory_allocated() > before
    mt.npu.caching_allocator_delete(address)
    assert mt.npu.memory_allocated() == before
    other = mt.npu.caching_allocator_alloc(1000, "npu:1", mt.npu.Stream("npu:1"))
    mt.npu.caching_allocator_delete(other)
    with pytest.raises(TypeError, match="Invalid type for stream argument"):
        mt.npu.caching_allocator_alloc(8, stream="x")


def test_memory_used_on_another_stream_is_not_reused_early(mt):
    side = mt.npu.Stream()
    x = mt.empty(MIB, dtype=mt.uint8, device="npu")
    address = x.data_ptr()
    mt._C._npu_simulatorFaults("delay:20000")
    with mt.npu.stream(side):
        y = x + 1
    x.record_stream(side)
    del x
    z = mt.empty(MIB, dtype=mt.uint8, device="npu")
    assert z.data_ptr() != address
    side.synchronize()
    del y, z


def test_pinned_memory_is_host_memory_and_reports_is_pinned(mt):
    x = mt.arange(6.0).reshape(2, 3).t()
    pinned = x.pin_memory()
    assert pinned.is_pinned() and not x.is_pinned() and pinned.is_cpu
    assert pinned.tolist() == x.tolist() and pinned.pin_memory() is pinned
    with pytest.raises(RuntimeError, match="cannot pin 'PrivateUse1FloatType' only dense CPU tensors can be pinned"):
        mt.zeros(1, device="npu").pin_memory()
    there = pinned.to("npu", non_blocking=True)
    assert there.cpu().tolist() == x.tolist()
    assert mt.npu.host_memory_stats()["allocated_bytes.current"] > 0
    assert mt.npu.host_memory_stats_as_nested_dict()["num_host_alloc"] > 0
    mt.npu.reset_peak_host_memory_stats()
    mt.npu.reset_accumulated_host_memory_stats()


def test_unsupported_features_are_refused(mt):
    for call in (mt.npu.MemPool, lambda: mt.npu.caching_allocator_enable(False), mt.npu.npurt, mt.npu.utilization):
        with pytest.raises(NotImplementedError):
            call()
    assert mt.npu.get_allocator_backend() == "native"
