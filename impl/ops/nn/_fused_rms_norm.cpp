// _fused_rms_norm: rows divided by their root mean square, and the factors that did it.
#include "rules/layer_norm.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = "x * r * weight with r = 1 / sqrt(mean(x^2) + eps) over the last dimensions, and r, at least in float32.",
    .composite = [](const Tensor& input, IntList shape, const Tensor& weight, std::optional<double> eps) -> Tensors<2> {
      check_normalized_shape(input, shape, weight, Tensor(), true);
      Dims dims;
      for (int64_t i = 0; i < shape.size(); ++i) dims.push_back(input.dim() - shape.size() + i);
      const Dtype wide = compute_dtype(input.dtype());
      const double e = eps.value_or(wide == Dtype::float64 ? 2.220446049250313e-16 : 1.1920928955078125e-07);
      const Tensor x = wide == input.dtype() ? Tensor(input) : op<"to.dtype">(input, wide);
      const Tensor factor = op<"rsqrt">(op<"mean.dim">(op<"pow.Tensor_Scalar">(x, 2), dims, true) + e);
      Tensor y = x * factor;
      if (weight.defined()) y = y * weight;
      return {{wide == input.dtype() ? y : op<"to.dtype">(y, input.dtype()), factor}};
    },
});

}  // namespace
}  // namespace mt
