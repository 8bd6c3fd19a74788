// Reducers for p-norms: any p in double, and the common cases in loops that vectorise.
#pragma once

#include "cpu/math/vecmath.h"
#include "rules/reduction/reduction.h"

namespace mt {

template <class C>
struct NormReducer : PlainReducer<double> {
  static constexpr int lanes = 8;
  double order;
  static double init() { return 0; }
  template <class In>
  void step(double& acc, const In& v, int64_t) const {
    double a;
    if constexpr (is_complex_type<In>)
      a = __builtin_hypot(double(v.re), double(v.im));
    else
      a = __builtin_fabs(double(C(v)));
    if (order == 2)
      acc += a * a;
    else if (order == 1)
      acc += a;
    else if (order == 0)
      acc += a != 0;
    else if (order == __builtin_inf())
      acc = a > acc || a != a ? a : acc;
    else
      acc += __builtin_pow(a, order);
  }
  double merge(double a, double b) const { return order == __builtin_inf() ? (b > a || b != b ? b : a) : a + b; }
  double merge_wide(double a, double b) const { return merge(a, b); }
  double finish(double a, int64_t) const {
    if (order == 2) return __builtin_sqrt(a);
    return order == 1 || order == 0 || order == __builtin_inf() ? a : __builtin_pow(a, 1 / order);
  }
};
// The 2-norm. Sums squares of floats in float, and again in double if they may have left float's range.
template <class C>
struct EuclidReducer : PlainReducer<double> {
  static double init() { return 0; }
  static void step(double& acc, C v, int64_t) { acc += double(v) * double(v); }
  static double merge(double a, double b) { return a + b; }
  static double merge_wide(double a, double b) { return a + b; }
  static double finish(double a, int64_t) { return __builtin_sqrt(a); }
  [[gnu::always_inline]] static double fold(const C* data, int64_t n) {
    constexpr int lanes = 32;
    C acc[lanes] = {};
    cpu::walk_lanes<C, lanes>(n, [&](int j, int64_t i) { acc[j] += data[i] * data[i]; });
    const C total = cpu::merge_lanes<lanes / 2>(acc, [](C a, C b) { return a + b; });
    if (std::is_same_v<C, double> || (total > 1e-25f && total < __builtin_inff())) return total;
    double exact = 0;
    for (int64_t k = 0; k < n; ++k) step(exact, data[k], k);
    return exact;
  }
};
// Any other p, for dtypes no wider than float: powers by logarithms in double, in loops that vectorise, unlike the C library's pow;
// accurate to 1e-14 over the range of double.
struct PowerReducer : PlainReducer<double> {
  static constexpr int lanes = 16;
  double order;
  static double init() { return 0; }
  template <class In>
  [[gnu::always_inline]] void step(double& acc, const In& v, int64_t) const {
    using namespace cpu::vec::detail;
    constexpr double infinity = __builtin_inf();
    const double a = __builtin_fabs(double(float(v)));
    const LogParts log = log_parts(a);
    const double t = order * (log.e + log.log_m * 1.44269504088896340736);
    const double held = t > 1023 ? 1023 : t < -1022 ? -1022 : t;
    const double shifted = held + round_double;
    const double rest = (held - (shifted - round_double)) * 0.69314718055994530942;
    double power = exp_reduced(rest) * power_of_two(low_integer(shifted));
    power = t > 1023 ? infinity : t < -1022 ? 0 : power;
    const double at_zero = order > 0 ? 0 : infinity, at_infinity = order > 0 ? infinity : 0;
    power = a == 0 ? at_zero : a == infinity ? at_infinity : power;
    acc += a != a ? a : power;
  }
  static double merge(double a, double b) { return a + b; }
  static double merge_wide(double a, double b) { return a + b; }
  double finish(double a, int64_t) const { return __builtin_pow(a, 1 / order); }
};

}  // namespace mt
