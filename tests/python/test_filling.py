"""fill_, zero_, full and similar operators write every element, of every size, and nothing else."""

import pytest

VALUES = {
    "bool": True,
    "int8": -7,
    "int16": -300,
    "bfloat16": 1.5,
    "float32": -0.1,
    "float64": 0.1,
    "int64": -(2**40),
    "complex64": 1 - 2j,
    "complex128": 0.1 + 2j,
}
# Less than a vector, around one, a few pages, several threads' share, and more than the L2 cache.
COUNTS = [0, 1, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 1000, 40_003, 300_001]


@pytest.mark.parametrize("dtype", VALUES)
def test_every_element_is_written_and_its_neighbours_are_not(mt, dtype):
    value, kind = VALUES[dtype], getattr(mt, dtype)
    for count in COUNTS:
        for before in (0, 1, 3):
            room = mt.zeros(before + count + 5, dtype=kind)
            part = room[before : before + count]
            part.fill_(value)
            assert mt.equal(part, mt.tensor(value, dtype=kind).expand(count)), (count, before)
            assert room.count_nonzero() == count, (count, before)
            part.zero_()
            assert room.count_nonzero() == 0, (count, before)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_large_tensors_are_written_to_their_ends_by_any_number_of_threads(mt, threads):
    former = mt.get_num_threads()
    mt.set_num_threads(threads)
    try:
        count = (1 << 25) + 3  # with streaming stores
        made = mt.full((count,), 2, dtype=mt.int16)
        assert made.sum() == 2 * count
        assert made[-1] == 2
        assert made.zero_().count_nonzero() == 0
    finally:
        mt.set_num_threads(former)


def test_strided_write_leaves_gaps_unchanged(mt):
    matrix = mt.zeros(5, 6)
    matrix[:, ::2].fill_(3)
    assert matrix.tolist() == [[3, 0, 3, 0, 3, 0]] * 5
    matrix.t()[1:3].zero_()
    assert matrix.tolist() == [[3, 0, 0, 0, 3, 0]] * 5


def test_full_fills_tensors_of_any_memory_format(mt):
    image = mt.empty(2, 3, 4, 5).to(memory_format=mt.channels_last)
    made = mt.full_like(image, 0.25)
    assert made.stride() == image.stride()
    assert mt.equal(made, mt.tensor(0.25).expand(2, 3, 4, 5))
    assert mt.equal(mt.full((2, 3), float("nan")).isnan(), mt.ones(2, 3, dtype=mt.bool))


@pytest.mark.parametrize("default", ["float16", "bfloat16", "float32", "float64"])
def test_full_of_a_complex_number_is_never_half_precision(mt, oracle, default):
    def fill_with_complex_number(torch):
        former = torch.get_default_dtype()
        torch.set_default_dtype(getattr(torch, default))
        try:
            return str(torch.full((2,), 1 + 1j).dtype)
        finally:
            torch.set_default_dtype(former)

    assert fill_with_complex_number(mt) == fill_with_complex_number(oracle)
