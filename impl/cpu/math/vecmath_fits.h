// Chebyshev fits of special functions, and cheaper versions of the functions of doubles for results that are floats.
//
// A function written over `Fits` uses the same coefficients for each: ForDouble evaluates all terms; ForFloat only the leading terms, still
// in double, so that rounding to float is nearly all of its error; ForOne is small code for processors before AVX2, for floats too.
#pragma once

#include <array>
#include <bit>
#include <iterator>

#include "cpu/math/vecmath_special.h"

namespace mt::cpu::vec {

#define MT_VEC __attribute__((always_inline)) inline

// Converts a sum of the first c[k] T_k(t) to coefficients of 1, t, t^2, ...: as accurate if c decreases fast enough.
template <size_t Terms, size_t N>
constexpr std::array<double, Terms> leading_powers(const double (&c)[N]) {
  std::array<double, Terms> result{};
  long double sum[Terms] = {}, last[Terms] = {1}, now[Terms] = {0, 1};
  for (size_t k = 0; k < Terms; ++k) {
    long double next[Terms] = {};
    for (size_t i = 0; i < Terms; ++i) {
      sum[i] += c[k] * last[i];
      next[i] = (i ? 2 * now[i - 1] : 0) - last[i];
    }
    for (size_t i = 0; i < Terms; ++i) last[i] = now[i], now[i] = next[i];
  }
  for (size_t i = 0; i < Terms; ++i) result[i] = double(sum[i]);
  return result;
}
template <size_t N>
constexpr std::array<double, N> powers_of(const double (&c)[N]) {
  return leading_powers<N>(c);
}
// a[First] + a[First + 1] t + ..., Count terms, in halves (G. Estrin, 1960) to shorten the dependency chain; t is followed by its square
// and so on.
template <size_t First, size_t Count, size_t N, class... P>
MT_VEC double sum_in_halves(const std::array<double, N>& a, double power, P... lower) {
  if constexpr (Count == 1) {
    return a[First];
  } else {
    constexpr size_t low = std::bit_floor(Count - 1);
    if constexpr (low < size_t(1) << sizeof...(P))
      return sum_in_halves<First, Count>(a, lower...);
    else
      return fused(sum_in_halves<First + low, Count - low>(a, power, lower...), power, sum_in_halves<First, low>(a, power, lower...));
  }
}
// Adds the first term last: only its rounding is then significant.
template <size_t N>
MT_VEC double power_sum(const std::array<double, N>& powers, double t) {
  static_assert(N <= 33);
  const double t2 = t * t, t4 = t2 * t2, t8 = t4 * t4;
  return fused(sum_in_halves<1, N - 1>(powers, t8 * t8, t8, t4, t2, t), t, powers[0]);
}

// The number of terms of a fit such that the others are below 2^-31 of the largest: a 128th of a float's rounding error.
template <size_t N>
constexpr size_t terms_for_float(const double (&c)[N]) {
  double largest = 0, rest = 0;
  for (double term : c) largest = std::max(largest, term < 0 ? -term : term);
  for (size_t n = N; n > 2; --n) {
    rest += c[n - 1] < 0 ? -c[n - 1] : c[n - 1];
    if (rest > largest * 0x1p-31) return n;
  }
  return 2;
}

// Whether the power coefficients cancel so little that their sum is as accurate as Clenshaw's, which needs twice the steps.
template <size_t N>
constexpr bool is_steep(const double (&c)[N]) {
  double terms = 0, powers = 0;
  for (double term : c) terms += term < 0 ? -term : term;
  for (double term : powers_of(c)) powers += term < 0 ? -term : term;
  return powers < 2 * terms;
}

struct ForDouble {
  template <const auto& Fit>
  static MT_VEC double sum(double t) {
    if constexpr (is_steep(Fit)) {
      constexpr auto powers = powers_of(Fit);
      return power_sum(powers, t);
    } else {
      return chebyshev_sum(Fit, t);
    }
  }
  static MT_VEC double exp(double x) { return vec::exp(x); }
  static MT_VEC double log(double x) { return vec::log(x); }
};
struct ForFloat {
  template <const auto& Fit>
  static MT_VEC double sum(double t) {
    constexpr auto powers = leading_powers<terms_for_float(Fit)>(Fit);
    return power_sum(powers, t);
  }
  // exp and log for arguments in float's range; 1e304 stands for results too large for a float.
  static MT_VEC double exp(double x) { return detail::exp_wide(x > 700 ? 700 : x); }
  static MT_VEC double log(double x) { return detail::log_wide(x); }
};
// Small code, for functions that are computed one number at a time.
[[gnu::noinline]] inline double chebyshev_loop(const double* c, size_t n, double t) {
  double a = 0, b = 0;
  while (--n > 0) {
    const double next = 2 * t * a + (c[n] - b);
    b = a;
    a = next;
  }
  return t * a + (c[0] - b);
}
struct ForOne : ForDouble {
  template <const auto& Fit>
  static double sum(double t) {
    return chebyshev_loop(Fit, std::size(Fit), t);
  }
};

#undef MT_VEC

}  // namespace mt::cpu::vec
