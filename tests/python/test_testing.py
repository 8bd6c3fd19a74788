"""torch.testing: closeness, and its error messages."""

import math

import pytest
from outcomes import outcome

PAIRS = {
    "equal": lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 2.0])),
    "not close": lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 2.1])),
    "scalar tensors": lambda t: (t.tensor(1.0), t.tensor(2.0)),
    "expected zero": lambda t: (t.tensor(1.0), t.tensor(0.0)),
    "ints": lambda t: (1, 2),
    "floats": lambda t: (1.0, 1.0 + 1e-9),
    "int and float": lambda t: (1, 1.0),
    "bools": lambda t: (True, False),
    "bool and int": lambda t: (True, 1),
    "None": lambda t: (None, 1),
    "dtypes": lambda t: (t.tensor([1]), t.tensor([1.0])),
    "shapes": lambda t: (t.tensor([1, 2]), t.tensor([1])),
    "lengths": lambda t: ([t.tensor(1), t.tensor(2)], [t.tensor(1)]),
    "second item": lambda t: ([t.tensor(1), t.tensor(2)], [t.tensor(1), t.tensor(3)]),
    "keys": lambda t: ({"a": t.tensor(1.0)}, {"b": t.tensor(1.0)}),
    "nested": lambda t: ({"a": [1.0, {"c": t.ones(2, 2)}]}, {"a": [1.0, {"c": t.zeros(2, 2)}]}),
    "strings": lambda t: ("a", "a"),
    "tensor and number": lambda t: (t.tensor(1.0), 1.0),
    "nan": lambda t: (t.tensor([math.nan]), t.tensor([math.nan])),
    "inf": lambda t: (t.tensor([math.inf]), t.tensor([1.0])),
    "small integers": lambda t: (t.tensor([1, 2, 3], dtype=t.uint8), t.tensor([1, 2, 255], dtype=t.uint8)),
    "meta": lambda t: (t.tensor([1.0]), t.empty(1, device="meta")),
    "strides": lambda t: (t.zeros(2, 3), t.zeros(3, 2).t()),
    "half": lambda t: (t.tensor([1.0]).half(), t.tensor([1.1]).half()),
    "bool tensors": lambda t: (t.tensor([True, False]), t.tensor([True, True])),
    "empty": lambda t: (t.tensor([]), t.tensor([])),
}
OPTIONS = [
    {},
    {"rtol": 0, "atol": 0},
    {"rtol": 1e-3},
    {"equal_nan": True},
    {"check_dtype": False},
    {"check_stride": True},
    {"check_device": False},
    {"msg": "told by the caller"},
    {"msg": "Before: {}".format},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: ",".join(o) or "default")
@pytest.mark.parametrize("name", PAIRS)
def test_assert_close_messages_match_torch(mt, oracle, name, options):
    def assert_pair_close(torch):
        return torch.testing.assert_close(*PAIRS[name](torch), **options)

    ours = outcome(assert_pair_close, mt)
    assert ours == outcome(assert_pair_close, oracle)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "bool"])
@pytest.mark.parametrize(
    "options",
    [{}, {"low": 1, "high": 3}, {"noncontiguous": True}, {"low": 3, "high": 1}, {"requires_grad": True}],
    ids=str,
)
def test_make_tensor_matches_torchs_random_numbers(mt, oracle, dtype, options):
    def make_random_tensor(torch):
        torch.manual_seed(1)
        return torch.testing.make_tensor(3, 4, dtype=getattr(torch, dtype), device="cpu", **options)

    assert outcome(make_random_tensor, mt) == outcome(make_random_tensor, oracle)
