"""Rows longer and numbers larger than a kernel's block size; values are torch's or have a closed form."""

import math

import pytest


def test_every_float16_converts_exactly_to_float(mt, oracle):
    def widen_all_codes(torch):
        bits = torch.arange(-32768, 32768, dtype=torch.int16)
        return bits.view(torch.float16).float().view(torch.int32)

    ours, theirs = widen_all_codes(mt).tolist(), widen_all_codes(oracle).tolist()
    # A signalling NaN may become quiet, so a NaN is only compared with NaN.
    is_nan = [(k & 0x7FFF) > 0x7C00 for k in range(-32768, 32768)]
    assert [None if nan else a for a, nan in zip(ours, is_nan, strict=True)] == [
        None if nan else b for b, nan in zip(theirs, is_nan, strict=True)
    ]


def test_floats_round_to_float16_as_in_torch(mt, oracle):
    def round_floats(torch):
        halves = torch.arange(0, 0x7C00, dtype=torch.int16).view(torch.float16).float()
        middles = (halves[1:] + halves[:-1]) / 2  # ties go to even
        beyond = torch.tensor([65519.0, 65520.0, 1e9])
        near = torch.cat((middles, middles * (1 + 2**-20), middles * (1 - 2**-20), beyond))
        return torch.cat((near, -near)).half().tolist()

    assert round_floats(mt) == round_floats(oracle)


@pytest.mark.parametrize("value", [1e30, 1e-30, 3.0, 1e-45])
@pytest.mark.parametrize("length", [1, 49, 700, 5000])
def test_norm_neither_overflows_nor_vanishes(mt, value, length):
    norms = mt.linalg.vector_norm(mt.full((3, length), value), dim=1)
    expected = mt.full((), value).item() * math.sqrt(length)
    assert norms.tolist() == pytest.approx([expected] * 3, rel=1e-6, abs=1.5e-45)


@pytest.mark.parametrize("columns", [1, 7, 49, 63, 64, 65, 511, 513, 1500, 4097])
def test_reductions_of_rows_of_any_length_match_torch(mt, oracle, columns):
    def reduce_rows(torch):
        a = (torch.arange(70 * columns) * 37 % 23 - 11).reshape(70, columns).float() / 8
        return [
            *(call(a, 1).double().tolist() for call in (torch.sum, torch.mean, torch.amax, torch.argmax, torch.argmin)),
            torch.log_softmax(a, 1).double().tolist(),
            a.view(7, 10, columns).sum((1, 2)).tolist(),
        ]

    for ours, theirs in zip(reduce_rows(mt), reduce_rows(oracle), strict=True):
        difference = oracle.tensor(ours, dtype=oracle.float64) - oracle.tensor(theirs, dtype=oracle.float64)
        assert difference.abs().max() <= 2e-6


@pytest.mark.parametrize("largest", [True, False])
def test_topk_of_few_among_many_matches_sort(mt, largest):
    a = mt.randn(4, 5000)
    values, places = a.topk(7, largest=largest)
    expected = a.sort(1, descending=largest)
    assert values.tolist() == expected.values[:, :7].tolist()
    assert a.gather(1, places).tolist() == values.tolist()


@pytest.mark.parametrize("rate", [2.5, 1.0, 1e38, 1e-38])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_large_exponential_samples_match_torch(mt, oracle, dtype, rate):
    def sample_exponential(torch):
        torch.manual_seed(3)
        return torch.empty(70001, dtype=getattr(torch, dtype)).exponential_(rate).tolist() + [torch.rand(()).item()]

    assert sample_exponential(mt) == sample_exponential(oracle)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_concatenated_runs_match_torch(mt, oracle, dim):
    def concatenate_with_empty(torch):
        def make_consecutive_numbers(start, size):
            shape = [3, 40, 50]
            shape[dim] = size
            count = math.prod(shape)
            return torch.arange(start, start + count).reshape(shape)

        return torch.cat(
            (
                make_consecutive_numbers(0, 2),
                torch.empty(0, dtype=torch.int64),
                make_consecutive_numbers(7, 0),
                make_consecutive_numbers(9, 31),
            ),
            dim,
        ).tolist()

    assert concatenate_with_empty(mt) == concatenate_with_empty(oracle)


@pytest.mark.parametrize("shape", [(600, 700), (3, 5, 90)])
def test_one_number_for_each_row_broadcasts_as_in_torch(mt, oracle, shape):
    def multiply_by_column(torch):
        a = torch.arange(math.prod(shape)).reshape(shape).float()
        column = torch.arange(math.prod(shape[:-1])).reshape(*shape[:-1], 1)
        return (a * column).tolist(), (a + column.half()).tolist(), torch.where(column % 2 == 0, a, -1.0).tolist()

    assert multiply_by_column(mt) == multiply_by_column(oracle)
