// fake_quantize_per_channel_affine: a tensor rounded to the steps of a scale for each place of one dimension.
#include "rules/fake_quantize.h"

namespace mt {
namespace {

void check_channels(const Tensor& self, const Tensor& scale, const Tensor& zero_point, int64_t axis, int64_t quant_min, int64_t quant_max) {
  check(scale.dtype() == Dtype::float32 || scale.dtype() == Dtype::bfloat16, "Scale must be Float or BFloat16, found {}", scale.dtype());
  const Dtype offset = zero_point.dtype();
  check(offset == Dtype::int32 || offset == Dtype::float32 || offset == Dtype::float16, "Zero-point must be Int32, Float or Half, found {}",
        offset);
  check(scale.dim() == 1, "scale should be a 1-D tensor");
  check(zero_point.dim() == 1, "zero point should be a 1-D tensor");
  check(scale.numel() == zero_point.numel(), "scale and zero-point need to have the same dimensions");
  check(scale.numel() == self.size(wrap_dim(axis, self.dim())), "dimensions of scale and zero-point are not consistent with input tensor");
  check_quant_range(quant_min, quant_max);
  if (offset == Dtype::int32 && zero_point.numel() > 0 && !zero_point.is_meta()) {
    const Tensor fits = op<"logical_and">(op<"ge">(zero_point, quant_min), op<"le">(zero_point, quant_max)), all = op<"all">(fits);
    check(*all.data<bool>(), "`zero_point` must be between `quant_min` and `quant_max`.");
  }
  check(axis >= 0 && axis <= self.dim(), "`axis` must be between 0 and number of dimensions of input");
  check_fake_quantizable("fake_quantize_channel_cachemask_cpu_type_handling", self);
}

constexpr auto rounded = [](const Tensor& self, const Tensor& scale, const Tensor& zero_point, int64_t axis, int64_t quant_min,
                            int64_t quant_max) -> Tensors<2> {
  BelowAutograd guard;
  check_channels(self, scale, zero_point, axis, quant_min, quant_max);
  Dims shape(self.dim(), 1);
  shape[axis] = scale.numel();
  const Tensor x = is_half(self.dtype()) ? op<"to.dtype">(self, Dtype::float32) : Tensor(self);
  auto along = [&](const Tensor& t) { return op<"view">(op<"to.dtype">(op<"contiguous">(t), x.dtype()), shape); };
  const Tensor step = along(scale), offset = along(zero_point);
  const Tensor inverse = along(op<"reciprocal">(op<"to.dtype">(scale, Dtype::float32))), scaled = x * inverse;
  // A fractional zero point is added before rounding.
  const bool whole = zero_point.dtype() == Dtype::int32;
  const Tensor steps = op<"to.dtype">(whole ? op<"round">(scaled) + offset : op<"round">(scaled + offset), Dtype::int64);
  return from_steps(self, steps, op<"to.dtype">(op<"clamp">(steps, quant_min, quant_max), x.dtype()), offset, step, quant_min, quant_max);
};

MT_OP(OpDef{
    .schema = {"fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int "
               "quant_max) -> (Tensor output, Tensor mask)"},
    .forms = internal,
    .doc = "The rounded tensor, and which elements were within bounds.",
    .cpu = rounded,
    .meta = rounded,
    .grad = {wrt("self", [](Grad g, Out<"mask"> mask) { return op<"fake_quantize_per_channel_affine_cachemask_backward">(g, mask); })},
    .no_forward = true,
});
MT_OP(OpDef{
    .schema = {"fake_quantize_per_channel_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor"},
    .forms = internal,
    .doc = "The gradient where `mask` is set.",
    .composite = [](const Tensor& grad, const Tensor& mask) -> Tensor { return masked_gradient(grad, mask); },
});
MT_OP(OpDef{
    .schema = {"fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> "
               "Tensor"},
    .forms = function,
    .doc = "As fake_quantize_per_tensor_affine, with a scale and a zero point for each place of dimension `axis`.",
    .composite = [](const Tensor& self, const Tensor& scale, const Tensor& zero_point, int64_t axis, int64_t quant_min,
                    int64_t quant_max) -> Tensor {
      return op<"fake_quantize_per_channel_affine_cachemask", Tensors<2>>(self, scale, zero_point, axis, quant_min, quant_max)[0];
    },
});

}  // namespace
}  // namespace mt
