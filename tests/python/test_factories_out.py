"""Factories with out=: dtype and device are those of `out`, and options that contradict it are refused, as in torch."""

import pytest
from beside import outcome

CALLS = ["zeros(3", "ones(3", "full((3,), 2", "arange(3", "arange(0, 6, 2", "linspace(0, 1, 3", "rand(3", "randn(3"]
CALLS += ["randint(5, (3,)", "randperm(3", "eye(2"]
WAYS = {
    "another dtype": "out=torch.zeros(2, dtype=torch.int64)",
    "no elements": "out=torch.zeros(0, dtype=torch.float64)",
    "dtype that contradicts": "out=torch.zeros(0), dtype=torch.int64",
    "dtype that agrees": "out=torch.zeros(0), dtype=torch.float32",
    "layout": "out=torch.zeros(0), layout=torch.sparse_coo",
    "device": "out=torch.zeros(0), device='meta'",
    "meta": "out=torch.zeros(0, device='meta')",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("call", CALLS)
def test_a_factory_writes_to_out_as_in_torch(mt, oracle, call, way):
    expression = f"(torch.manual_seed(0), torch.{call}, {WAYS[way]}))[1]"
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
def test_calls_that_torch_has_beside_them(mt, oracle, expression):
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


@pytest.mark.parametrize("dtype", DTYPES + ["complex64", "complex128"])
@pytest.mark.parametrize("steps", [0, 1, 2, 3, 8, 101, 70000])
def test_evenly_spaced_numbers_are_torchs(mt, oracle, steps, dtype):
    # Floats against torch's doubles: its float16 has no index beyond 65504.
    given, kept = (-3 if dtype != "uint8" else 3, 117, steps), getattr(oracle, dtype)
    wide = oracle.complex128 if kept.is_complex else oracle.float64
    theirs = oracle.linspace(*given, dtype=wide if kept.is_complex or kept.is_floating_point else kept).to(wide)
    ours = oracle.tensor(mt.linspace(*given, dtype=getattr(mt, dtype)).tolist(), dtype=wide)
    bound = {"float32": 1e-5, "complex64": 1e-5, "float16": 0.07, "bfloat16": 0.5}
    bound |= {"float64": 1e-13, "complex128": 1e-13}
    assert ours.shape == theirs.shape and (steps == 0 or (ours - theirs).abs().max() <= bound.get(dtype, 0))
    if steps > 1:
        assert ours[0] == theirs[0] and ours[-1] == theirs[-1]
