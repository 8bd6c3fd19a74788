"""Maxima and minima along columns: the first of equal elements, the first NaN, as in torch."""

import pytest

DTYPES = ("float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool")
CALLS = {
    "max": lambda torch, x, dim: torch.max(x, dim),
    "min": lambda torch, x, dim: torch.min(x, dim),
    "max, kept": lambda torch, x, dim: torch.max(x, dim, keepdim=True),
    "argmax": lambda torch, x, dim: [torch.argmax(x.byte() if x.dtype == torch.bool else x, dim)],
    "argmin": lambda torch, x, dim: [torch.argmin(x.byte() if x.dtype == torch.bool else x, dim)],
}


@pytest.mark.parametrize("shape", [(1, 5), (2, 17), (67, 130), (4099, 9), (5, 3, 40)])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CALLS)
def test_extremes_of_columns_with_ties_and_nan_match_torch(mt, oracle, name, dtype, shape):
    def reduce_columns(torch):
        count = torch.Size(shape).numel()
        x = torch.arange(count) * 7919 % 13
        x = (x - 6 if dtype != "uint8" else x).to(getattr(torch, dtype)).reshape(shape)
        if x.is_floating_point():
            x[x == 3] = -0.0
            x[shape[0] // 2, ..., ::3] = float("nan")
            x[-1, ..., ::6] = float("nan")
            x[..., 1] = float("-inf")
        results = []
        for y, dim in ((x, 0), (x, -2), (x.transpose(0, -1), -1), (x.expand(2, *shape), 1), (x[..., ::2], 0)):
            results += [(tuple(r.shape), r.stride(), str(r.tolist())) for r in CALLS[name](torch, y, dim)]
        return results

    assert reduce_columns(mt) == reduce_columns(oracle)


@pytest.mark.parametrize("shape", [(1,), (37,), (2, 5), (67, 130), (5, 3, 40), (3, 0)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_running_extremes_match_torch(mt, oracle, dtype, shape):
    def scan_columns(torch):
        count = torch.Size(shape).numel()
        x = (torch.arange(count) * 7919 % 13).to(getattr(torch, dtype)).reshape(shape)
        if x.is_floating_point() and count:
            x[x == 3] = float("-inf")
            x.view(-1)[count // 2 :: 7] = float("nan")
        results = []
        for dim in range(len(shape)):
            for y in (*x.cummax(dim), *x.cummin(dim), *x.transpose(0, -1).cummax(dim)):
                results.append((y.stride(), str(y.tolist())))
        return results

    assert scan_columns(mt) == scan_columns(oracle)
