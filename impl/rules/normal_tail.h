// The scaled complementary error function and what follows from it: tails of the normal distribution without underflow.
#pragma once

#include <cmath>

#include "cpu/vecmath_more.h"
#include "rules/special.h"

namespace mt {

// (1 + 2 x) exp(x^2) erfc(x) over (x - 3.75) / (x + 3.75) (M. Shepherd and J. Laframboise, 1981); coefficients of our own.
inline constexpr double erfcx_fit[] = {
    1.1775789345674017, -0.004590054580646478, -0.08424913336651792, 0.05920993999819189, -0.026658668435305753, 0.009074997670705265,
    -0.002413163540417608, 0.0004907758365258086, -6.916973302501207e-05, 4.13902798607301e-06, 7.74038306619849e-07,
    -2.1886401049234397e-07, 1.076499946567091e-08, 4.521959811218287e-09, -7.754400208831351e-10, -6.318088340886684e-11,
    2.86879501093067e-11, 1.9455868545777347e-13, -9.65469674843344e-13, 3.25254814814874e-14, 3.3478119482868056e-14,
    -1.864562880419313e-15, -1.2507950530688648e-15, 7.418235256624044e-17, 5.068148904796111e-17, -2.2370566594359995e-18,
    -2.187342944303018e-18,
};

inline double scaled_erfc(double x) {
  if (!(x < __builtin_inf())) return x != x ? x : 0;
  if (x < -26.7) return __builtin_inf();
  const double a = std::fabs(x);
  const double upper = a > 1e15 ? 0.56418958354775628695 / a : chebyshev_sum(erfcx_fit, (a - 3.75) / (a + 3.75)) / (1 + 2 * a);
  return x < 0 ? 2 * std::exp(x * x) - upper : upper;
}

// The logarithm of the normal distribution function.
inline double log_normal_cdf(double x) {
  const double z = x * 0.70710678118654752440;
  return x < -1 ? std::log(scaled_erfc(-z) / 2) - z * z : std::log1p(-std::erfc(z) / 2);
}

}  // namespace mt
