// Functions about the gamma function, in double: Hurwitz's zeta function and the incomplete gamma functions.
#pragma once

#include <cmath>

namespace mt {

// The sum of (q + k)^-s for s > 1 and q > 0: some terms, then the formula of Euler and Maclaurin.
inline double hurwitz_tail(double s, double q) {
  double sum = 0, a = q;
  // Far enough that the formula's terms fall by a factor of 4 at least, which 20 terms from a = 10 + s / 2 on see to.
  for (int i = 0; a < 10 + s / 2 && i < 600; ++i, a += 1) {
    const double term = std::pow(a, -s);
    sum += term;
    if (term < 1e-18 * sum) return sum;
  }
  const double last = std::pow(a, -s);
  sum += last * (a / (s - 1) + 0.5);
  // B(2k) / (2k)!, each 1 / (4 pi^2) of the one before from the second on.
  constexpr double bernoulli[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000,
                                  1.0 / 74724249600, -3617.0 / 10670622842880000, 43867.0 / 5109094217170944000.0};
  double factor = s, power = last / a;
  for (int k = 0; k < 9; ++k) {
    const double term = bernoulli[k] * factor * power;
    sum += term;
    if (std::fabs(term) < 1e-18 * sum) break;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2);
    power /= a * a;
  }
  return sum;
}
inline double hurwitz_zeta(double s, double q) {
  if (s == 1) return __builtin_inf();
  if (!(s > 1) || q != q) return __builtin_nan("");
  if (q > 0) return hurwitz_tail(s, q);
  if (q == std::floor(q)) return __builtin_inf();
  if (s != std::floor(s)) return __builtin_nan("");
  // The terms below zero run through |q|, |q| - 1, ... down to its fraction: a difference of two sums.
  const double size = -q, fraction = size - std::floor(size);
  const double below = hurwitz_tail(s, fraction) - hurwitz_tail(s, size + 1);
  return (std::fmod(s, 2) == 0 ? below : -below) + hurwitz_tail(s, 1 - fraction);
}

namespace incomplete_gamma {

// log(1 + m) - m for |m| < 0.5.
inline double log1p_rest(double m) {
  const double r = m / (2 + m), z = r * r;
  double series = 0;
  for (int k = 16; k >= 0; --k) series = series * z + 1.0 / (2 * k + 3);
  return r * (2 * z * series - m);
}
// x^a exp(-x) / gamma(a + 1).
inline double prefix(double a, double x) {
  const double m = (x - a) / a;
  if (a < 20 || std::fabs(m) >= 0.5) return std::exp(a * std::log(x) - x - std::lgamma(a + 1));
  const double i = 1 / a, z = i * i;
  const double stirling = i * (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188))));
  return std::exp(a * log1p_rest(m) - stirling) * 0.39894228040143267794 / std::sqrt(a);
}
// P(a, x) by its power series, for x up to about a.
inline double lower_series(double a, double x) {
  double sum = 1, term = 1;
  for (int n = 1; n < 5000; ++n) {
    term *= x / (a + n);
    sum += term;
    if (term < 1e-17 * sum) break;
  }
  return prefix(a, x) * sum;
}
// Q(a, x) by its continued fraction (W. Lentz, 1976), for x from about a on.
inline double upper_fraction(double a, double x) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / (b != 0 ? b : tiny), h = d;
  for (int n = 1; n < 5000; ++n) {
    const double an = -n * (n - a);
    b += 2;
    d = an * d + b;
    c = b + an / c;
    d = 1 / (std::fabs(d) < tiny ? tiny : d);
    c = std::fabs(c) < tiny ? tiny : c;
    h *= d * c;
    if (std::fabs(d * c - 1) < 1e-16) break;
  }
  return prefix(a, x) * a * h;
}
// Q(a, x) for small a and x, without the cancellation of 1 - P.
inline double upper_small(double a, double x) {
  double term = 1, sum = 0;
  for (int n = 1; n < 60; ++n) {
    term *= -x / n;
    sum += term / (a + n);
    if (std::fabs(term) < 1e-18) break;
  }
  const double power = a * std::log(x) - std::lgamma(a + 1);
  return -std::expm1(power) - a * std::exp(power) * sum;
}
// Q(a, x) - erfc(..) / 2 for large a and x near a (N. Temme, 1979): two terms of the uniform expansion, as series in eta.
inline double uniform_rest(double a, double eta) {
  constexpr double c0[] = {-0.3333333333333333,    0.08333333333333333,    -0.014814814814814815,  0.0011574074074074073,
                           0.0003527336860670194,  -0.0001787551440329218, 3.919263178522438e-05,  -2.185448510679992e-06,
                           -1.85406221071516e-06,  8.296711340953087e-07,  -1.7665952736826078e-07, 6.707853543401498e-09,
                           1.0261809784240309e-08, -4.382036018453353e-09, 9.14769958223679e-10};
  constexpr double c1[] = {-0.001851851851851852,   -0.003472222222222222,   0.0026455026455026454, -0.0009902263374485596,
                           0.00020576131687242798, -4.018775720164609e-07, -1.8098550334489977e-05, 7.64916091608111e-06};
  double s0 = 0, s1 = 0;
  for (int k = 14; k >= 0; --k) s0 = s0 * eta + c0[k];
  for (int k = 7; k >= 0; --k) s1 = s1 * eta + c1[k];
  return std::exp(-a * eta * eta / 2) * 0.39894228040143267794 / std::sqrt(a) * (s0 + s1 / a);
}

}  // namespace incomplete_gamma

// P(a, x), or Q(a, x) = 1 - P(a, x) for `upper`.
inline double regularized_gamma(double a, double x, bool upper) {
  using namespace incomplete_gamma;
  if (!(a >= 0) || !(x >= 0)) return __builtin_nan("");
  if (a == 0) return x > 0 ? (upper ? 0 : 1) : __builtin_nan("");
  if (x == 0) return upper ? 1 : 0;
  if (std::isinf(a)) return std::isinf(x) ? __builtin_nan("") : upper ? 1 : 0;
  if (std::isinf(x)) return upper ? 0 : 1;
  const double m = (x - a) / a;
  if (a > 1e4 && std::fabs(m) < 0.3) {
    const double eta = std::copysign(std::sqrt(-2 * log1p_rest(m)), m), rest = uniform_rest(a, eta);
    const double z = eta * std::sqrt(a / 2);
    return upper ? std::erfc(z) / 2 + rest : std::erfc(-z) / 2 - rest;
  }
  if (upper && x <= 1.1 && a < 1) return upper_small(a, x);
  if (x < a + 1) {
    const double p = lower_series(a, x);
    return upper ? 1 - p : p;
  }
  const double q = upper_fraction(a, x);
  return upper ? q : 1 - q;
}

}  // namespace mt
