// rms_norm: rows divided by their root mean square.
#include "rules/layer_norm.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor"},
    .forms = function,
    .doc = "x / sqrt(mean(x^2) + eps) * weight over the last dimensions.",
    .composite = [](const Tensor& input, IntList shape, const Tensor& weight, std::optional<double> eps) -> Tensor {
      check_normalized_shape(input, shape, weight, Tensor(), true);
      Dims dims;
      for (int64_t i = 0; i < shape.size(); ++i) dims.push_back(input.dim() - shape.size() + i);
      const Dtype wide = compute_dtype(input.dtype());
      const double e = eps.value_or(wide == Dtype::float64 ? 2.220446049250313e-16 : 1.1920928955078125e-07);
      Tensor x = wide == input.dtype() ? input : op<"to.dtype">(input, wide);
      Tensor y = x * op<"rsqrt">(op<"mean.dim">(op<"pow.Tensor_Scalar">(x, 2), dims, true) + e);
      if (weight.defined()) y = y * weight;
      return wide == input.dtype() ? y : op<"to.dtype">(y, input.dtype());
    },
});

}  // namespace
}  // namespace mt
