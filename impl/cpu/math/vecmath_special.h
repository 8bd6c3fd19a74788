// Special functions of doubles, each compiled once for one number and once per vector size: inlined into every loop they would be the
// longest code in the library. Called like the functions of doubles in vecmath.h.
#pragma once

#include <cstddef>

#include "cpu/math/vecmath_more.h"

#if !defined(MT_DEFINES_SPECIAL_CALLS)
#define MT_SPECIAL_CALL MT_VECTOR_CALL
#else
#define MT_SPECIAL_CALL extern "C" __attribute__((const, nothrow, visibility("hidden")))
#endif
#define MT_BESSELS(DO) DO(bessel_i0e) DO(bessel_i1e) DO(bessel_j0) DO(bessel_j1) DO(bessel_y0) DO(bessel_y1) DO(bessel_k0e) DO(bessel_k1e)
// float_...: for a float, and only as accurate as a float needs.
#define MT_DECLARE(name)                        \
  MT_SPECIAL_CALL double mt_vec_##name(double); \
  MT_SPECIAL_CALL double mt_vec_float_##name(double);
// clang-format off: these end without semicolons
MT_BESSELS(MT_DECLARE)
MT_DECLARE(scaled_erfc)
#undef MT_DECLARE
// clang-format on
MT_SPECIAL_CALL double mt_vec_inverse_erf(double, double);
MT_SPECIAL_CALL double mt_vec_lgamma(double);
#undef MT_SPECIAL_CALL

namespace mt::cpu::vec {

#define MT_VEC __attribute__((always_inline)) inline

namespace detail {
template <size_t K, size_t N>
MT_VEC void chebyshev_steps(const double (&c)[N], double twice, double& a, double& b) {
  if constexpr (K > 0) {
    const double next = fused(twice, a, c[K] - b);
    b = a;
    a = next;
    chebyshev_steps<K - 1>(c, twice, a, b);
  }
}
}  // namespace detail

// sum of c[k] T_k(t) for t in [-1, 1] (C. Clenshaw, 1955). Unrolled, so that a loop over it vectorises.
template <size_t N>
MT_VEC double chebyshev_sum(const double (&c)[N], double t) {
  double a = 0, b = 0;
  detail::chebyshev_steps<N - 1>(c, 2 * t, a, b);
  return fused(t, a, c[0] - b);
}

// erfinv(x), given `complement` = 1 - x^2, which may be more accurate than x near 1. NaN if it is negative, infinite at 0. 4 ULP.
MT_VEC double inverse_erf(double x, double complement) { return mt_vec_inverse_erf(x, complement); }

// log|gamma(x)|, infinite at 0 and the negative integers: 7 ULP; for negative x in ULP of log|gamma(1 - x)|.
MT_VEC double lgamma(double x) { return mt_vec_lgamma(x); }

// exp(-|x|) I_0(x) and exp(-|x|) I_1(x): 12 ULP. J_0(x) and J_1(x), NaN at infinity: error
// 2e-15 / sqrt(1 + |x|), and 9 ULP for |x| <= 8. Y_0(x) and Y_1(x), -inf at 0, NaN below 0
// and at infinity: 6 ULP, or 2e-15 / sqrt(1 + x) where they oscillate around 0. exp(x)
// K_0(x) and exp(x) K_1(x), infinite at 0, NaN below: 8 ULP. exp(x^2) erfc(x): 7 ULP. For
// floats all are within 0.6 ULP, except J and Y near their zeros: 1e-9 / sqrt(1 + |x|) and
// twice that. unrounded_...: returns a double for a float argument too, for further
// computation.
#define MT_SPECIAL(name)                                                                          \
  MT_VEC double unrounded_##name(double x) { return mt_vec_##name(x); }                           \
  MT_VEC double unrounded_##name(float x) { return mt_vec_float_##name(static_cast<double>(x)); } \
  template <class T>                                                                              \
  MT_VEC T name(T x) {                                                                            \
    return static_cast<T>(unrounded_##name(x));                                                   \
  }
MT_BESSELS(MT_SPECIAL) MT_SPECIAL(scaled_erfc)
#undef MT_SPECIAL

#undef MT_VEC

}  // namespace mt::cpu::vec
