// More elementary functions in straight-line scalar code: inverse trigonometric and hyperbolic ones, hypot, erfc (vecmath.h's is scalar),
// lgamma.
//
// As in vecmath.h: errors against long double over the sweeps of tests/cpp/cpu_vecmath_test.cpp, in units in the last place; NaN,
// infinities and signed zeros as in C. Floats are computed in double, so that only the final rounding is inexact.
#pragma once

#include "cpu/math/vecmath.h"

namespace mt::cpu::vec {

#define MT_VEC __attribute__((always_inline)) inline

namespace detail {

MT_VEC double copy_sign(double magnitude, double sign) {
  return std::bit_cast<double>((std::bit_cast<uint64_t>(magnitude) & 0x7fffffffffffffffu) |
                               (std::bit_cast<uint64_t>(sign) & 0x8000000000000000u));
}

// Bitwise, since the compiler would turn ?: into a branch around one side's long computation.
MT_VEC double select(bool condition, double yes, double no) {
  const uint64_t mask = 0u - static_cast<uint64_t>(condition);
  return std::bit_cast<double>((std::bit_cast<uint64_t>(yes) & mask) | (std::bit_cast<uint64_t>(no) & ~mask));
}

// atan(t) for 0 <= t <= 1, to 3e-9.
MT_VEC double atan_unit(double t) {
  const double z = t * t;
  double p = -0.0017936462744625836;
  p = fused(p, z, 0.010914712482461725);
  p = fused(p, z, -0.031178038678746103);
  p = fused(p, z, 0.057957781178556655);
  p = fused(p, z, -0.08403460966008239);
  p = fused(p, z, 0.10952189324763179);
  p = fused(p, z, -0.14264242347480285);
  p = fused(p, z, 0.19998548346655318);
  p = fused(p, z, -0.333332990911406);
  return fused(t * z, p, t);
}
// asin(t) for |t| <= 1/2 with z = t^2, to 3e-10.
MT_VEC double asin_half(double t, double z) {
  double p = 0.03751646171103496;
  p = fused(p, z, 0.014438600071816398);
  p = fused(p, z, 0.03180771830796145);
  p = fused(p, z, 0.044516955458913134);
  p = fused(p, z, 0.0750050418059043);
  p = fused(p, z, 0.16666659991436897);
  return fused(t * z, p, t);
}
// e^x for |x| < 700, to about 1e-14.
MT_VEC double exp_wide(double x) {
  const double shifted = fused(x, 1.44269504088896340736, round_double);
  const double r = fused(shifted - round_double, -0.69314718055994530942, x);
  return exp_reduced(r) * power_of_two(low_integer(shifted));
}
// The logarithm of a positive normal double, with relative error about 1e-13.
MT_VEC double log_wide(double x) {
  const LogParts parts = log_parts(x);
  return fused(parts.e, 0.69314718055994530942, parts.log_m);
}

// x minus the nearest integer; 0 for |x| >= 1e9.
MT_VEC double from_nearest(double x) {
  const double below = x > 1e9 ? 1e9 : x, bounded = below < -1e9 ? -1e9 : below;
  return bounded - ((bounded + round_double) - round_double);
}

constexpr double half_pi = 1.57079632679489661923;
constexpr double pi = 3.14159265358979323846;

}  // namespace detail

// 0.6 ULP; all x.
MT_VEC float atan(float x) {
  const double a = detail::magnitude(static_cast<double>(x));
  const bool large = a > 1.0;
  const double y = detail::atan_unit(large ? 1.0 / a : a);
  return static_cast<float>(detail::copy_sign(large ? detail::half_pi - y : y, static_cast<double>(x)));
}

// 0.6 ULP; all x and y.
MT_VEC float atan2(float y, float x) {
  const double ay = detail::magnitude(static_cast<double>(y)), ax = detail::magnitude(static_cast<double>(x));
  const bool steep = ay > ax;
  const double low = steep ? ax : ay, high = steep ? ay : ax;
  double t = low / high;
  t = high == 0.0 ? 0.0 : t;                                          // both zero
  t = low == std::numeric_limits<double>::infinity() ? 1.0 : t;       // both infinite
  double r = detail::atan_unit(t);
  r = steep ? detail::half_pi - r : r;
  r = std::bit_cast<uint32_t>(x) >> 31 != 0 ? detail::pi - r : r;
  r = (x != x) | (y != y) ? std::numeric_limits<double>::quiet_NaN() : r;
  return static_cast<float>(detail::copy_sign(r, static_cast<double>(y)));
}

// 0.6 ULP; all x. NaN for |x| > 1.
MT_VEC float asin(float x) {
  const double a = detail::magnitude(static_cast<double>(x));
  const bool large = a > 0.5;
  const double half = 0.5 * (1.0 - a);
  const double z = large ? half : a * a;
  const double y = detail::asin_half(large ? std::sqrt(half) : a, z);
  return static_cast<float>(detail::copy_sign(large ? detail::half_pi - 2.0 * y : y, static_cast<double>(x)));
}
MT_VEC float acos(float x) {
  const double w = static_cast<double>(x), a = detail::magnitude(w);
  const bool large = a > 0.5;
  const double half = 0.5 * (1.0 - a);
  const double z = large ? half : a * a;
  const double y = detail::asin_half(large ? std::sqrt(half) : w, z);
  const double far = w < 0.0 ? detail::pi - 2.0 * y : 2.0 * y;
  return static_cast<float>(large ? far : detail::half_pi - y);
}

// 0.6 ULP; all x.
MT_VEC float sinh(float x) {
  const double w = static_cast<double>(x), a = detail::magnitude(w), z = w * w;
  const double e = detail::exp_wide(a > 120.0 ? 120.0 : a);
  const double large = 0.5 * (e - 1.0 / e);
  const double small = a + a * z * (1.0 / 6 + z * (1.0 / 120));
  const float y = static_cast<float>(detail::copy_sign(a < 0.03 ? small : large, w));
  return x == x ? y : x;
}
MT_VEC float cosh(float x) {
  const double a = detail::magnitude(static_cast<double>(x));
  const double e = detail::exp_wide(a > 120.0 ? 120.0 : a);
  const float y = static_cast<float>(0.5 * (e + 1.0 / e));
  return x == x ? y : x;
}

// 0.6 ULP; all x. acosh is NaN below 1, atanh beyond 1.
MT_VEC float asinh(float x) {
  const double w = static_cast<double>(x), a = detail::magnitude(w), z = w * w;
  const double large = detail::log_wide(a + std::sqrt(z + 1.0));
  const double small = a - a * z * (1.0 / 6 - z * (3.0 / 40));
  const float y = static_cast<float>(detail::copy_sign(a < 0.01 ? small : large, w));
  return a < std::numeric_limits<double>::infinity() ? y : x;
}
MT_VEC float acosh(float x) {
  const double w = static_cast<double>(x);
  float y = static_cast<float>(detail::log_wide(w + std::sqrt(w * w - 1.0)));
  y = x < 1.0f ? std::numeric_limits<float>::quiet_NaN() : y;
  y = x == 1.0f ? 0.0f : y;
  return x < std::numeric_limits<float>::infinity() ? y : x;
}
MT_VEC float atanh(float x) {
  const double w = static_cast<double>(x), a = detail::magnitude(w), z = w * w;
  const double large = 0.5 * detail::log_wide((1.0 + a) / (1.0 - a));
  const double small = a + a * z * (1.0 / 3 + z * (1.0 / 5));
  double y = a < 0.01 ? small : large;
  y = a == 1.0 ? std::numeric_limits<double>::infinity() : y;
  y = a <= 1.0 ? y : std::numeric_limits<double>::quiet_NaN();
  return static_cast<float>(detail::copy_sign(y, w));
}

// 0.6 ULP; all x. exp(-x^2) times a polynomial in (x - 3) / (x + 3).
MT_VEC float erfc_all(float x) {
  const double a = detail::magnitude(static_cast<double>(x));
  const double b = a > 10.5 ? 10.5 : a;  // beyond this the result rounds to 0 or 2
  const double t = (b - 3.0) / (b + 3.0);
  double p = 2.1882993481882125e-07;
  p = fused(p, t, -4.137511049065248e-06);
  p = fused(p, t, -1.896772558541726e-05);
  p = fused(p, t, 8.489099403160314e-06);
  p = fused(p, t, 0.0001259139372870178);
  p = fused(p, t, -0.00010650828696494942);
  p = fused(p, t, -0.0007804248806780502);
  p = fused(p, t, 0.001888931122623677);
  p = fused(p, t, 0.0025295351150133798);
  p = fused(p, t, -0.023770535390469284);
  p = fused(p, t, 0.06830801171398564);
  p = fused(p, t, -0.11927366266324839);
  p = fused(p, t, 0.12964515942102656);
  p = fused(p, t, -0.047562294363445536);
  p = fused(p, t, -0.13562110613400302);
  p = fused(p, t, 1.2530080582697631);
  const double upper = p / (1.0 + 2.0 * b) * detail::exp_wide(-b * b);
  const float y = static_cast<float>(x < 0.0f ? 2.0 - upper : upper);
  return x == x ? y : x;
}

// 0.6 ULP; all x and y. Infinite if one argument is, even if the other is NaN.
MT_VEC float hypot(float x, float y) {
  const double a = static_cast<double>(x), b = static_cast<double>(y);
  const float r = static_cast<float>(std::sqrt(a * a + b * b));
  const float infinity = std::numeric_limits<float>::infinity();
  return (detail::magnitude(x) == infinity) | (detail::magnitude(y) == infinity) ? infinity : r;
}

// 0.6 ULP; all x. log|gamma(x)|, infinite at 0 and the negative integers. With v = x, or 1 - x for negative x: a polynomial on [1, 2] and
// one recurrence step from (0, 3), or Stirling's series after four steps up. The steps and the reflection, whose result is log(pi /
// |sin(pi x)|) - lgamma(v), share one logarithm.
MT_VEC float lgamma(float x) {
  const double w = static_cast<double>(x), a = detail::magnitude(w), infinity = std::numeric_limits<double>::infinity();
  const bool negative = w < 0.0;
  const double v = negative ? 1.0 - w : w == 0.0 ? 1.0 : w;
  const bool near = v < 3.0, far = v >= 1e7;  // for large v the steps change nothing, and their product would overflow
  const double t = v < 1.0 ? v + 1.0 : v > 2.0 ? v - 1.0 : v;
  const double u = t - 1.5;
  double p = 0.00037721545217415394;
  p = fused(p, u, -0.0006071248442035397);
  p = fused(p, u, 0.0006762047810454489);
  p = fused(p, u, -0.0011080558310978198);
  p = fused(p, u, 0.0019283782552744898);
  p = fused(p, u, -0.0032207885312005016);
  p = fused(p, u, 0.005446052910578167);
  p = fused(p, u, -0.009424976475869581);
  p = fused(p, u, 0.016797111398391927);
  p = fused(p, u, -0.031308507866704825);
  p = fused(p, u, 0.06291140096016636);
  p = fused(p, u, -0.14595989573182686);
  p = fused(p, u, 0.4831289505409809);
  const double polynomial = p * (t - 1.0) * (t - 2.0);
  const double y = far ? v : v + 4.0, i = 1.0 / y, z = i * i;
  const double series = i * (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188)))));
  const double stirling = (y - 0.5) * detail::log_wide(y) - y + 0.91893853320467274178 + series;
  const double base = detail::select(near, polynomial, stirling);
  const double step = v < 1.0 ? v : v > 2.0 ? v - 1.0 : 1.0, product = far ? 1.0 : (v * (v + 1.0)) * ((v + 2.0) * (v + 3.0));
  const double r = detail::from_nearest(w), sine = detail::magnitude(detail::sin_half_period(detail::pi * r));
  const double s = sine == 0.0 ? 1.0 : sine;
  const double reflection = detail::pi * detail::select(near, 1.0, product) / (s * detail::select(near, step, 1.0));
  const double logarithm = detail::log_wide(detail::select(negative, reflection, detail::select(near, step, product)));
  double result = detail::select(v < 1.0, base - logarithm, detail::select(near, base + logarithm, base - logarithm));
  result = detail::select(negative, logarithm - base, result);
  result = detail::select(w <= 0.0, detail::select(r == 0.0, infinity, result), result);
  result = detail::select(a == infinity, infinity, result);
  return x == x ? static_cast<float>(result) : x;
}
// 0.6 ULP except near its zeros; all x. The derivative of log|gamma(x)|: NaN at the negative integers, infinite at 0. With v = x, or 1 -
// x for negative x: six recurrence steps up if v < 6, whose reciprocals are summed as one quotient, and the asymptotic series.
MT_VEC float digamma(float x) {
  const double w = static_cast<double>(x), infinity = std::numeric_limits<double>::infinity();
  const bool negative = w < 0.0;
  const double v = negative ? 1.0 - w : w;
  const bool low = v < 6.0;
  const double u = v * (v + 5.0);
  const double steps = (2.0 * v + 5.0) * (u * (3.0 * u + 20.0) + 24.0) / (u * (u + 4.0) * (u + 6.0));
  const double y = low ? v + 6.0 : v, i = 1.0 / y, z = i * i;
  const double series = z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132)))));
  double result = detail::log_wide(y) - 0.5 * i - series - detail::select(low, steps, 0.0);
  const double r = detail::from_nearest(w);
  const double cosine = detail::sin_half_period(detail::pi * (0.5 - detail::magnitude(r)));
  const double cotangent = detail::pi * cosine / detail::sin_half_period(detail::pi * r);
  result = detail::select(negative, result - cotangent, result);
  result = detail::select(v == infinity, infinity, result);
  result = detail::select(w == 0.0, detail::copy_sign(infinity, -w), result);
  return static_cast<float>(detail::select(negative, detail::select(r == 0.0, std::numeric_limits<double>::quiet_NaN(), result), result));
}

MT_VEC double erfc_all(double x) { return vec::erfc(x); }
// 2 ULP; all x and y. Scaled, so that the squares neither overflow nor underflow.
MT_VEC double hypot(double x, double y) {
  const double a = detail::magnitude(x), b = detail::magnitude(y);
  const double large = a < b ? b : a, scale = large > 0x1p500 ? 0x1p-600 : large < 0x1p-500 ? 0x1p600 : 1.0;
  const double u = a * scale, v = b * scale;
  const double r = std::sqrt(fused(u, u, v * v)) / scale;
  const double infinity = std::numeric_limits<double>::infinity();
  return (a == infinity) | (b == infinity) ? infinity : r;
}
// 3 ULP; all x. By log1p, which is accurate near 0 and 1.
MT_VEC double asinh(double x) {
  const double a = detail::magnitude(x), z = a * a;
  const bool huge = a > 0x1p500;
  const double y = vec::log1p(detail::select(huge, a, a + z / (1.0 + std::sqrt(z + 1.0))));
  return detail::copy_sign(y + (huge ? 0.69314718055994530942 : 0.0), x);
}
MT_VEC double acosh(double x) {
  const double t = x - 1.0;
  const bool huge = x > 0x1p500;
  const double y = vec::log1p(detail::select(huge, x, t + std::sqrt(fused(t, t, 2.0 * t))));
  return x < 1.0 ? std::numeric_limits<double>::quiet_NaN() : y + (huge ? 0.69314718055994530942 : 0.0);
}
MT_VEC double atanh(double x) {
  const double a = detail::magnitude(x);
  return detail::copy_sign(0.5 * vec::log1p(2.0 * a / (1.0 - a)), x);
}

#undef MT_VEC

}  // namespace mt::cpu::vec
