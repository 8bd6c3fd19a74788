"""topk, kthvalue and sort select the same elements among equal ones as torch, in the same order."""

import pytest
from outcomes import close, result

CALLS = {
    "topk": lambda t, x: t.topk(x, 7),
    "topk of the smallest": lambda t, x: t.topk(x, 7, largest=False),
    "topk of few": lambda t, x: t.topk(x, 2),
    "topk of all": lambda t, x: t.topk(x, x.size(-1)),
    "topk down columns": lambda t, x: t.topk(x, 3, dim=0),
    "kthvalue": lambda t, x: t.kthvalue(x, 40),
    "kthvalue, the first": lambda t, x: t.kthvalue(x, 1),
    "kthvalue, the last": lambda t, x: t.kthvalue(x, x.size(-1)),
    "stable sort": lambda t, x: t.sort(x, stable=True),
}


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "bfloat16"])
@pytest.mark.parametrize("name", CALLS)
def test_selections_among_equal_elements_match_torch(name, dtype, mt, oracle):
    def select_among_ties(torch):
        x = (torch.arange(8 * 200).reshape(8, 200) * 7919 % 13).to(getattr(torch, dtype))
        return CALLS[name](torch, x)

    ours, theirs = result(select_among_ties, mt), result(select_among_ties, oracle)
    assert close(ours, theirs), (ours, theirs)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("span", [1, 13, 2**9, 2**40, 2**63 - 1])
@pytest.mark.parametrize("columns", [1, 2, 40, 700])
def test_medians_of_integers_close_together_or_far_apart_match_torch(dtype, span, columns, mt, oracle):
    def find_medians(torch):
        generator = torch.Generator().manual_seed(columns)
        x = torch.randint(-span - 1, span, (6, columns), generator=generator).to(getattr(torch, dtype))
        both = [torch.median, torch.nanmedian]
        return [[f(x), f(x, 1), f(x, 0), f(x.t()[::2], 0)] for f in both]

    assert close(result(find_medians, mt), result(find_medians, oracle))


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize(
    "shape, dim", [((40, 9), 1), ((3, 300), 1), ((70, 5), 0), ((1, 1), 0), ((0, 4), 1), ((6, 0), 0)]
)
def test_bools_sort_as_in_torch(shape, dim, descending, mt, oracle):
    def sort_bools(torch):
        x = torch.arange(shape[0] * shape[1]).reshape(shape) * 7919 % 13 < 6
        values, places = torch.sort(x, dim=dim, descending=descending, stable=True)
        in_place = x.clone()
        torch.sort(in_place, dim=dim, descending=descending, stable=True, out=(in_place, places.clone()))
        return values, places, in_place, torch.sort(x.t()[::2], dim=dim, descending=descending, stable=True)

    assert result(sort_bools, mt) == result(sort_bools, oracle)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int16", "bfloat16"])
@pytest.mark.parametrize("n", [1, 2, 100, 127, 128, 200, 300])
def test_sorts_of_ordered_and_nearly_ordered_rows_match_torch(n, dtype, mt, oracle):
    def sort_rows(torch):
        x = (torch.arange(4 * n).reshape(4, n) // 3).to(getattr(torch, dtype))
        x[1] = x[1].flip(0)
        x[2, -1] = -1
        return [torch.sort(x, dim=1, descending=d, stable=True) for d in (False, True)]

    assert result(sort_rows, mt) == result(sort_rows, oracle)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "bfloat16"])
@pytest.mark.parametrize("nans", [0, 1, 6])
@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_medians_of_all_elements_and_of_rows_match_torch(name, nans, dtype, mt, oracle):
    def find_medians(torch):
        x = (torch.arange(7 * 30).reshape(30, 7) * 7919 % 211).to(getattr(torch, dtype))
        if x.is_floating_point():
            x[3, :nans] = float("nan")
        f = getattr(torch, name)
        return f(x), f(x.t()), f(x[3]), f(x[:, 1:3]), f(x[5, 2]), f(x, 1), f(x, 0, keepdim=True)

    ours, theirs = result(find_medians, mt), result(find_medians, oracle)
    assert close(ours, theirs), (ours, theirs)


@pytest.mark.parametrize("n", [1, 5, 37, 200, 3000, 40000])
def test_bools_with_bytes_other_than_0_and_1_sort_as_in_torch(n, mt, oracle):
    def sort_and_select_bools(torch):
        b = (torch.arange(n) * 7919 % 5 * 63).to(torch.uint8).view(torch.bool)
        x = torch.arange(n)
        rows = b.view(-1, 1) if n == 1 else b[: n // 2 * 2].view(2, -1)
        return [
            torch.sort(b, stable=True)[1],
            torch.sort(b, descending=True, stable=True)[1],
            torch.argsort(rows, dim=1, stable=True),
            torch.nonzero(b),
            torch.nonzero(rows),
            x[b],
            torch.masked_select(x, b),
            x.masked_scatter(b, x * 2),
            x.masked_fill(b, -1),
            torch.where(b, x, -x),
        ]

    assert result(sort_and_select_bools, mt) == result(sort_and_select_bools, oracle)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_median_index_of_all_nan_matches_torch(dtype, mt, oracle):
    def find_median_indices(torch):
        rows = [torch.full((n,), float("nan"), dtype=getattr(torch, dtype)) for n in (1, 3, 4, 7, 20, 64, 1000)]
        mixed = torch.ones(3, 20, dtype=getattr(torch, dtype))
        mixed[1] = float("nan")
        return [torch.nanmedian(x, 0)[1] for x in rows], torch.median(mixed, 1)[1], torch.nanmedian(mixed, 1)[1]

    assert result(find_median_indices, mt) == result(find_median_indices, oracle)
