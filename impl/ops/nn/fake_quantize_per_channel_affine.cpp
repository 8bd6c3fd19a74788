// fake_quantize_per_channel_affine: rounds a tensor to steps of a scale per index of one dimension.
#include "core/messages.h"
#include "rules/nn/fake_quantize.h"

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
    check(*all.data<bool>(), messages::zero_point_out_of_range);
  }
  check(axis >= 0 && axis <= self.dim(), "`axis` must be between 0 and number of dimensions of input");
  check_fake_quantizable("fake_quantize_channel_cachemask_cpu_type_handling", self);
}

constexpr auto fake_quantize = [](const Tensor& self, const Tensor& scale, const Tensor& zero_point, int64_t axis, int64_t quant_min,
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
  return dequantize_steps(self, steps, op<"to.dtype">(op<"clamp">(steps, quant_min, quant_max), x.dtype()), offset, step, quant_min,
                          quant_max);
};

MT_OP(OpDef{
    .schema = {"fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int "
               "quant_max) -> (Tensor output, Tensor mask)"},
    .forms = internal,
    .doc = "Computes ``fake_quantize_per_channel_affine`` and which elements were within bounds.",
    .cpu = fake_quantize,
    .meta = fake_quantize,
    .grad = {wrt("self", [](Grad g, Out<"mask"> mask) { return op<"fake_quantize_per_channel_affine_cachemask_backward">(g, mask); })},
    .no_forward = true,
});
MT_OP(OpDef{
    .schema = {"fake_quantize_per_channel_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor"},
    .forms = internal,
    .doc = "Passes the gradient where `mask` is set: that of ``fake_quantize_per_channel_affine``.",
    .composite = [](const Tensor& grad, const Tensor& mask) -> Tensor { return masked_gradient(grad, mask); },
});
MT_OP(OpDef{
    .schema = {"fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> "
               "Tensor"},
    .forms = function,
    .doc = R"(Rounds a tensor to the steps of a scale for each index of one dimension, as quantization would.

The result is ``(clamp(round(x / s) + z, quant_min, quant_max) - z) * s`` with the scale s and zero
point z of the element's index in dimension `axis`; halves round to even. The gradient passes where
nothing was clamped, as if rounding were the identity (Bengio et al., "Estimating or propagating
gradients through stochastic neurons", 2013).

Args:
    self (Tensor): floating tensor.
    scale (Tensor): vector of step sizes; float32 or bfloat16.
    zero_point (Tensor): vector of zero points; int32, float32 or float16; integers within
        ``[quant_min, quant_max]``.
    axis (int): dimension of the channels; not negative.
    quant_min (int): smallest integer.
    quant_max (int): largest integer.

Returns:
    Tensor: shape and dtype of `self`.

Raises:
    RuntimeError: when sizes, dtypes or bounds do not fit.

Example:
    >>> scale, zero = torch.tensor([0.1, 0.2]), torch.tensor([0, 0], dtype=torch.int32)
    >>> torch.fake_quantize_per_channel_affine(torch.tensor([[0.12, 0.26]]), scale, zero, 1, 0, 10)
    tensor([[0.1000, 0.2000]]))",
    .composite = [](const Tensor& self, const Tensor& scale, const Tensor& zero_point, int64_t axis, int64_t quant_min,
                    int64_t quant_max) -> Tensor {
      return op<"fake_quantize_per_channel_affine_cachemask", Tensors<2>>(self, scale, zero_point, axis, quant_min, quant_max)[0];
    },
});

}  // namespace
}  // namespace mt
