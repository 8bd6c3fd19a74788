"""torch.npu.memory_summary() prints torch.cuda's table of 75 columns for the same statistics."""

import importlib

import pytest

METRICS = (
    "allocated_bytes active_bytes requested_bytes reserved_bytes inactive_split_bytes "
    "allocation active segment inactive_split"
).split()
POOLS = ("all", "large_pool", "small_pool")
COLUMNS = ("current", "peak", "allocated", "freed")


def _make_statistics(step):
    """Numbers of all magnitudes, including those at the limits of units."""
    values = [0, 1, 999, 749_999, 750_000, 768 * 1024 - 1, 768 * 1024, 5 * 10**7, 10**10, 3 * 10**13, 10**16, 10**19]
    names = [f"{metric}.{pool}.{column}" for metric in METRICS for pool in POOLS for column in COLUMNS]
    names += [f"oversize_{kind}.{column}" for kind in ("allocations", "segments") for column in COLUMNS]
    stats = {name: values[(step * i + i // 7) % len(values)] for i, name in enumerate(names)}
    return stats | {"num_ooms": step, "num_alloc_retries": 10**step}


@pytest.mark.parametrize("abbreviated", [False, True])
@pytest.mark.parametrize("step", [1, 2, 5, 7])
def test_table_is_torch_cudas(step, abbreviated, mt, oracle, monkeypatch):
    monkeypatch.setattr(oracle.cuda.memory, "memory_stats", lambda device=None: _make_statistics(step))
    theirs = oracle.cuda.memory_summary(3, abbreviated)
    table = importlib.import_module(f"{mt.npu.__name__}._memory_summary").memory_table
    ours = table(_make_statistics(step), 3, abbreviated)
    # NPU has one letter less than CUDA, so one more space pads the numbers of the heading.
    head = {
        f"PyTorch CUDA memory summary, device ID {3:<17d} ": f"PyTorch NPU memory summary, device ID {3:<18d} ",
        f"CUDA OOMs: {step:<12d} ": f"NPU OOMs: {step:<13d} ",
        f"cudaMalloc retries: {10**step:<8d} ": f"npuMalloc retries: {10**step:<9d} ",
        "GPU reserved": "NPU reserved",
        "Oversize GPU": "Oversize NPU",
    }
    for cuda, npu in head.items():
        assert abbreviated or cuda in theirs
        theirs = theirs.replace(cuda, npu)
    assert ours.splitlines() == theirs.splitlines()
    assert ours.startswith("|" + "=" * 75 + "|\n")
