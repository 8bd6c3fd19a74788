"""Gradients of segment_reduce at NaNs, ties and zeros, compared with torch's."""

import pytest
from outcomes import outcome

NAN = float("nan")
ROWS = [[2.0, 0.0], [2.0, 1.0], [NAN, 1.0], [NAN, 2.0], [0.0, NAN], [0.0, 3.0], [4.0, 4.0]]


@pytest.mark.parametrize("initial", [None, 0.0, 2.0])
@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min", "prod"])
def test_gradients_at_nans_and_ties_are_torchs(reduce, initial, mt, oracle):
    def differentiate_segments(torch):
        data = torch.tensor(ROWS, dtype=torch.float64, requires_grad=True)
        lengths = torch.tensor([2, 2, 2, 0, 1])
        reduced = torch.segment_reduce(data, reduce, lengths=lengths, axis=0, initial=initial)
        reduced.sum().backward()
        return reduced, data.grad + 0.0

    assert outcome(differentiate_segments, mt) == outcome(differentiate_segments, oracle)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_gradients_of_narrow_dtypes_are_torchs(dtype, mt, oracle):
    def differentiate_segments(torch):
        data = torch.tensor(ROWS, dtype=getattr(torch, dtype), requires_grad=True)
        torch.segment_reduce(data, "max", offsets=torch.tensor([0, 3, 7]), axis=0).sum().backward()
        return data.grad + 0.0

    assert outcome(differentiate_segments, mt) == outcome(differentiate_segments, oracle)
