"""Index, mask and sort operators on more elements than a kernel's block size; values are torch's."""

import pytest

SETUP = """
n = torch.arange(70000)
m = (n * 2654435761 >> 7) % 5 == 0
x = (n * 7919 % 65537).float() - 30000
rows = (torch.arange(5000 * 40) % 97 - 40).float().reshape(5000, 40)
at = n[:5000] * 31 % 300
"""
EXPRESSIONS = {
    "a mask": "x[m]",
    "a mask of rows": "x.reshape(700, 100)[m.reshape(700, 100)]",
    "a mask that is true nowhere": "x[x > 1e9]",
    "a mask that broadcasts": "torch.masked_select(x.reshape(700, 100).t(), m[:700])",
    "places of a mask": "torch.nonzero(m.reshape(70, 10, 100))",
    "places in columns": "torch.nonzero(m.reshape(7000, 10).t())",
    "places of numbers": "torch.nonzero(x.reshape(2, 5, 7000))",
    "masked scatter": "x.masked_scatter(m, -n.float())",
    "masked scatter of what suffices exactly": "torch.zeros(9).masked_scatter(m[:9], torch.ones(int(m[:9].sum())))",
    "masked scatter of too little": "x.masked_scatter(m, torch.ones(5))",
    "mask set to a number": "x.clone().index_put_((m,), torch.tensor(5.))",
    "mask set to a vector of one": "x.clone().index_put_((m,), torch.tensor([5.]))",
    "mask set to a matrix of one": "x.clone().index_put_((m,), torch.tensor([[5.]]))",
    "mask added a number": "x.clone().index_put_((m,), torch.tensor(5.), accumulate=True)",
    "rows added": "torch.ones(300, 40).index_add(0, at, rows, alpha=2)",
    "rows of half added": "torch.ones(300, 40).bfloat16().index_add(0, at[:600], rows[:600].bfloat16())",
    "rows of complex added": "torch.ones(300, 40).cfloat().index_add(0, at, rows.cfloat(), alpha=2j)",
    "rows of bool added": "torch.zeros(300, 40, dtype=torch.bool).index_add(0, at, rows > 50)",
    "rows added to two": "torch.zeros(2, 40).index_add(0, at % 2, rows)",
    "columns added": "torch.zeros(40, 300).index_add(1, at, rows.t())",
    "rows taken": "rows[at.reshape(50, 100) - 300]",
    "rows taken outside": "rows[at - 5001]",
    "columns taken": "rows[:, at[:50] % 40]",
    "pairs taken": "rows[at, at % 40]",
    "rows set": "rows.clone().index_put_((at[:300],), rows[-300:])",
    "a flip of rows": "torch.flip(rows, (0,))",
    "a flip of columns": "torch.flip(rows, (1,))",
    "a flip of bytes": "torch.flip(n.reshape(100, 700).to(torch.uint8), (1,))",
    "a flip of complex": "torch.flip(rows.cdouble(), (0, 1))",
    "a flip of columns of a view": "torch.flip(rows.t()[::2], (0, 1))",
    "a flip of short rows": "torch.flip(n[:69999].reshape(-1, 3), (1,))",
    "a roll of both": "torch.roll(rows, (-3, 50), (0, 1))",
    "a roll of one twice": "torch.roll(rows.t(), (2, 39, -5), (0, 0, 1))",
    "a roll without dimensions": "torch.roll(rows, 7)",
    "a roll of itself": "torch.roll(rows, (40, 0), (1, 0))",
    "each repeated": "rows.repeat_interleave(3, 1)",
    "each repeated of a view": "rows.t().repeat_interleave(2, 0)",
    "stacked last": "torch.stack((rows, -rows, rows), -1)",
    "joined short": "torch.cat((rows[:, :3], rows[:, :1], rows[:, :5]), 1)",
    "places in order": "torch.searchsorted(torch.arange(-30000., 30000., 7.), x)",
    "places in order from the right": "torch.searchsorted(torch.arange(-30000., 30000., 7.), x, right=True)",
    "places beside what is no number": "torch.searchsorted(torch.tensor([1., 2, nan]), torch.tensor([nan, 3, 1]))",
    "places to its right": "torch.searchsorted(torch.tensor([1., 2, nan, nan]), torch.tensor([nan, 3, 1]), right=True)",
    "places in nothing": "torch.searchsorted(torch.tensor([]), x[:9])",
    "in many": "torch.isin(x, n[::5].float())",
    "in many of another dtype": "torch.isin(n, x[::100])",
    "not in many": "torch.isin(rows, torch.arange(20), invert=True)",
    "no number is in": "torch.isin(torch.tensor([nan, 3.]), torch.tensor([nan] * 20 + [3.]))",
    "runs": "torch.unique_consecutive(n // 3 % 5, return_inverse=True, return_counts=True)",
    "runs of nothing": "torch.unique_consecutive(n[:0], return_inverse=True, return_counts=True)",
    "runs of what is no number": "torch.unique_consecutive(torch.tensor([nan, nan, 1., 1.]), return_inverse=True)",
    "different ones": "torch.unique(at, return_inverse=True, return_counts=True)",
    "counts": "torch.bincount(at, minlength=400)",
    "weighted counts": "torch.bincount(at, x[:5000])",
    "counts of what is negative": "torch.bincount(at - 1)",
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_moves_of_many_elements_match_torch(mt, oracle, name):
    def run_long_call(torch):
        scope = {"torch": torch, "nan": float("nan")}
        exec(SETUP, scope)
        try:
            value = eval(EXPRESSIONS[name], scope)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        parts = value if isinstance(value, tuple) else (value,)
        return [(str(part.dtype), part.stride(), str(part.tolist())) for part in parts]

    assert run_long_call(mt) == run_long_call(oracle)


@pytest.mark.parametrize("padding", [None, 5])
@pytest.mark.parametrize("by_frequency", [False, True])
def test_embedding_gradient_of_often_read_rows_matches_torch(mt, oracle, padding, by_frequency):
    def differentiate_embedding(torch):
        table = torch.zeros(300, 40, requires_grad=True)
        at = torch.arange(5000) * 31 % 300
        rows = torch.nn.functional.embedding(at, table, padding_idx=padding, scale_grad_by_freq=by_frequency)
        rows.backward((torch.arange(5000 * 40) % 64).float().reshape(5000, 40))
        return table.grad.tolist()

    assert differentiate_embedding(mt) == [pytest.approx(row, rel=1e-5) for row in differentiate_embedding(oracle)]


@pytest.mark.parametrize("dtype", ("uint8", "int16", "int32", "int64", "complex128"))
def test_flips_of_every_element_width_match_indexing(mt, dtype):
    for width in range(1, 80):
        x = (mt.arange(3 * (width + 2)) % 251).reshape(3, width + 2).to(getattr(mt, dtype))
        rows = x.tolist()
        assert mt.flip(x, (1,)).tolist() == [row[::-1] for row in rows]
        assert mt.flip(x[:, 1:-1], (0, 1)).tolist() == [row[-2:0:-1] for row in rows[::-1]]
