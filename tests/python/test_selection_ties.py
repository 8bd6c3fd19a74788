"""topk, kthvalue and sort pick the same ones of equal elements as torch, in the same order."""

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
def test_ties_are_torchs(name, dtype, mt, oracle):
    def run(torch):
        x = (torch.arange(8 * 200).reshape(8, 200) * 7919 % 13).to(getattr(torch, dtype))
        return CALLS[name](torch, x)

    ours, theirs = result(run, mt), result(run, oracle)
    assert close(ours, theirs), (ours, theirs)
