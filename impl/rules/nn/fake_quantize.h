// Fake quantization: the values after rounding to steps, and the mask of elements within the bounds.
#pragma once

#include "core/dispatch_dtype.h"
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {

inline void check_quant_range(int64_t quant_min, int64_t quant_max) {
  check(quant_min <= quant_max, "`quant_min` should be less than or         equal to `quant_max`.");
}
inline void check_fake_quantizable(const char* kernel, const Tensor& self) {
  if (!is_floating(self.dtype()) || is_float8(self.dtype())) not_implemented_for(kernel, self.dtype());
}
// Returns the values (clamped - offset) * scale in the dtype of `self`, and a mask that is true where `steps`, the steps before clamping,
// are within the bounds.
inline Tensors<2> dequantize_steps(const Tensor& self, const Tensor& steps, const Tensor& clamped, const Tensor& offset,
                                   const Tensor& scale, int64_t quant_min, int64_t quant_max) {
  const Tensor values = (clamped - offset) * scale;
  return {{values.dtype() == self.dtype() ? values : op<"to.dtype">(values, self.dtype()),
           op<"logical_and">(op<"ge">(steps, quant_min), op<"le">(steps, quant_max))}};
}
// The gradient: unchanged where the mask is true, 0 elsewhere.
inline Tensor masked_gradient(const Tensor& grad, const Tensor& mask) {
  check(mask.dtype() == Dtype::boolean,
        "Expected mask.scalar_type() == ScalarType::Bool to be true, but got false.  (Could this error message be improved?  If so, please "
        "report an enhancement request to PyTorch.)");
  check(mask.sizes() == grad.sizes(), "`mask` and `dY` are not the same size: `mask` is size {} and `dY` is size {}", mask.numel(),
        grad.numel());
  return grad * mask;
}

}  // namespace mt
