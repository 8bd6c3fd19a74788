// Modified Bessel functions of order 0 and 1: adds the exponential factor to the scaled forms in cpu/math/vecmath_special.h.
#pragma once

#include "rules/special/special.h"

namespace mt {

namespace detail {
#define MT_FORCED [[gnu::always_inline]] inline
// scaled * exp(|x|), where the exponential may overflow but the product does not; NaN at infinity, as in torch.
MT_FORCED double multiply_exp(double x, double scaled) {
  const double half = cpu::vec::exp(__builtin_fabs(x) / 2);
  return half * scaled * half;
}
MT_FORCED double multiply_exp(float x, double scaled) {
  const double size = __builtin_fabsf(x), half = cpu::vec::detail::exp_wide(size > 300 ? 150.0 : size / 2);
  return half * scaled * cpu::vec::detail::select(size > 300, __builtin_inf(), half);
}
MT_FORCED double exp_nonpositive(double x) { return cpu::vec::exp(-x); }
MT_FORCED double exp_nonpositive(float x) { return cpu::vec::detail::exp_wide(x > 300 ? -300.0 : -double(x)); }
}  // namespace detail

template <class T>
MT_FORCED T bessel_i0(T x) {
  return T(detail::multiply_exp(x, cpu::vec::unrounded_bessel_i0e(x)));
}
template <class T>
MT_FORCED T bessel_i1(T x) {
  return T(detail::multiply_exp(x, cpu::vec::unrounded_bessel_i1e(x)));
}
template <class T>
MT_FORCED T bessel_k0(T x) {
  return T(cpu::vec::unrounded_bessel_k0e(x) * detail::exp_nonpositive(x));
}
template <class T>
MT_FORCED T bessel_k1(T x) {
  return T(cpu::vec::unrounded_bessel_k1e(x) * detail::exp_nonpositive(x));
}
#undef MT_FORCED

}  // namespace mt
