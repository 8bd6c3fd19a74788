"""Reductions with an out= of another dtype: computed in it, or refused, as by torch."""

import pytest
from outcomes import outcome

DTYPES = ["float32", "float64", "float16", "int64", "uint8", "bool", "complex64"]


@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod"])
@pytest.mark.parametrize("given", ["float32", "int64", "int32", "bool"])
@pytest.mark.parametrize("asked", [None, "float32"])
def test_a_sum_is_formed_in_the_dtype_of_out(mt, oracle, name, given, asked):
    def results(torch):
        found = []
        for to in DTYPES:
            x = torch.tensor([1, 2, 3]).to(getattr(torch, given))
            out = torch.empty(3 if name.startswith("cum") else (), dtype=getattr(torch, to))
            options = {"dtype": getattr(torch, asked)} if asked else {}
            found.append(outcome(lambda t, x=x, out=out: getattr(t, name)(x, dim=0, out=out, **options), torch))
        return found

    assert results(mt) == results(oracle)
