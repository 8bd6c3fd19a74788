// Shared by the norms of vectors and matrices: error messages, and the derivative of a p-norm.
#include "rules/reduction/norm.h"

#include <cstdio>

#include "rules/reduction/reducers.h"

namespace mt {

std::string number_text(const Scalar& number) {
  char text[40];
  if (number.is_real())
    std::snprintf(text, sizeof text, "%g", number.to_double());
  else
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(number.to_int()));
  return text;
}

void check_norm_dtype(const char* name, Dtype dtype, Dtype input) {
  check(is_differentiable(dtype), "{}: dtype should be floating point or complex, but got {}", name, dtype);
  check(is_complex(input) == is_complex(dtype), "{}: dtype should be {} for {} inputs, but got {}", name,
        is_complex(input) ? "complex" : "real", is_complex(input) ? "complex" : "real", dtype);
  check(promote(input, dtype) == dtype,
        "{}: the dtype of the input ({}) should be convertible without narrowing to the specified dtype ({})", name, input, dtype);
}

Tensor norm_gradient(const Tensor& g0, const Tensor& x, double p, std::optional<IntList> dim, bool keepdim, const Tensor& y0) {
  const Tensor g = restore_dims(g0, dim, keepdim, x.dim()), y = restore_dims(y0, dim, keepdim, x.dim());
  if (p == 0) return Tensor();
  if (p == 1) return op<"sgn">(x) * g;
  // For p = 2 masks the factor x / y, for other p the quotient g / y^(p-1): where the norm is 0, torch's second derivative with respect to
  // the gradient is zero for p = 2 and NaN otherwise.
  if (p == 2) return g * op<"masked_fill">(x / y, op<"eq">(y, 0), 0);
  if (p == __builtin_inf() || p == -__builtin_inf()) {
    const Tensor a = op<"abs">(x), hit = op<"logical_or">(op<"eq">(a, y), op<"isnan">(a));
    return op<"sgn">(x) * (op<"to.dtype">(hit, y.dtype()) / op<"sum.dim_IntList">(hit, dim ? Dims(*dim) : Dims(), true) * g);
  }
  const Tensor a = op<"abs">(x);
  // x |x|^(p-2) as sgn(x) |x|^(p-1), which never divides by zero for p > 1.
  if (p < 1) return op<"sgn">(x) * op<"masked_fill">(op<"pow">(a, p - 1), op<"eq">(x, 0), 0) * g * op<"pow">(y, 1 - p);
  const Tensor scale = op<"masked_fill">(g / op<"pow">(y, p - 1), op<"eq">(y, 0), 0);
  if (p < 2) return op<"sgn">(x) * op<"pow">(a, p - 1) * scale;
  return x * op<"pow">(a, p - 2) * scale;
}

}  // namespace mt
