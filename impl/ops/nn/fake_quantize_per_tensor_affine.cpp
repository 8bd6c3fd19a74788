// fake_quantize_per_tensor_affine: a tensor rounded to the steps of one scale.
#include <cmath>

#include "rules/fake_quantize.h"

namespace mt {
namespace {

constexpr auto rounded = [](const Tensor& self, double scale, int64_t zero_point, int64_t quant_min, int64_t quant_max) -> Tensors<2> {
  BelowAutograd guard;
  check_quant_range(quant_min, quant_max);
  check(zero_point >= quant_min && zero_point <= quant_max, "`zero_point` must be between `quant_min` and `quant_max`.");
  check_fake_quantizable("fake_quantize_tensor_cachemask_kernel_type_handling", self);
  const Tensor x = is_half(self.dtype()) ? op<"to.dtype">(self, Dtype::float32) : Tensor(self);
  auto number = [&](double v) { return op<"full">(IntList(), v, x.dtype(), nullptr, x.device()); };
  const double step = double(float(scale)), inverse = double(1.0f / float(scale));
  const Tensor steps = op<"round">(x * number(inverse)) + number(double(zero_point));
  const Tensor clamped = op<"fmin">(op<"fmax">(steps, number(double(quant_min))), number(double(quant_max)));  // NaN to the least
  return from_steps(self, steps, clamped, number(double(zero_point)), number(step), quant_min, quant_max);
};
double only_number(const Tensor& t) {
  check(t.numel() == 1, "a Tensor with {} elements cannot be converted to Scalar", t.numel());
  return Scalar::load(t.dtype(), t.data()).to_double();
}

MT_OP(OpDef{
    .schema = {"fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> "
               "(Tensor output, Tensor mask)"},
    .forms = internal,
    .doc = "The rounded tensor, and which elements were within bounds.",
    .cpu = rounded,
    .meta = rounded,
    .grad = {wrt("self", [](Grad g, Out<"mask"> mask) { return op<"fake_quantize_per_tensor_affine_cachemask_backward">(g, mask); })},
    .no_forward = true,
});
MT_OP(OpDef{
    .schema = {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, Tensor "
               "fake_quant_enabled, int quant_min, int quant_max) -> (Tensor output, Tensor mask)"},
    .forms = function,
    .doc = "The same with scale and zero point of one-element tensors; without `fake_quant_enabled` a copy.",
    .cpu = [](const Tensor& self, const Tensor& scale, const Tensor& zero_point, const Tensor& enabled, int64_t quant_min,
              int64_t quant_max) -> Tensors<2> {
      check_quant_range(quant_min, quant_max);
      const double step = only_number(scale), offset = only_number(zero_point);
      if (only_number(enabled) != 0) return rounded(self, step, int64_t(offset), quant_min, quant_max);
      BelowAutograd guard;
      return {{op<"clone">(self), op<"ones_like">(self, Dtype::boolean)}};
    },
    .grad = {wrt("self", [](Grad g, Out<"mask"> mask) { return op<"fake_quantize_per_tensor_affine_cachemask_backward">(g, mask); })},
});
MT_OP(OpDef{
    .schema = {"fake_quantize_per_tensor_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor"},
    .forms = internal,
    .doc = "The gradient where `mask` is set.",
    .composite = [](const Tensor& grad, const Tensor& mask) -> Tensor { return masked_gradient(grad, mask); },
});
MT_OP(OpDef{
    .schema = {"fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor"},
    .forms = function,
    .doc = "(clamp(round(`self` / `scale`) + `zero_point`, `quant_min`, `quant_max`) - `zero_point`) * `scale`.",
    .composite = [](const Tensor& self, double scale, int64_t zero_point, int64_t quant_min, int64_t quant_max) -> Tensor {
      return op<"fake_quantize_per_tensor_affine_cachemask", Tensors<2>>(self, scale, zero_point, quant_min, quant_max)[0];
    },
});
MT_OP(OpDef{
    .schema = {"fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max) "
               "-> Tensor"},
    .forms = function,
    .doc = "The same with scale and zero point of one-element tensors.",
    .composite = [](const Tensor& self, const Tensor& scale, const Tensor& zero_point, int64_t quant_min, int64_t quant_max) -> Tensor {
      const Tensor enabled = op<"ones">(IntList{1}, Dtype::int64, nullptr, self.device());
      return op<"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", Tensors<2>>(self, scale, zero_point, enabled, quant_min,
                                                                                         quant_max)[0];
    },
});

}  // namespace
}  // namespace mt
