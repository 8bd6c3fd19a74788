"""Random numbers: seeds, states and generators of devices."""

import pytest


def test_seeding_torch_seeds_every_device(mt):
    mt.manual_seed(7)
    first = [mt.rand(5, device=device).tolist() for device in ("npu:0", "npu:1")]
    assert first[0] == first[1]
    mt.manual_seed(7)
    assert mt.rand(5, device="npu:1").tolist() == first[1]
    assert mt.npu.initial_seed() == 7


def test_a_seed_before_the_first_use_counts(run_as_torch):
    out = run_as_torch("import torch; torch.manual_seed(3); print(torch.rand(3, device='npu').tolist())")
    assert out == run_as_torch("import torch; torch.npu.manual_seed(3); print(torch.rand(3, device='npu').tolist())")


def test_states_are_kept_and_restored(mt):
    mt.npu.manual_seed_all(1)
    mt.randn(3, device="npu")
    state = mt.npu.get_rng_state()
    assert state.shape == (16,) and state.dtype is mt.uint8 and state.is_cpu
    expected = mt.randn(4, device="npu").tolist()
    mt.npu.set_rng_state(state)
    assert mt.randn(4, device="npu").tolist() == expected
    mt.npu.set_rng_state_all([state, state])
    assert [mt.randn(4, device=f"npu:{i}").tolist() for i in range(2)] == [expected] * 2
    assert len(mt.npu.get_rng_state_all()) == len(mt.npu.default_generators) == 2


def test_generators_are_of_a_device(mt):
    generator = mt.Generator("npu:1").manual_seed(5)
    assert generator.device == mt.device("npu:1") and generator.initial_seed() == 5
    expected = mt.rand(3, generator=generator, device="npu:1").tolist()
    assert generator.get_offset() > 0 and generator.get_offset() % 4 == 0
    generator.set_offset(0)
    assert mt.rand(3, generator=generator, device="npu:1").tolist() == expected
    with pytest.raises(RuntimeError, match="Expected a 'npu' device type for generator but found 'cpu'"):
        mt.rand(3, generator=mt.Generator(), device="npu")


def test_fork_rng_covers_the_npu(mt):
    mt.manual_seed(2)
    expected = mt.rand(3, device="npu").tolist()
    mt.manual_seed(2)
    with mt.random.fork_rng(devices=[0]):
        mt.rand(9, device="npu")
    assert mt.rand(3, device="npu").tolist() == expected
