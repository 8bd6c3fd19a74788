// Special functions of doubles, each compiled once for one number and for vectors of them: written out in every loop they would be
// the longest code of the library. Called as the functions of doubles in vecmath.h are.
#pragma once

#include <cstddef>

#include "vecmath_more.h"

#if !defined(MT_DEFINES_SPECIAL_CALLS)
#define MT_SPECIAL_CALL MT_VECTOR_CALL
#else
#define MT_SPECIAL_CALL extern "C" __attribute__((const, nothrow, visibility("hidden")))
#endif
MT_SPECIAL_CALL double mt_vec_bessel_i0e(double);
MT_SPECIAL_CALL double mt_vec_bessel_i1e(double);
MT_SPECIAL_CALL double mt_vec_bessel_j0(double);
MT_SPECIAL_CALL double mt_vec_inverse_erf(double, double);
#undef MT_SPECIAL_CALL

namespace mt::cpu::vec {

#define MT_VEC __attribute__((always_inline)) inline

namespace detail {
template <size_t K, size_t N>
MT_VEC void chebyshev_steps(const double (&c)[N], double twice, double& a, double& b) {
  if constexpr (K > 0) {
    const double next = c[K] + twice * a - b;
    b = a;
    a = next;
    chebyshev_steps<K - 1>(c, twice, a, b);
  }
}
}  // namespace detail

// sum of c[k] T_k(t) for t in [-1, 1] (C. Clenshaw, 1955). Written out, so that a loop over it vectorises.
template <size_t N>
MT_VEC double chebyshev_sum(const double (&c)[N], double t) {
  double a = 0, b = 0;
  detail::chebyshev_steps<N - 1>(c, 2 * t, a, b);
  return c[0] + t * a - b;
}

// erfinv(x) where 1 - x^2 is `complement`, which may be closer to 0 than x tells. NaN where it is negative, and infinite at 0. 4 ULP.
MT_VEC double inverse_erf(double x, double complement) { return mt_vec_inverse_erf(x, complement); }

// exp(-|x|) I_0(x), 6 ULP, and exp(-|x|) I_1(x), 9 ULP.
MT_VEC double bessel_i0e(double x) { return mt_vec_bessel_i0e(x); }
MT_VEC double bessel_i1e(double x) { return mt_vec_bessel_i1e(x); }
// J_0(x), NaN at infinity: to 2e-15 / sqrt(1 + |x|), and 8 ULP for |x| <= 8.
MT_VEC double bessel_j0(double x) { return mt_vec_bessel_j0(x); }

#undef MT_VEC

}  // namespace mt::cpu::vec
