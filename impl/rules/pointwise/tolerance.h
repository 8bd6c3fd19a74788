// The absolute and relative tolerances of rank and pseudo-inverse, and their defaults.
#pragma once

#include "core/messages.h"
#include "rules/linalg/linalg.h"

namespace mt {

struct Tolerance {
  Tensor atol, rtol;
};
inline void check_tolerance(const char* name, const char* argument, const Tensor& t) {
  if (t.defined() && is_complex(t.dtype())) fail("{}: {} tensor of complex type is not supported. Got {}", name, argument, t.dtype());
}
inline Tensor make_number_tensor(const Tensor& like, std::optional<double> number) {
  return number ? op<"full">(IntList{}, *number, Dtype::float64, nullptr, like.device()) : Tensor();
}
// Without `rtol`: 0 if `atol` is above zero, else the rounding error for a matrix of this size.
inline Tolerance tolerance_of(const Tensor& a, const Tensor& atol, const Tensor& rtol) {
  Tolerance t{atol.defined() ? atol : op<"zeros">(IntList{}, real_of(a.dtype()), nullptr, a.device()), rtol};
  if (rtol.defined()) return t;
  check(is_differentiable(a.dtype()) && !is_half(a.dtype()), messages::only_float_and_double);
  const double rounding = machine_epsilon(a.dtype()) * double(std::max(a.size(-1), a.size(-2)));
  t.rtol = op<"full">(IntList{}, rounding, real_of(a.dtype()), nullptr, a.device());
  if (atol.defined()) t.rtol = op<"where">(op<"gt">(atol, 0), op<"zeros_like">(t.rtol), t.rtol);
  return t;
}

}  // namespace mt
