"""Factories with out= use its dtype and device, and refuse contradicting options, as in torch."""

import pytest
from beside import outcome
from outcomes import result

CALLS = ["zeros(3", "ones(3", "full((3,), 2", "arange(3", "arange(0, 6, 2", "linspace(0, 1, 3", "rand(3", "randn(3"]
CALLS += ["randint(5, (3,)", "randperm(3", "eye(2"]
OUT_ARGUMENTS = {
    "another dtype": "out=torch.zeros(2, dtype=torch.int64)",
    "no elements": "out=torch.zeros(0, dtype=torch.float64)",
    "dtype that contradicts": "out=torch.zeros(0), dtype=torch.int64",
    "dtype that agrees": "out=torch.zeros(0), dtype=torch.float32",
    "layout": "out=torch.zeros(0), layout=torch.sparse_coo",
    "device": "out=torch.zeros(0), device='meta'",
    "meta": "out=torch.zeros(0, device='meta')",
}


@pytest.mark.parametrize("way", OUT_ARGUMENTS)
@pytest.mark.parametrize("call", CALLS)
def test_a_factory_writes_to_out_as_in_torch(mt, oracle, call, way):
    expression = f"(torch.manual_seed(0), torch.{call}, {OUT_ARGUMENTS[way]}))[1]"
    assert outcome(mt, expression) == outcome(oracle, expression)


@pytest.mark.parametrize(
    "expression",
    [
        "torch.arange(6, out=torch.zeros(2, 3))",
        "torch.empty(3, out=torch.zeros(2)).shape",
        "torch.empty(2, 2, 2, 2, out=torch.zeros(0), memory_format=torch.channels_last)",
        "torch.zeros(3, out=torch.zeros(2), requires_grad=True)",
        "torch.linspace(torch.tensor(1.0), torch.tensor(3), 5)",
        "torch.linspace(1, torch.tensor(3j), 3)",
        "torch.linspace(torch.ones(1), torch.ones(1, 1), 3)",
        "torch.linspace(0, torch.ones(2, 2), 3)",
        "torch.rand_like(torch.ones(2), generator=torch.Generator().manual_seed(0))",
        "torch.randn_like(torch.ones(2), generator=torch.Generator().manual_seed(0))",
        "torch.randint_like(torch.ones(2), torch.tensor(5), generator=torch.Generator().manual_seed(0))",
        "torch.randint_like(torch.ones(2), 2, 7, generator=torch.Generator().manual_seed(0))",
        "torch.randint_like(torch.ones(2), torch.tensor([5, 2]))",
    ],
)
def test_rare_calls_match_torch(mt, oracle, expression):
    assert outcome(mt, expression) == outcome(oracle, expression)


DTYPES = ["float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8"]
SEQUENCES = {
    "from 0": (0, 70001, 1),
    "downwards": (50, -70000, -3),
    "beyond the dtype": (2**40 + 5, 2**40 + 70006, 2),
    "one": (7, 8, 5),
    "none": (3, 3, 1),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bounds", SEQUENCES.values(), ids=SEQUENCES)
def test_sequences_are_formed_wide_and_rounded_once(mt, oracle, bounds, dtype):
    kept = getattr(oracle, dtype)
    wide = oracle.float64 if kept.is_floating_point else oracle.int64
    want = oracle.arange(*bounds, dtype=wide).to(kept)
    assert mt.arange(*bounds, dtype=getattr(mt, dtype)).tolist() == want.tolist()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sequences_of_fractions_have_torchs_numbers(mt, oracle, dtype):
    ours = mt.arange(-0.3, 5000.1, 0.07, dtype=getattr(mt, dtype))
    theirs = oracle.arange(-0.3, 5000.1, 0.07, dtype=oracle.float64)
    ours = oracle.tensor(ours.tolist(), dtype=oracle.float64)
    assert ours.shape == theirs.shape and (ours - theirs).abs().max() <= (2.5e-4 if dtype == "float32" else 1e-12)


RANGES = [(-3, 117), (117.3, 3.1), (0.1, 0.7)]


@pytest.mark.parametrize("dtype", DTYPES + ["complex64", "complex128"])
@pytest.mark.parametrize("steps", [0, 1, 2, 3, 7, 8, 101, 70000])
@pytest.mark.parametrize("ends", RANGES)
def test_evenly_spaced_numbers_are_torchs_bits(mt, oracle, ends, steps, dtype):
    # 70,000 steps: float16 has no index beyond 65,504, and torch's sequence has infinities there.
    start, end = (3, 117) if dtype == "uint8" else ends
    if dtype.startswith("complex"):
        start, end = complex(start, -end), complex(end, 0.3)
    theirs = oracle.linspace(start, end, steps, dtype=getattr(oracle, dtype)).tolist()
    ours = mt.linspace(start, end, steps, dtype=getattr(mt, dtype)).tolist()
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ends", [(0, 2), (2, 0), (0.3, 1.7)])
@pytest.mark.parametrize("base", [10.0, 2.0, 0.5, -2.0])
@pytest.mark.parametrize("steps", [0, 1, 2, 5, 33])
def test_powers_of_a_base_are_torchs_bits(mt, oracle, steps, base, ends, dtype):
    def make_logspace(torch):
        return torch.logspace(*ends, steps, base, dtype=getattr(torch, dtype))

    assert repr(result(make_logspace, mt)) == repr(result(make_logspace, oracle))


@pytest.mark.parametrize(
    "call",
    [
        "logspace(300, 2, 3, dtype=torch.uint8)",
        "logspace(300, 2, 0, dtype=torch.uint8)",
        "logspace(0, 300, 1, dtype=torch.uint8)",
        "logspace(0, 70000, 3, dtype=torch.float16)",
        "logspace(1e40, 2, 3, dtype=torch.float32)",
        "logspace(float('nan'), 2, 3, dtype=torch.int32)",
        "linspace(300, 2, 3, dtype=torch.uint8)",
        "linspace(300, 2, 0, dtype=torch.uint8)",
        "linspace(float('nan'), 2, 3, dtype=torch.int32)",
    ],
)
def test_ends_that_a_dtype_lacks_are_refused_as_by_torch(mt, oracle, call):
    assert outcome(mt, "torch." + call) == outcome(oracle, "torch." + call)
