"""Reductions over few elements, and over columns of narrow rows, match torch for any number of threads."""

import pytest
from outcomes import exact

SHAPES = [
    (3000, 1),
    (3001, 2),
    (999, 3),
    (257, 12),
    (64, 13),
    (5, 7, 3),
    (2, 4099, 4),
    (70001, 5),
    (63, 2),
    (64, 16),
    (0, 3),
    (4, 0),
]
EXACT = {  # of integers, or selections of elements
    "sum": lambda torch, x, dim: torch.sum(x, dim),
    "prod of signs": lambda torch, x, dim: torch.prod(torch.sign(x), dim),
    "amax": lambda torch, x, dim: torch.amax(x, dim),
    "amin kept": lambda torch, x, dim: torch.amin(x, dim, keepdim=True),
    "max": lambda torch, x, dim: torch.max(x, dim),
    "argmin": lambda torch, x, dim: torch.argmin(x, dim),
    "any": lambda torch, x, dim: torch.any(x > 4, dim),
    "all": lambda torch, x, dim: torch.all(x > -9, dim),
    "count_nonzero": lambda torch, x, dim: torch.count_nonzero(x, dim),
    "nansum": lambda torch, x, dim: torch.nansum(x, dim),
}
LAYOUTS = {
    "dense": lambda x: x,
    "rows apart": lambda x: x.repeat_interleave(2, 0)[::2],
    "elements apart": lambda x: x.repeat_interleave(2, -1)[..., ::2],
    "transposed": lambda x: x.transpose(0, -1).contiguous().transpose(0, -1),
}


def list_leaves(result):
    return list(result) if isinstance(result, tuple) else [result]


def describe_outcome(call):
    try:
        return [(tuple(r.shape), r.stride(), str(r.dtype).split(".")[-1], exact(r)) for r in list_leaves(call())]
    except (IndexError, RuntimeError) as error:  # no elements to select from
        return type(error).__name__, str(error)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int32", "int64", "uint8"])
@pytest.mark.parametrize("name", EXACT)
def test_reductions_of_few_elements_and_narrow_rows_match_torch(mt, oracle, name, dtype, layout):
    for shape in SHAPES:
        for dim in {0, len(shape) - 1}:

            def reduce_narrow_rows(torch, shape=shape, dim=dim):
                count = torch.Size(shape).numel()
                x = (torch.arange(count) * 7919 % 11).to(getattr(torch, dtype)).reshape(shape)
                x = x - 5 if dtype != "uint8" else x
                if count and dtype in ("float32", "float64") and name != "prod of signs":
                    x[shape[0] // 2, ..., 0] = float("nan")
                return EXACT[name](torch, LAYOUTS[layout](x), dim)

            if dtype == "bfloat16" and shape[dim] > 40 and name in ("sum", "nansum"):
                continue  # integers that the dtype cannot represent
            assert describe_outcome(lambda: reduce_narrow_rows(mt)) == describe_outcome(
                lambda: reduce_narrow_rows(oracle)
            ), (shape, dim)


@pytest.mark.parametrize("name", ["sum", "mean", "norm", "var", "logsumexp", "prod"])
def test_rounded_results_are_near_and_do_not_depend_on_threads(mt, oracle, name):
    before = mt.get_num_threads()
    for shape in SHAPES[:-2]:
        for dim in range(len(shape)):
            if name == "prod" and shape[dim] > 100:
                continue
            numbers = [(i * 7919 % 1009 - 500) / 300 for i in range(oracle.Size(shape).numel())]
            x = mt.tensor(numbers).reshape(shape)
            results = []
            for threads in (1, 2, 3):
                mt.set_num_threads(threads)
                results.append(getattr(mt, name)(x, dim=dim))
            mt.set_num_threads(before)
            assert exact(results[0]) == exact(results[1]) == exact(results[2])
            expected = getattr(oracle, name)(oracle.tensor(numbers, dtype=oracle.float64).reshape(shape), dim=dim)
            ours = oracle.from_numpy(results[0].double().numpy())
            oracle.testing.assert_close(ours, expected, rtol=2e-5, atol=2e-4, equal_nan=True)
