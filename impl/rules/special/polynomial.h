// Orthogonal polynomials by their three-term recurrences, with each step's first product fused: torch's bits.
//
// Elements are computed in parallel, each to its own degree (polynomial.cpp); where the recurrence does not apply, the operator's function
// of one number computes the element.
#pragma once

#include <cmath>
#include <limits>

#include "rules/pointwise/scalar_math.h"
#include "rules/special/special.h"

namespace mt {

// The integer part of a degree that is given as a floating-point number; -1 for NaN and numbers beyond int64, which are no degrees.
template <class T>
int64_t degree_of(T n) {
  return n > T(-1) && n < T(0x1p62) ? int64_t(n) : -1;
}

// Above this degree the polynomial's asymptotic form replaces the recurrence.
inline constexpr int64_t recurrence_limit = int64_t(1) << 20;
// Elements of one tile are computed together up to this degree.
inline constexpr int32_t highest_together = 128;

// The linear function at + per * y of the variable y, or at + per * k of the step k. The default `at` is -0, since adding -0 changes no
// sign.
struct Line {
  double per, at = -0.0;
};
// p(0) = 1, p(1) = first, p(k + 1) = ((slope y + shift) p(k) - back p(k - 1)) / (k + 1), or without the division; slope, shift and back are
// linear in k.
struct ThreeTerms {
  Line y{1};  // of x
  Line first{1};
  Line slope{-0.0, 2}, shift{-0.0}, back{-0.0, 1};
  bool divides = false;
  int32_t oscillates_from = highest_together + 1;  // from this degree on, |y| < 1 is not computed by the recurrence

  template <class T>
  static T evaluate_line(Line line, T y) {
    return std::fma(T(line.per), y, T(line.at));
  }
  // The value of `line` at step k, exact before it is rounded to T.
  template <class T>
  T coefficient_at(Line line, int64_t k) const {
    return T(line.per * double(k) + line.at);
  }
};

// The polynomial of degree n at x, by the recurrence, which stops at NaN.
template <class T>
T evaluate_recurrence(const ThreeTerms& terms, int64_t n, T x) {
  const T y = ThreeTerms::evaluate_line(terms.y, x);
  if (n == 0) return T(1);
  T p = 1, q = ThreeTerms::evaluate_line(terms.first, y);
  for (int64_t k = 1; k < n && q == q; ++k) {
    const T slope = std::fma(terms.coefficient_at<T>(terms.slope, k), y, terms.coefficient_at<T>(terms.shift, k));
    T r = std::fma(slope, q, -(terms.coefficient_at<T>(terms.back, k) * p));
    if (terms.divides) r /= T(k + 1);
    p = q;
    q = r;
  }
  return q;
}

// Beyond this degree torch's Hermite polynomials are NaN: they overflow at almost every x.
template <class T>
inline constexpr int64_t hermite_limit = sizeof(T) == 4 ? 128 : 512;

namespace detail {
inline constexpr int64_t polynomial_tile = 128;
// Evaluates up to polynomial_tile elements. Marks in `left` each element that the function of one number must compute; returns whether
// there are any.
template <class T>
bool evaluate_in_lockstep(const ThreeTerms& terms, const T* x, const T* degrees, T* out, int32_t* left, int64_t n);

template <const ThreeTerms& Terms, auto One, class T>
void polynomial_loop(void* out, const void* const* in, int64_t n) {
  for (int64_t begin = 0; begin < n; begin += polynomial_tile) {
    const T* const x = static_cast<const T*>(in[0]) + begin;
    const T* const degrees = static_cast<const T*>(in[1]) + begin;
    const int64_t count = std::min(polynomial_tile, n - begin);
    T tile[polynomial_tile];  // the result may overwrite an operand
    int32_t left[polynomial_tile];
    if (evaluate_in_lockstep(Terms, x, degrees, tile, left, count))
      for (int64_t i = 0; i < count; ++i)
        if (left[i]) tile[i] = One(x[i], degrees[i]);
    std::memcpy(static_cast<T*>(out) + begin, tile, size_t(count) * sizeof(T));
  }
}
}  // namespace detail

// The kernel of a polynomial that One(x, degree) computes for one number.
template <const ThreeTerms& Terms, auto One>
PointwiseKernel polynomial_kernel(const char* name) {
  PointwiseKernel k{};
  k.name = name;
  k.inputs = 2;
  k.dtypes = float_and_double;
  for (int level = 0; level < 3; ++level) {
    k.loops[loop_slot_of(Dtype::float32)][level] = detail::polynomial_loop<Terms, One, float>;
    k.loops[loop_slot_of(Dtype::float64)][level] = detail::polynomial_loop<Terms, One, double>;
  }
  k.results[loop_slot_of(Dtype::float32)] = Dtype::float32;
  k.results[loop_slot_of(Dtype::float64)] = Dtype::float64;
  return k.with_grain(2048);
}

}  // namespace mt
