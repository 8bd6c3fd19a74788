// What special functions share: the dtypes that most of them have, and sums of Chebyshev polynomials.
#pragma once

#include "rules/algebra.h"
#include "rules/pointwise.h"

namespace mt {

inline constexpr Dtypes float_and_double{dtype_bit(Dtype::float32) | dtype_bit(Dtype::float64)};

namespace detail {
template <size_t K, size_t N>
[[gnu::always_inline]] inline void chebyshev_steps(const double (&c)[N], double twice, double& a, double& b) {
  if constexpr (K > 0) {
    const double next = c[K] + twice * a - b;
    b = a;
    a = next;
    chebyshev_steps<K - 1>(c, twice, a, b);
  }
}
}  // namespace detail

// The first terms of chebyshev_sum.
template <size_t Terms, size_t N>
[[gnu::always_inline]] inline double chebyshev_head(const double (&c)[N], double t) {
  double a = 0, b = 0;
  detail::chebyshev_steps<Terms - 1>(c, 2 * t, a, b);
  return c[0] + t * a - b;
}
// sum of c[k] T_k(t) for t in [-1, 1] (C. Clenshaw, 1955). Written out, so that a loop over it vectorises.
template <size_t N>
[[gnu::always_inline]] inline double chebyshev_sum(const double (&c)[N], double t) {
  return chebyshev_head<N>(c, t);
}

}  // namespace mt
