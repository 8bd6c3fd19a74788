"""Operators with a leading underscore, old names, and rare dense ones match real torch, errors included."""

import pytest
from beside import outcome

NAMES = {
    "x": "torch.tensor([3.0, 1.0, 2.0, 1.0])",
    "b": "torch.tensor([True, False])",
    "i": "torch.tensor([[1, 2], [3, 4]], dtype=torch.int8)",
    "g": "torch.tensor([[1.5, -0.3, -2.2], [0.6, -1.1, -1.4]], requires_grad=True)",
    "s": "torch.tensor([0.1, 0.2])",
}
CALLS = """
torch._unique(x)
torch._unique(x, True, True)
torch._unique(torch.tensor([[2, 1], [1, 2]]), return_inverse=True)
torch._assert_async(x)
torch._assert_async(torch.tensor(0))
torch._assert_async(torch.tensor(1))
torch._assert_async(torch.tensor(0), "why")
torch._assert_async(torch.tensor([]))
torch._is_all_true(b), b._is_any_true()
torch._is_all_true(x)
torch._is_any_true(x)
torch._shape_as_tensor(g)
torch._int_mm(i, i)
torch._int_mm(i, x)
torch._int_mm(i.to(torch.uint8) + 150, i)
torch._int_mm(i, i.to(torch.uint8))
torch._int_mm(i, torch.zeros(3, 2, dtype=torch.int8))
torch._int_mm(torch.zeros(2, dtype=torch.int8), i)
torch._int_mm(i, torch.zeros(2, 2))
torch._addmm_activation(torch.zeros(2), torch.eye(2) - 0.5, torch.eye(2))
torch._addmm_activation(torch.zeros(2), torch.eye(2) - 0.5, torch.eye(2), use_gelu=True)
torch._fused_rms_norm(torch.arange(6.0).view(2, 3), [3], torch.ones(3), None)
torch._fused_rms_norm(g, [3], torch.ones(3), 1e-5)
torch._fused_rms_norm(torch.arange(6.0).view(2, 3).bfloat16(), [3], torch.ones(3), None)
torch._cast_Float(i), torch._cast_Byte(x), torch._cast_Long(x), torch._cast_Half(g)
torch._cast_Float(g) is g
torch._dim_arange(g, 1), torch._dim_arange(g, -2)
torch._dim_arange(g, 3)
torch._add_relu(x, -2), torch._add_relu(x, torch.tensor(-2.0)), torch._add_relu(x, -x, alpha=2)
torch._add_relu(g, g)
torch._add_relu_(x, -2) is x, x
torch._unsafe_index(x, [torch.tensor([0, 1])])
torch._unsafe_index_put(x, [torch.tensor([0, 1])], torch.tensor(5.0)), x
torch._index_put_impl_(x, [torch.tensor([0, 1])], torch.tensor(5.0), True), x
torch._index_put_impl_(x, [torch.tensor([0, 9])], torch.tensor(5.0), True)
x.dequantize(), i.dequantize(), torch.dequantize(x)
g.dequantize()
x.is_set_to(x), x.is_set_to(x[:]), x.is_set_to(x[1:]), x.is_set_to(x.view(2, 2)), x.is_set_to(x.clone())
torch.is_distributed(x), x.is_distributed()
torch.detach_(g), g.requires_grad
torch.detach_(g[0])
torch._C._nn.thnn_conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2, requires_grad=True), [2, 2])
torch._C._nn.thnn_conv2d(torch.ones(1, 3, 3), torch.ones(1, 1, 2, 2), [2, 2])
torch._C._nn.thnn_conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 2, 2, 2), [2, 2])
torch._C._nn.slow_conv3d(torch.ones(1, 1, 3, 3, 3), torch.ones(1, 1, 2, 2, 2, requires_grad=True), [2, 2, 2])
torch._C._nn.slow_conv3d(torch.ones(1, 3, 3, 3), torch.ones(1, 1, 2, 2, 2), [2, 2, 2])
torch._C._nn.slow_conv_transpose2d(torch.ones(1, 2, 2), torch.ones(1, 1, 2, 2, requires_grad=True), [2, 2])
torch._C._nn.slow_conv_transpose2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2), [2, 2], torch.ones(4))
torch._C._nn.slow_conv_transpose3d(torch.ones(1, 1, 2, 2, 2), torch.ones(1, 1, 2, 2, 2), [2, 2, 2], stride=2)
torch._C._nn.slow_conv_dilated2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2), [2, 2], dilation=2)
torch._C._nn.slow_conv_dilated2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2), [3, 3])
torch._C._nn.slow_conv_dilated2d(torch.ones(1, 3, 3, 3), torch.ones(1, 1, 2, 2), [2, 2])
torch._C._nn.slow_conv_dilated3d(torch.ones(1, 3, 3, 3), torch.ones(1, 1, 2, 2, 2, requires_grad=True), [2, 2, 2])
torch.fake_quantize_per_tensor_affine(torch.tensor([-1.0, 0.26, 0.5, 9.0]), 0.1, 0, -10, 10)
torch.fake_quantize_per_tensor_affine(g, 0.1, 2, -10, 10)
torch.fake_quantize_per_tensor_affine(g, torch.tensor(0.1), torch.tensor(0), -10, 10)
torch.fake_quantize_per_tensor_affine(x, 0.1, 100, -10, 10)
torch.fake_quantize_per_tensor_affine(x, 0.1, 0, 10, -10)
torch.fake_quantize_per_tensor_affine(i, 0.1, 0, -10, 10)
torch.fake_quantize_per_tensor_affine(g.half(), 0.1, 0, -10, 40)
torch.fake_quantize_per_tensor_affine(g.double(), 0.1, 0, -10, 40)
torch.ops.aten.fake_quantize_per_tensor_affine_cachemask(x / torch.tensor([1, float("nan"), 0, -9]), 0.1, 1, -8, 20)
torch.fake_quantize_per_channel_affine(g, s, torch.tensor([0, 1], dtype=torch.int32), 0, -10, 10)
torch.fake_quantize_per_channel_affine(g, s, torch.tensor([0.0, 0.5]), 0, -10, 10)
torch.fake_quantize_per_channel_affine(g, s, torch.tensor([0, 1]), 0, -10, 10)
torch.fake_quantize_per_channel_affine(g, s, torch.tensor([0, 1, 2], dtype=torch.int32), 0, -10, 10)
torch.fake_quantize_per_channel_affine(g, s, torch.tensor([0, 100], dtype=torch.int32), 0, -10, 10)
torch.fake_quantize_per_channel_affine(g, s, torch.tensor([0, 1], dtype=torch.int32), 5, -10, 10)
torch.fake_quantize_per_channel_affine(g, s.double(), torch.tensor([0, 1], dtype=torch.int32), 0, -10, 10)
torch.fake_quantize_per_channel_affine(g, torch.ones(1, 2), torch.ones(2), 0, -8, 20)
torch.fake_quantize_per_channel_affine(g, torch.ones(3), torch.ones(3), -1, -8, 8)
torch.get_autocast_cpu_dtype()
torch.is_autocast_cpu_enabled(), torch.is_autocast_ipu_enabled(), torch.is_autocast_xla_enabled()
torch.get_autocast_gpu_dtype(), torch.get_autocast_ipu_dtype(), torch.get_autocast_xla_dtype()
torch.set_autocast_cpu_enabled(True), torch.is_autocast_enabled("cpu"), torch.set_autocast_cpu_enabled(False)
torch.set_autocast_cpu_enabled(1)
torch.set_autocast_cpu_dtype(1)
torch.set_autocast_cpu_dtype(torch.bfloat16), torch.set_autocast_gpu_dtype(torch.float16)
torch.Storage, torch.Storage(3).dtype, torch.is_storage(torch.Storage())
torch.prod(b, 0, dtype=torch.bool), torch.prod(torch.ones(2, 3), 1, dtype=torch.bool)
torch.einsum("ij,kj->ik", i.int(), i[:1].int()).dtype
torch.einsum("aij,ajk->aik", torch.ones(1, 2, 3, requires_grad=True), torch.ones(1, 3, 4))
"""


@pytest.mark.parametrize("call", [line for line in CALLS.splitlines() if line])
def test_answers_as_torch(mt, oracle, call):
    assert outcome(mt, call, **NAMES) == outcome(oracle, call, **NAMES)


@pytest.mark.parametrize("call", ["torch._masked_scale(x, x > 1, 2.0)", "torch._C._nn.mkldnn_linear(x, x)"])
def test_cpu_lacks_kernel_errors_match_torch(mt, oracle, call):
    ours, theirs = (outcome(torch, call, **NAMES)[0].partition(" is only available")[0] for torch in (mt, oracle))
    assert ours == theirs and ours.startswith("NotImplementedError: Could not run")


def test_aminmax_warns_once(mt, oracle):
    call = "torch._aminmax(x), torch._aminmax(x, 0, True)"
    assert outcome(mt, call, **NAMES) == outcome(oracle, call, **NAMES)


def test_gradients_pass_a_fake_quantizer_within_its_bounds(mt, oracle):
    def differentiate_fake_quantizer(torch):
        x = torch.tensor([[0.5, 2.0, 9.0]], requires_grad=True)
        torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -8, 30).sum().backward()
        offset = torch.tensor([0], dtype=torch.int32)
        torch.fake_quantize_per_channel_affine(x, torch.tensor([0.1]), offset, 0, -8, 10).sum().backward()
        return x.grad.tolist()

    assert differentiate_fake_quantizer(mt) == differentiate_fake_quantizer(oracle) == [[2.0, 1.0, 0.0]]


@pytest.mark.parametrize("name", ["slow_conv_transpose2d", "slow_conv_dilated2d", "thnn_conv2d"])
def test_gradients_of_plain_convolutions(mt, oracle, name):
    def differentiate_convolution(torch):
        x = torch.arange(32.0).view(1, 2, 4, 4).requires_grad_()
        weight, bias = torch.arange(16.0).view(2, 2, 2, 2).requires_grad_(), torch.ones(2, requires_grad=True)
        out = getattr(torch._C._nn, name)(x, weight, [2, 2], bias, [2, 1])
        (out * out).sum().backward()
        return out.grad_fn.name(), [t.grad.tolist() for t in (x, weight, bias)]

    assert differentiate_convolution(mt) == differentiate_convolution(oracle)


def test_storage_follows_the_default_dtype(mt):
    mt.set_default_dtype(mt.float64)
    try:
        assert mt.Storage is mt.DoubleStorage
    finally:
        mt.set_default_dtype(mt.float32)
    assert mt.Storage is mt.FloatStorage


def test_an_empty_product_has_a_second_derivative(mt, oracle):
    def differentiate_empty_product_twice(torch):
        x = torch.zeros(0, requires_grad=True)
        (first,) = torch.autograd.grad(torch.prod(x), x, torch.ones((), requires_grad=True), create_graph=True)
        return first.requires_grad

    assert differentiate_empty_product_twice(mt) == differentiate_empty_product_twice(oracle) is True


@pytest.mark.parametrize("p", [0.5, 1.5, 3.5, -0.5, -2])
def test_second_derivatives_of_a_norm_at_zero(mt, oracle, p):
    def differentiate_norm_twice(torch):
        x, g = (
            torch.zeros(3, dtype=torch.float64, requires_grad=True),
            torch.ones((), dtype=torch.float64, requires_grad=True),
        )
        (first,) = torch.autograd.grad(torch.linalg.norm(x, p), x, g, create_graph=True)
        return [str((t + 0.0).tolist()) for t in torch.autograd.grad(first.sum(), (x, g))]

    assert differentiate_norm_twice(mt) == differentiate_norm_twice(oracle)


def test_gradient_of_multilabel_margin_loss_needs_one_element_per_row(mt, oracle):
    def differentiate_margin_loss(torch, *sizes):
        backward, zeros = torch.ops.aten.multilabel_margin_loss_backward, torch.zeros(2, 3)
        try:
            return backward(torch.ones(sizes), torch.ones(2, 3), zeros.long(), 0, zeros).tolist()
        except RuntimeError as error:
            return str(error)

    for sizes in ((2,), (), (3,), (1,), (2, 3), (2, 0), (0,)):
        assert differentiate_margin_loss(mt, *sizes) == differentiate_margin_loss(oracle, *sizes)
    with pytest.raises(RuntimeError, match="grad_output must have an element"):  # torch reads beyond it
        mt.ops.aten.multilabel_margin_loss_backward(mt.ones(0), mt.ones(2, 3), mt.zeros(2, 3).long(), 1, mt.zeros(2, 3))


def test_fused_steps_refuse_settings_without_elements(mt):
    settings = {"weight_decay": 0.0, "momentum": 0.0, "lr": 0.1, "dampening": 0.0}
    flags = {"nesterov": False, "maximize": False, "is_first_step": False}
    for name in ("grad_scale", "found_inf"):
        with pytest.raises(RuntimeError, match=f"{name} must have an element"):
            mt.ops.aten._fused_sgd_([mt.ones(2)], [mt.ones(2)], [], **settings, **flags, **{name: mt.ones(0)})


@pytest.mark.parametrize("split", [(-1, 2), (2, -1), (2**62, 1 - 2**62), (-(2**63), 2**63 - 1)])
def test_sparse_tensors_refuse_negative_numbers_of_dimensions(mt, split):
    with pytest.raises(RuntimeError, match="is not satisfied: len.size. = 1, sparse_dim = "):
        mt.ops.aten._sparse_coo_tensor_with_dims(*split, [3], device="cpu", layout=mt.sparse_coo)
