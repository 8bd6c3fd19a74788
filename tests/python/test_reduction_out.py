"""Reductions with an out= of another dtype: computed in that dtype or refused, as in torch."""

import pytest
from outcomes import outcome

DTYPES = ["float32", "float64", "float16", "int64", "uint8", "bool", "complex64"]


@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod"])
@pytest.mark.parametrize("given", ["float32", "int64", "int32", "bool"])
@pytest.mark.parametrize("asked", [None, "float32"])
def test_a_sum_is_formed_in_the_dtype_of_out(mt, oracle, name, given, asked):
    def reduce_into_out(torch):
        found, options = [], {"dtype": getattr(torch, asked)} if asked else {}
        for to in DTYPES:
            x = torch.tensor([1, 2, 3]).to(getattr(torch, given))
            out = torch.empty(3 if name.startswith("cum") else (), dtype=getattr(torch, to))
            found.append(outcome(lambda t, x=x, out=out: getattr(t, name)(x, dim=0, out=out, **options), torch))
        return found

    assert reduce_into_out(mt) == reduce_into_out(oracle)


# Each call runs in its own process, because torch warns once per process.
@pytest.mark.parametrize("name", ["sum", "prod"])
def test_a_sum_warns_of_the_imaginary_part_that_it_discards(same_as_oracle, name):
    same_as_oracle(
        f"""
import torch, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(torch.{name}(torch.tensor([1 + 2j, 3]), dim=0, out=torch.empty(())))
print([str(w.message).split(" (Triggered")[0] for w in caught])
"""
    )
