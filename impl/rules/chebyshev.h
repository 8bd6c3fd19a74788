// Sums of Chebyshev polynomials, for special functions that are fitted over an interval.
#pragma once

#include <cstddef>

namespace mt {

// sum of c[k] T_k(t) for t in [-1, 1] (C. Clenshaw, 1955).
template <size_t N>
[[gnu::always_inline]] inline double chebyshev_sum(const double (&c)[N], double t) {
  double a = 0, b = 0;
  for (size_t k = N - 1; k > 0; --k) {
    const double next = c[k] + 2 * t * a - b;
    b = a;
    a = next;
  }
  return c[0] + t * a - b;
}

}  // namespace mt
