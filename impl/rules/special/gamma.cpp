// Hurwitz's zeta function and the incomplete gamma functions: one number at a time, for loops of every type and level.
#include "rules/special/gamma.h"

#include <cmath>
#include <utility>

namespace mt {
namespace {

// a^-s, by multiplication if s is an integer so small that rounding errors stay below 16 units.
double inverse_power(double a, double s) {
  if (s != std::floor(s) || s > 16) return std::pow(a, -s);
  double power = 1;
  for (int n = int(s); n > 0; n >>= 1, a *= a)
    if (n & 1) power *= a;
  return 1 / power;
}
// `sum` plus the sum of (q + k)^-s for s > 1 and q > 0: some terms, then the Euler-Maclaurin formula.
double hurwitz_tail(double s, double q, double sum) {
  double a = q;
  // Sums terms until the formula's terms fall by a factor of at least 4, which its 20 terms need: from a = 10 + s / 2 on.
  for (int i = 0; a < 10 + s / 2 && i < 600; ++i, a += 1) {
    const double term = inverse_power(a, s);
    sum += term;
    if (term < 1e-18 * std::fabs(sum)) return sum;
  }
  const double last = inverse_power(a, s);
  sum += last * (a / (s - 1) + 0.5);
  // B(2k) / (2k)!; from the second on, each is 1 / (4 pi^2) of the one before.
  constexpr double bernoulli[] = {1.0 / 12,
                                  -1.0 / 720,
                                  1.0 / 30240,
                                  -1.0 / 1209600,
                                  1.0 / 47900160,
                                  -691.0 / 1307674368000,
                                  1.0 / 74724249600,
                                  -3617.0 / 10670622842880000,
                                  43867.0 / 5109094217170944000.0};
  double factor = s, power = last / a;
  for (int k = 0; k < 9; ++k) {
    const double term = bernoulli[k] * factor * power;
    sum += term;
    if (std::fabs(term) < 1e-18 * std::fabs(sum)) break;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2);
    power /= a * a;
  }
  return sum;
}

}  // namespace

double hurwitz_zeta(double s, double q) {
  if (s == 1) return __builtin_inf();
  if (s < 1 || q != q) return __builtin_nan("");
  if (q <= 0 && q == std::floor(q)) return __builtin_inf();  // even where s is NaN, as torch has it
  if (s != s) return s;
  if (q > 0) return hurwitz_tail(s, q, 0);
  if (s != std::floor(s)) return __builtin_nan("");
  if (q > -30) {  // few terms below zero
    double sum = 0;
    for (; q < 0; q += 1) sum += inverse_power(q, s);
    return hurwitz_tail(s, q, sum);
  }
  // The terms below zero run through |q|, |q| - 1, ... down to the fractional part: a difference of two sums.
  const double size = -q, fraction = size - std::floor(size);
  const double below = hurwitz_tail(s, fraction, 0) - hurwitz_tail(s, size + 1, 0);
  return (std::fmod(s, 2) == 0 ? below : -below) + hurwitz_tail(s, 1 - fraction, 0);
}

namespace {

// log(1 + m) - m for |m| < 0.5: the series in two independent halves.
double log1p_minus_argument(double m) {
  const double r = m / (2 + m), z = r * r, square = z * z;
  double even = 0, odd = 0;
#pragma GCC unroll 9
  for (int k = 16; k >= 0; k -= 2) {
    even = even * square + 1.0 / (2 * k + 3);
    odd = odd * square + 1.0 / (2 * k + 5);
  }
  return r * (2 * z * (even + z * odd) - m);
}
// log gamma(y) minus the leading terms of Stirling's series, for y >= 7.
double stirling_correction(double y) {
  const double i = 1 / y, z = i * i;
  double series = 43867.0 / 244188;
  for (double c : {3617.0 / 122400, 1.0 / 156, 691.0 / 360360, 1.0 / 1188, 1.0 / 1680, 1.0 / 1260, 1.0 / 360, 1.0 / 12})
    series = c - z * series;
  return i * series;
}
// x^a exp(-x) / gamma(a + 1).
double gamma_power_prefix(double a, double x) {
  constexpr double inverse_root = 0.39894228040143267794;  // 1 / sqrt(2 pi)
  const double m = (x - a) / a;
  if (a >= 20 && std::fabs(m) < 0.5) return std::exp(a * log1p_minus_argument(m) - stirling_correction(a)) * inverse_root / std::sqrt(a);
  // Stirling's series for gamma(y), y = a + 1, directly or after six recurrence steps; integer powers of y stay outside the exponential.
  double y = a + 1, steps = 1;
  if (y < 7) {
    y = a + 7;
    const double square = y * y;
    steps = ((a + 1) * (a + 2)) * ((a + 3) * (a + 4)) * ((a + 5) * (a + 6)) / (square * square * square);
  }
  return steps * inverse_root / std::sqrt(y) * std::exp(a * std::log(x / y) + (y - x) - stirling_correction(y));
}
// P(a, x) by its power series, for x up to about a.
double lower_series(double a, double x, double tolerance) {
  double sum = 1, term = 1;
  for (int n = 1; n < 5000; ++n) {
    term *= x / (a + n);
    sum += term;
    if (term < tolerance * sum) break;
  }
  return gamma_power_prefix(a, x) * sum;
}
// Q(a, x) by its continued fraction, for x from about a on: numerators and denominators forward, so that no step waits for a division.
double upper_continued_fraction(double a, double x, double tolerance) {
  double b = x + 1 - a, p = 1, q = b, last_p = 0, last_q = 1, h = p / q;
  const auto step = [&](double n) {
    const double an = n * (a - n);
    b += 2;
    last_p = std::exchange(p, b * p + an * last_p);
    last_q = std::exchange(q, b * q + an * last_q);
  };
  for (int n = 1; n < 5000; n += 2) {
    step(n);
    step(n + 1);
    const double last = std::exchange(h, p / q);
    if (std::fabs(h - last) <= tolerance * 3 * std::fabs(h)) break;
    if (std::fabs(q) > 1e200) p *= 1e-200, q *= 1e-200, last_p *= 1e-200, last_q *= 1e-200;
  }
  return gamma_power_prefix(a, x) * a * h;
}
// Q(a, x) for small a and x, without the cancellation of 1 - P.
double upper_gamma_of_small(double a, double x, double tolerance) {
  double term = 1, sum = 0;
  for (int n = 1; n < 60; ++n) {
    term *= -x / n;
    sum += term / (a + n);
    if (std::fabs(term) < tolerance * 0.1) break;
  }
  const double less = std::expm1(a * std::log(x) - std::lgamma(a + 1));
  return -less - a * (1 + less) * sum;
}
// Q(a, x) - erfc(..) / 2 for large a and x near a (N. Temme, 1979): two terms of the uniform expansion, as series in eta.
double uniform_expansion_correction(double a, double eta) {
  constexpr double c0[] = {-0.3333333333333333,    0.08333333333333333,    -0.014814814814814815,   0.0011574074074074073,
                           0.0003527336860670194,  -0.0001787551440329218, 3.919263178522438e-05,   -2.185448510679992e-06,
                           -1.85406221071516e-06,  8.296711340953087e-07,  -1.7665952736826078e-07, 6.707853543401498e-09,
                           1.0261809784240309e-08, -4.382036018453353e-09, 9.14769958223679e-10};
  constexpr double c1[] = {-0.001851851851851852,  -0.003472222222222222,  0.0026455026455026454,   -0.0009902263374485596,
                           0.00020576131687242798, -4.018775720164609e-07, -1.8098550334489977e-05, 7.64916091608111e-06};
  double s0 = 0, s1 = 0;
  for (int k = 14; k >= 0; --k) s0 = s0 * eta + c0[k];
  for (int k = 7; k >= 0; --k) s1 = s1 * eta + c1[k];
  return std::exp(-a * eta * eta / 2) * 0.39894228040143267794 / std::sqrt(a) * (s0 + s1 / a);
}

// Computes P or Q; the other one is its complement.
struct RegularizedGamma {
  double value;
  bool is_upper;
};
RegularizedGamma regularized_gamma(double a, double x, double tolerance, bool wants_upper) {
  if (a < 0 || x < 0) return {__builtin_nan(""), wants_upper};
  if (a == 0) return {x > 0 ? 1 : __builtin_nan(""), false};
  if (x == 0) return {0, false};
  if (std::isinf(a)) return {std::isinf(x) ? __builtin_nan("") : 0, false};
  if (std::isinf(x)) return {0, true};
  if (a != a || x != x) return {__builtin_nan(""), wants_upper};  // below the cases in which torch does not look at one of them
  const double m = (x - a) / a;
  if (a > 1e4 && std::fabs(m) < 0.3) {
    const double eta = std::copysign(std::sqrt(-2 * log1p_minus_argument(m)), m), rest = uniform_expansion_correction(a, eta);
    const double z = eta * std::sqrt(a / 2);
    return {wants_upper ? std::erfc(z) / 2 + rest : std::erfc(-z) / 2 - rest, wants_upper};
  }
  if (wants_upper && x <= 1.1 && a < 1) return {upper_gamma_of_small(a, x, tolerance), true};
  if (x < a + 1) return {lower_series(a, x, tolerance), false};
  return {upper_continued_fraction(a, x, tolerance), true};
}

}  // namespace

double lower_regularized_gamma(double a, double x, double tolerance) {
  const RegularizedGamma share = regularized_gamma(a, x, tolerance, /*wants_upper=*/false);
  return share.is_upper ? 1 - share.value : share.value;
}
double upper_regularized_gamma(double a, double x, double tolerance) {
  const RegularizedGamma share = regularized_gamma(a, x, tolerance, /*wants_upper=*/true);
  return share.is_upper ? share.value : 1 - share.value;
}

}  // namespace mt
