"""torch.autocast("npu"): float16 by default, with the lists of torch_npu (its csrc/aten/AutoCastOps.cpp)."""

import pytest

# Calls by name: each takes the library and r, which makes a tensor of the dtype under test.
LOWER = {
    "mm": lambda t, r: t.mm(r(3, 4), r(4, 2)),
    "addmm": lambda t, r: t.addmm(r(2), r(3, 4), r(4, 2)),
    "addmv": lambda t, r: t.addmv(r(3), r(3, 4), r(4)),
    "addr": lambda t, r: t.addr(r(3, 4), r(3), r(4)),
    "mv": lambda t, r: t.mv(r(3, 4), r(4)),
    "bmm": lambda t, r: t.bmm(r(2, 3, 4), r(2, 4, 2)),
    "baddbmm": lambda t, r: t.baddbmm(r(2, 3, 2), r(2, 3, 4), r(2, 4, 2)),
    "matmul": lambda t, r: t.matmul(r(3, 4), r(4, 2)),
    "einsum": lambda t, r: t.einsum("ij,jk->ik", r(3, 4), r(4, 2)),
    "linear": lambda t, r: t.nn.functional.linear(r(3, 4), r(2, 4), r(2)),
    "conv1d": lambda t, r: t.nn.functional.conv1d(r(1, 2, 5), r(3, 2, 3)),
    "conv2d": lambda t, r: t.nn.functional.conv2d(r(1, 2, 5, 5), r(3, 2, 3, 3)),
    "conv_transpose2d": lambda t, r: t.nn.functional.conv_transpose2d(r(1, 2, 5, 5), r(2, 3, 3, 3)),
    "prelu": lambda t, r: t.nn.functional.prelu(r(3, 4), r(1)),
    "attention": lambda t, r: t.nn.functional.scaled_dot_product_attention(r(1, 2, 3, 4), r(1, 2, 3, 4), r(1, 2, 3, 4)),
}
FLOAT32 = {
    "exp": lambda t, r: r(3).exp(),
    "log": lambda t, r: r(3).log(),
    "pow": lambda t, r: r(3).pow(2),
    "pow of a number": lambda t, r: t.pow(2.0, r(3)),
    "rsqrt": lambda t, r: r(3).rsqrt(),
    "reciprocal": lambda t, r: r(3).reciprocal(),
    "softplus": lambda t, r: t.nn.functional.softplus(r(3)),
    "layer_norm": lambda t, r: t.nn.functional.layer_norm(r(3, 4), (4,), r(4), r(4)),
    "group_norm": lambda t, r: t.nn.functional.group_norm(r(2, 4), 2, r(4), r(4)),
    "mse_loss": lambda t, r: t.nn.functional.mse_loss(r(3), r(3)),
    "cross_entropy": lambda t, r: t.nn.functional.cross_entropy(r(3, 4), t.tensor([0, 1, 2], device="npu")),
    "logits": lambda t, r: t.nn.functional.binary_cross_entropy_with_logits(r(3), r(3)),
    "cdist": lambda t, r: t.cdist(r(3, 4), r(2, 4)),
    "logsumexp": lambda t, r: r(3, 4).logsumexp(1),
    "sum": lambda t, r: r(3, 4).sum(),
    "sum along": lambda t, r: r(3, 4).sum(1),
    "prod": lambda t, r: r(3).prod(),
    "cumsum": lambda t, r: r(3).cumsum(0),
    "cumprod": lambda t, r: r(3).cumprod(0),
    "softmax": lambda t, r: t.softmax(r(3, 4), -1),
    "log_softmax": lambda t, r: t.log_softmax(r(3, 4), -1),
    "norm": lambda t, r: r(3, 4).norm(),
    "vector_norm": lambda t, r: t.linalg.vector_norm(r(3)),
}
AS_GIVEN = {
    "add": lambda t, r: r(3) + r(3),
    "relu": lambda t, r: r(3).relu(),
    "gelu": lambda t, r: t.nn.functional.gelu(r(3)),
    "mean": lambda t, r: r(3).mean(),
    "embedding": lambda t, r: t.nn.functional.embedding(t.tensor([1, 0], device="npu"), r(3, 4)),
    "batch_norm": lambda t, r: t.nn.functional.batch_norm(r(2, 3), None, None, training=True),
    "max_pool2d": lambda t, r: t.nn.functional.max_pool2d(r(1, 1, 4, 4), 2),
    "interpolate": lambda t, r: t.nn.functional.interpolate(r(1, 1, 4, 4), scale_factor=2, mode="bilinear"),
}
WIDEST = {
    "addcmul": lambda t, a, b: t.addcmul(a(3), b(3), b(3)),
    "addcdiv": lambda t, a, b: t.addcdiv(a(3), b(3), b(3)),
    "atan2": lambda t, a, b: t.atan2(a(3), b(3)),
    "dot": lambda t, a, b: t.dot(a(3), b(3)),
    "cross": lambda t, a, b: t.cross(a(2, 3), b(2, 3), dim=1),
    "scatter_add": lambda t, a, b: t.scatter_add(a(3), 0, t.tensor([0, 1], device="npu"), b(2)),
    "tensordot": lambda t, a, b: t.tensordot(a(3, 2), b(2, 3), 1),
}


def make_tensor_factory(mt, dtype):
    return lambda *sizes: mt.full(sizes, 0.5, dtype=dtype, device="npu")


@pytest.mark.parametrize("lower", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", LOWER)
def test_products_run_in_the_regions_dtype(mt, name, lower):
    lower = getattr(mt, lower)
    with mt.autocast("npu", dtype=lower):
        assert {
            LOWER[name](mt, make_tensor_factory(mt, dtype)).dtype for dtype in (mt.float32, mt.float16, mt.bfloat16)
        } == {lower}
    assert LOWER[name](mt, make_tensor_factory(mt, mt.float32)).dtype == mt.float32


@pytest.mark.parametrize("name", FLOAT32)
def test_sensitive_operators_run_in_float32(mt, name):
    with mt.autocast("npu"):
        assert {FLOAT32[name](mt, make_tensor_factory(mt, dtype)).dtype for dtype in (mt.float32, mt.float16)} == {
            mt.float32
        }


@pytest.mark.parametrize("name", AS_GIVEN)
def test_other_operators_keep_their_arguments(mt, name):
    with mt.autocast("npu"):
        for dtype in (mt.float32, mt.float16):
            assert AS_GIVEN[name](mt, make_tensor_factory(mt, dtype)).dtype == dtype


@pytest.mark.parametrize("name", WIDEST)
def test_mixed_arguments_take_the_widest(mt, name):
    narrow, wide = make_tensor_factory(mt, mt.float16), make_tensor_factory(mt, mt.float32)
    with mt.autocast("npu"):
        found = [WIDEST[name](mt, a, b).dtype for a, b in ((narrow, narrow), (narrow, wide), (wide, narrow))]
    assert found == [mt.float16, mt.float32, mt.float32]


def test_float64_is_left_alone_and_a_dtype_that_is_named_wins(mt):
    with mt.autocast("npu"):
        assert (
            mt.mm(make_tensor_factory(mt, mt.float64)(2, 2), make_tensor_factory(mt, mt.float64)(2, 2)).dtype
            == mt.float64
        )
        assert make_tensor_factory(mt, mt.float16)(3).sum(dtype=mt.float16).dtype == mt.float16
        assert make_tensor_factory(mt, mt.float16)(3).softmax(0, dtype=mt.float64).dtype == mt.float64


def test_the_cpu_has_its_own_lists_and_switch(mt):
    host, device = mt.ones(2, 2), make_tensor_factory(mt, mt.float32)(2, 2)
    with mt.autocast("npu"):
        assert mt.mm(host, host).dtype == mt.float32
        assert mt.mm(device, device).dtype == mt.float16
        with mt.autocast("cpu", dtype=mt.bfloat16):
            assert mt.mm(host, host).dtype == mt.bfloat16
            assert host.bfloat16().exp().dtype == mt.bfloat16  # float32 on NPUs only
    with mt.autocast("cpu", dtype=mt.bfloat16):
        assert mt.mm(device, device).dtype == mt.float32


def test_binary_cross_entropy_is_refused_with_torchs_text(mt):
    x = make_tensor_factory(mt, mt.float16)(3)
    text = r"^torch\.nn\.functional\.binary_cross_entropy and torch\.nn\.BCELoss are unsafe to autocast\.\n"
    with mt.autocast("npu"), pytest.raises(RuntimeError, match=text):
        mt.nn.functional.binary_cross_entropy(x, x)


def test_settings_are_torch_npus(mt):
    assert mt.get_autocast_dtype("npu") == mt.float16 == mt.npu.get_autocast_dtype()
    assert not mt.is_autocast_enabled("npu")
    with mt.npu.amp.autocast(dtype=mt.bfloat16):
        assert mt.is_autocast_enabled("npu") and mt.get_autocast_dtype("npu") == mt.bfloat16
    assert mt.get_autocast_dtype("npu") == mt.float16
    assert mt.npu.get_amp_supported_dtype() == [mt.float16, mt.bfloat16, mt.float32]


@pytest.mark.parametrize("scaled", [False, True])
def test_training_in_mixed_precision_lowers_the_loss(mt, scaled):
    mt.manual_seed(0)
    model = mt.nn.Sequential(mt.nn.Linear(8, 16), mt.nn.LayerNorm(16), mt.nn.ReLU(), mt.nn.Linear(16, 1)).npu()
    optimizer = mt.optim.SGD(model.parameters(), lr=0.1)
    scaler = mt.amp.GradScaler("npu", enabled=scaled, init_scale=2.0**10)
    x, y = mt.randn(32, 8).npu(), mt.randn(32, 1).npu()
    losses = []
    for _ in range(8):
        optimizer.zero_grad()
        with mt.autocast("npu", dtype=mt.float16 if scaled else mt.bfloat16):
            loss = mt.nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    assert losses[-1] < 0.9 * losses[0]
    assert all(p.dtype == p.grad.dtype == mt.float32 for p in model.parameters())


def test_an_overflow_skips_the_step_and_lowers_the_scale(mt):
    weight = mt.nn.Parameter(mt.ones(2, device="npu"))
    scaler = mt.amp.GradScaler("npu", init_scale=4.0, growth_interval=1)
    optimizer = mt.optim.SGD([weight], lr=1.0)
    scaler.scale((weight * mt.tensor([1.0, float("inf")], device="npu")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert weight.tolist() == [1, 1] and scaler.get_scale() == 2.0
    optimizer.zero_grad()
    scaler.scale(weight.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert weight.tolist() == [0, 0] and scaler.get_scale() == 4.0
