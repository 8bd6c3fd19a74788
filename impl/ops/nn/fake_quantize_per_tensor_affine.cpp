// fake_quantize_per_tensor_affine: rounds a tensor to steps of one scale.
#include <cmath>

#include "core/messages.h"
#include "rules/nn/fake_quantize.h"

namespace mt {
namespace {

constexpr auto fake_quantize = [](const Tensor& self, double scale, int64_t zero_point, int64_t quant_min,
                                  int64_t quant_max) -> Tensors<2> {
  BelowAutograd guard;
  check_quant_range(quant_min, quant_max);
  check(zero_point >= quant_min && zero_point <= quant_max, messages::zero_point_out_of_range);
  check_fake_quantizable("fake_quantize_tensor_cachemask_kernel_type_handling", self);
  const Tensor x = is_half(self.dtype()) ? op<"to.dtype">(self, Dtype::float32) : Tensor(self);
  auto number = [&](double v) { return op<"full">(IntList(), v, x.dtype(), nullptr, x.device()); };
  const double step = double(float(scale)), inverse = double(1.0f / float(scale));
  const Tensor steps = op<"round">(x * number(inverse)) + number(double(zero_point));
  const Tensor clamped = op<"fmin">(op<"fmax">(steps, number(double(quant_min))), number(double(quant_max)));  // NaN becomes the minimum
  return dequantize_steps(self, steps, clamped, number(double(zero_point)), number(step), quant_min, quant_max);
};
double read_single_number(const Tensor& t) {
  check(t.numel() == 1, messages::elements_cannot_be_scalar, t.numel());
  return Scalar::load(t.dtype(), t.data()).to_double();
}

MT_OP(OpDef{
    .schema = {"fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> "
               "(Tensor output, Tensor mask)"},
    .forms = internal,
    .doc = "Computes ``fake_quantize_per_tensor_affine`` and which elements were within bounds.",
    .cpu = fake_quantize,
    .meta = fake_quantize,
    .grad = {wrt("self", [](Grad g, Out<"mask"> mask) { return op<"fake_quantize_per_tensor_affine_cachemask_backward">(g, mask); })},
    .no_forward = true,
});
MT_OP(OpDef{
    .schema = {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, Tensor "
               "fake_quant_enabled, int quant_min, int quant_max) -> (Tensor output, Tensor mask)"},
    .forms = function,
    .doc = R"(Computes the same with scale and zero point as tensors of one element.

Without `fake_quant_enabled` it copies.)",
    .cpu = [](const Tensor& self, const Tensor& scale, const Tensor& zero_point, const Tensor& enabled, int64_t quant_min,
              int64_t quant_max) -> Tensors<2> {
      check_quant_range(quant_min, quant_max);
      const double step = read_single_number(scale), offset = read_single_number(zero_point);
      if (read_single_number(enabled) != 0) return fake_quantize(self, step, int64_t(offset), quant_min, quant_max);
      BelowAutograd guard;
      return {{op<"clone">(self), op<"ones_like">(self, Dtype::boolean)}};
    },
    .grad = {wrt("self", [](Grad g, Out<"mask"> mask) { return op<"fake_quantize_per_tensor_affine_cachemask_backward">(g, mask); })},
});
MT_OP(OpDef{
    .schema = {"fake_quantize_per_tensor_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor"},
    .forms = internal,
    .doc = "Passes the gradient where `mask` is set: that of ``fake_quantize_per_tensor_affine``.",
    .composite = [](const Tensor& grad, const Tensor& mask) -> Tensor { return masked_gradient(grad, mask); },
});
MT_OP(OpDef{
    .schema = {"fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor"},
    .forms = function,
    .doc = R"(Rounds a tensor to the steps of one scale, as quantization would.

The result is ``(clamp(round(x / scale) + zero_point, quant_min, quant_max) - zero_point) * scale``;
halves round to even. The gradient passes where nothing was clamped, as if rounding were the
identity (Bengio et al., "Estimating or propagating gradients through stochastic neurons", 2013).

Args:
    self (Tensor): floating tensor.
    scale (float or Tensor): step size; a tensor has one element.
    zero_point (int or Tensor): integer that stands for 0; within ``[quant_min, quant_max]``.
    quant_min (int): smallest integer.
    quant_max (int): largest integer.

Returns:
    Tensor: shape and dtype of `self`.

Raises:
    RuntimeError: when the bounds or the zero point do not fit.

Example:
    >>> torch.fake_quantize_per_tensor_affine(torch.tensor([0.1, 0.26, 9.0]), 0.1, 0, 0, 10)
    tensor([0.1000, 0.3000, 1.0000]))",
    .composite = [](const Tensor& self, double scale, int64_t zero_point, int64_t quant_min, int64_t quant_max) -> Tensor {
      return op<"fake_quantize_per_tensor_affine_cachemask", Tensors<2>>(self, scale, zero_point, quant_min, quant_max)[0];
    },
});
MT_OP(OpDef{
    .schema = {"fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max) "
               "-> Tensor"},
    .forms = function,
    .doc = R"(Rounds a tensor to the steps of one scale, with scale and zero point as tensors of one element.

Args:
    self (Tensor): floating tensor.
    scale (Tensor): step size; one element.
    zero_point (Tensor): integer that stands for 0; one element.
    quant_min (int): smallest integer.
    quant_max (int): largest integer.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> x, zero = torch.tensor([0.1, 0.26]), torch.tensor(0, dtype=torch.int32)
    >>> torch.fake_quantize_per_tensor_affine(x, torch.tensor(0.1), zero, 0, 10)
    tensor([0.1000, 0.3000]))",
    .composite = [](const Tensor& self, const Tensor& scale, const Tensor& zero_point, int64_t quant_min, int64_t quant_max) -> Tensor {
      const Tensor enabled = op<"ones">(IntList{1}, Dtype::int64, nullptr, self.device());
      return op<"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", Tensors<2>>(self, scale, zero_point, enabled, quant_min,
                                                                                         quant_max)[0];
    },
});

}  // namespace
}  // namespace mt
