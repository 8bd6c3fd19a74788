"""Copies of permuted tensors of any size put every element in its position, for any element size."""

import itertools

import pytest

SHAPES = [(2, 40, 3), (4, 4, 33), (5, 17, 8), (3, 7, 2, 9), (16, 3, 64), (1, 31, 12), (6, 2, 2), (130, 4, 17)]


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", SHAPES)
def test_contiguous_copies_of_every_order_of_dimensions_match_torch(mt, oracle, shape, dtype):
    def copy_permuted(torch, order, into):
        x = (torch.arange(torch.Size(shape).numel()) * 7919 % 251).to(getattr(torch, dtype)).reshape(shape)
        transposed = x.permute(order)
        if into == "contiguous":
            return transposed.contiguous().tolist()
        whole = torch.zeros([2 * n for n in transposed.shape], dtype=x.dtype)
        corner = whole[tuple(slice(1, 1 + n) for n in transposed.shape)]
        corner.copy_(transposed)
        return whole.tolist()

    for order in itertools.permutations(range(len(shape))):
        for into in ("contiguous", "a corner"):
            assert copy_permuted(mt, order, into) == copy_permuted(oracle, order, into), (order, into)
