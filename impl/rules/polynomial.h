// Orthogonal polynomials by their three-term recurrences, each step's first product fused: torch's bits.
#pragma once

#include <cmath>
#include <limits>

#include "rules/scalar_math.h"
#include "rules/special.h"

namespace mt {

// A degree given as a floating number: its integer part; NaN and what no integer holds are no degree.
template <class T>
int64_t degree_of(T n) {
  return n > T(-1) && n < T(0x1p62) ? int64_t(n) : -1;
}

// A recurrence longer than this gives way to the polynomial's asymptotic form.
inline constexpr int64_t recurrence_limit = int64_t(1) << 20;

// From degrees 0 and 1 to n: next(p, q, k) is of degree k + 1, where p has degree k - 1 and q degree k. Ends at NaN.
template <class T, class F>
T recurrence(int64_t n, T zero, T one, F next) {
  if (n == 0) return zero;
  T p = zero, q = one;
  for (int64_t k = 1; k < n && q == q; ++k) {
    const T r = next(p, q, k);
    p = q;
    q = r;
  }
  return q;
}

// Beyond this degree torch's Hermite polynomials are NaN: they overflow at almost every x.
template <class T>
inline constexpr int64_t hermite_limit = sizeof(T) == 4 ? 128 : 512;

}  // namespace mt
