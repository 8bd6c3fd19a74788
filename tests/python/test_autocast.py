"""Autocast on the CPU produces real torch's dtypes, and casts a parameter once per region."""

import pytest

# Calls by name: each takes the library and r, which makes a tensor of the dtype under test.
CALLS = {
    "mm": lambda t, r: t.mm(r(3, 4), r(4, 2)),
    "bmm": lambda t, r: t.bmm(r(2, 3, 4), r(2, 4, 2)),
    "addmm": lambda t, r: t.addmm(r(2), r(3, 4), r(4, 2)),
    "baddbmm": lambda t, r: t.baddbmm(r(2, 3, 2), r(2, 3, 4), r(2, 4, 2)),
    "matmul of vectors": lambda t, r: t.matmul(r(4), r(4)),
    "matmul of matrices": lambda t, r: t.matmul(r(3, 4), r(4, 2)),
    "linear": lambda t, r: t.nn.functional.linear(r(3, 4), r(2, 4), r(2)),
    "attention": lambda t, r: t.nn.functional.scaled_dot_product_attention(r(1, 2, 3, 4), r(1, 2, 3, 4), r(1, 2, 3, 4)),
    "mv": lambda t, r: t.mv(r(3, 4), r(4)),
    "softmax": lambda t, r: t.softmax(r(3, 4), -1),
    "log_softmax": lambda t, r: t.log_softmax(r(3, 4), -1),
    "layer_norm": lambda t, r: t.nn.functional.layer_norm(r(3, 4), (4,), r(4), r(4)),
    "sum": lambda t, r: r(3, 4).sum(),
    "exp": lambda t, r: r(3).exp(),
    "gelu": lambda t, r: t.nn.functional.gelu(r(3)),
    "embedding": lambda t, r: t.nn.functional.embedding(t.tensor([1, 0]), r(3, 4)),
    "add": lambda t, r: r(3) + t.ones(3),
    "cat": lambda t, r: t.cat([r(3), t.ones(3)]),
    "mse_loss": lambda t, r: t.nn.functional.mse_loss(r(3), r(3)),
    "cross_entropy": lambda t, r: t.nn.functional.cross_entropy(r(3, 4), t.tensor([0, 1, 2])),
}


def list_result_dtypes(torch, call) -> list[str]:
    out = []
    for dtype in ("float32", "bfloat16", "float64"):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out.append(str(call(torch, lambda *sizes, d=dtype: torch.full(sizes, 0.5, dtype=getattr(torch, d))).dtype))
    return out


@pytest.mark.parametrize("name", CALLS)
def test_results_have_torchs_dtypes(mt, oracle, name):
    assert list_result_dtypes(mt, CALLS[name]) == list_result_dtypes(oracle, CALLS[name])


def test_a_parameter_is_cast_once_in_a_region(mt):
    weight = mt.nn.Parameter(mt.ones(2, 2))
    with mt.autocast("cpu", dtype=mt.bfloat16):
        first, second = mt.mm(weight, weight), mt.mm(weight, weight)
    casts = [edge[0] for product in (first, second) for edge in product.grad_fn.next_functions]
    assert {cast.name() for cast in casts} == {"ToCopyBackward0"}
    assert all(cast is casts[0] for cast in casts)
    with mt.autocast("cpu", dtype=mt.bfloat16):
        third = mt.mm(weight, weight)
    assert third.grad_fn.next_functions[0][0] is not casts[0]


def test_a_region_can_be_left_within(mt):
    x = mt.ones(2, 2)
    with mt.autocast("cpu", dtype=mt.bfloat16):
        with mt.autocast("cpu", enabled=False):
            assert mt.mm(x, x).dtype == mt.float32
        assert mt.mm(x, x).dtype == mt.bfloat16
    assert mt.mm(x, x).dtype == mt.float32


AUTOCAST_CALLS = [
    "is_autocast_enabled(device_type='cpu')",
    "is_autocast_enabled(device_type=5)",
    "is_autocast_enabled('cpu', 1)",
    "get_autocast_dtype(device_type='cpu')",
    "get_autocast_dtype()",
    "get_autocast_dtype(5)",
    "set_autocast_enabled(device_type='cpu', enabled=False)",
    "set_autocast_enabled('cpu', enabled=False)",
    "set_autocast_enabled(enabled=False)",
    "set_autocast_enabled('cpu')",
    "set_autocast_enabled('cpu', 1)",
    "set_autocast_dtype(dtype=torch.bfloat16, device_type='cpu')",
    "set_autocast_dtype('cpu', 5)",
    "set_autocast_dtype('cpu')",
]


@pytest.mark.parametrize("call", AUTOCAST_CALLS)
def test_settings_of_autocast_are_called_by_position_and_by_keyword(call, mt, oracle):
    def eval_autocast_setting(torch):
        try:
            return str(eval(f"torch.{call}", {"torch": torch})).replace("mindtorch", "torch")
        except Exception as error:
            return type(error), str(error).replace("mindtorch", "torch")

    assert eval_autocast_setting(mt) == eval_autocast_setting(oracle)
