// Elementary functions in straight-line scalar code, so that a loop over them vectorises when inlined in a target
// clone.
//
// Errors are the largest seen against long double over the sweeps of tests/cpp/vecmath_test.cpp, in units in the last
// place of the result; the range is where that holds. NaN gives NaN, infinities and -0 behave as in C unless stated.
// Nothing here is fused, so every instruction set gives the same bits. Coefficients are our own minimax fits.
// For double most names call the C library: loops over them stay scalar.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mt::cpu::vec {

#define MT_VEC __attribute__((always_inline)) inline

namespace detail {

// 2^n for n in [-126, 127] and [-1022, 1023]. Integers are unsigned on the way, since NaN brings any of them.
MT_VEC float power_of_two(int32_t n) { return std::bit_cast<float>((static_cast<uint32_t>(n) + 127u) << 23); }
MT_VEC double power_of_two(int64_t n) { return std::bit_cast<double>((static_cast<uint64_t>(n) + 1023u) << 52); }

// Adding this moves the integer part to the last bits, rounded to nearest even.
constexpr float round_float = 12582912.0f;           // 1.5 * 2^23
constexpr double round_double = 6755399441055744.0;  // 1.5 * 2^52

MT_VEC int32_t low_integer(float shifted) {
  return static_cast<int32_t>(std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(round_float));
}
MT_VEC int64_t low_integer(double shifted) {
  return static_cast<int64_t>(std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(round_double));
}

MT_VEC float copy_sign(float magnitude, float sign) {
  return std::bit_cast<float>((std::bit_cast<uint32_t>(magnitude) & 0x7fffffffu) |
                              (std::bit_cast<uint32_t>(sign) & 0x80000000u));
}
MT_VEC float magnitude(float x) { return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0x7fffffffu); }
MT_VEC double magnitude(double x) { return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & 0x7fffffffffffffffu); }

// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
MT_VEC float exp_tail(float r) {
  float p = 1.3926550428e-3f;
  p = p * r + 8.3634727222e-3f;
  p = p * r + 4.1666552403e-2f;
  p = p * r + 0.16666575217f;
  return p * r + 0.5f;
}

struct ReducedFloat {
  int32_t n;
  float r;  // x = n ln(2) + r
};
MT_VEC ReducedFloat reduce_by_ln2(float x) {
  const float shifted = x * 1.44269504f + round_float;
  const float n = shifted - round_float;
  return {low_integer(shifted), (x - n * 0.693359375f) - n * -2.12194440e-4f};
}

// y * 2^n in two steps, so that results below the normal range round once.
MT_VEC float scale(float y, int32_t n) {
  const int32_t half = n >> 1;
  return y * power_of_two(half) *
         power_of_two(static_cast<int32_t>(static_cast<uint32_t>(n) - static_cast<uint32_t>(half)));
}

// The logarithm in double, to about 1e-13: m in [sqrt(1/2), sqrt(2)) and e with x = m 2^e; x positive and normal.
struct LogParts {
  double log_m;
  double e;
};
MT_VEC LogParts log_parts(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const int64_t from_root = static_cast<int64_t>(bits - 0x3fe6a09e667f3bcdu);  // sqrt(1/2)
  const uint64_t exponent = static_cast<uint64_t>(from_root >> 52);
  const double m = std::bit_cast<double>(bits - (exponent << 52));
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double p = 0.1461644968504340586;
  p = p * z + 0.1533172160055604127;
  p = p * z + 0.1818288912526172208;
  p = p * z + 0.2222221113479507986;
  p = p * z + 0.2857142862597548492;
  p = p * z + 0.3999999999989950449;
  p = p * z + 0.6666666666666669686;
  // exponent is small: as a double through the rounding constant, since the direct conversion needs AVX-512.
  const double e = std::bit_cast<double>(exponent + std::bit_cast<uint64_t>(round_double)) - round_double;
  return {2.0 * s + s * z * p, e};
}

// e^r for |r| <= ln(2) / 2, to about 1e-15.
MT_VEC double exp_reduced(double r) {
  double p = 2.761436229599359834e-7;
  p = p * r + 2.762578232067986014e-6;
  p = p * r + 2.48015353828767388e-5;
  p = p * r + 1.984120752516481962e-4;
  p = p * r + 1.388888890638748215e-3;
  p = p * r + 8.333333354336719377e-3;
  p = p * r + 4.166666666665074424e-2;
  p = p * r + 0.1666666666664755498;
  p = p * r + 0.5;
  return 1.0 + (r + r * r * p);
}

struct ReducedAngle {
  int64_t quadrant;
  double r;  // x = quadrant * pi / 2 + r
};
MT_VEC ReducedAngle reduce_angle(double x) {
  const double shifted = x * 0.63661977236758134308 + round_double;
  const double k = shifted - round_double;
  // The first two parts have 23 bits, so their products with k are exact up to |k| = 2^30.
  const double r = ((x - k * 0x1.921fb4p+0) - k * 0x1.4442dp-24) - k * 0x1.8469898cc517p-48;
  return {low_integer(shifted), r};
}
MT_VEC double sin_reduced(double r) {
  const double z = r * r;
  double p = -2.480318338656291949e-8;
  p = p * z + 2.755596431608962211e-6;
  p = p * z + -1.984126682858738013e-4;
  p = p * z + 8.33333333098786802e-3;
  p = p * z + -0.166666666666637443;
  return r + r * z * p;
}
MT_VEC double cos_reduced(double r) {
  const double z = r * r;
  double p = 2.069884633979887562e-9;
  p = p * z + -2.755635066336875295e-7;
  p = p * z + 2.480158514777478561e-5;
  p = p * z + -1.388888888721201454e-3;
  p = p * z + 4.166666666666457733e-2;
  return (1.0 - 0.5 * z) + z * z * p;
}

}  // namespace detail

// 1.1 ULP; all x.
MT_VEC float exp(float x) {
  float bounded = x > 89.0f ? 89.0f : x;
  bounded = bounded < -104.0f ? -104.0f : bounded;
  const detail::ReducedFloat reduced = detail::reduce_by_ln2(bounded);
  const float y = 1.0f + (reduced.r + reduced.r * reduced.r * detail::exp_tail(reduced.r));
  return detail::scale(y, reduced.n);
}

// 1.1 ULP; all x.
MT_VEC float exp2(float x) {
  float bounded = x > 129.0f ? 129.0f : x;
  bounded = bounded < -151.0f ? -151.0f : bounded;
  const float shifted = bounded + detail::round_float;
  const float r = (bounded - (shifted - detail::round_float)) * 0.69314718056f;
  const float y = 1.0f + (r + r * r * detail::exp_tail(r));
  return detail::scale(y, detail::low_integer(shifted));
}

// 2 ULP; all x.
MT_VEC float expm1(float x) {
  float bounded = x > 89.0f ? 89.0f : x;
  bounded = bounded < -18.0f ? -18.0f : bounded;
  const detail::ReducedFloat reduced = detail::reduce_by_ln2(bounded);
  const float p = reduced.r + reduced.r * reduced.r * detail::exp_tail(reduced.r);
  const float half_scale = detail::power_of_two(
      static_cast<int32_t>(static_cast<uint32_t>(reduced.n) - 1u));  // half, since 2^128 is no float
  const float y = 2.0f * (half_scale * p + (half_scale - 0.5f));
  return x == 0.0f ? x : y;
}

// 1 ULP; all x. log(0) is -inf, log of a negative number NaN.
MT_VEC float log(float x) {
  const bool tiny = x < std::numeric_limits<float>::min();
  const uint32_t bits = std::bit_cast<uint32_t>(tiny ? x * 8388608.0f : x);
  const int32_t from_root = static_cast<int32_t>(bits - 0x3f3504f3u);
  const int32_t exponent = from_root >> 23;
  const float f = std::bit_cast<float>(bits - (static_cast<uint32_t>(exponent) << 23)) - 1.0f;
  const float e = static_cast<float>(exponent) - (tiny ? 23.0f : 0.0f);
  float p = 6.9716114715e-2f;
  p = p * f + -0.11479733847f;
  p = p * f + 0.11685419923f;
  p = p * f + -0.12425687331f;
  p = p * f + 0.14249057646f;
  p = p * f + -0.1666780232f;
  p = p * f + 0.20000715749f;
  p = p * f + -0.24999996958f;
  p = p * f + 0.3333333118f;
  const float square = f * f;
  float y = (f * square) * p + e * -2.12194440e-4f;
  y = (f + (y - 0.5f * square)) + e * 0.693359375f;
  y = x == 0.0f ? -std::numeric_limits<float>::infinity() : y;
  y = x < 0.0f ? std::numeric_limits<float>::quiet_NaN() : y;
  return x < std::numeric_limits<float>::infinity() ? y : x;  // inf and NaN
}

// 1.5 ULP; all x.
MT_VEC float log1p(float x) {
  const float u = 1.0f + x;
  const float lost = (x - (u - 1.0f)) / u;
  float y = vec::log(u) + lost;
  y = x == -1.0f ? -std::numeric_limits<float>::infinity() : y;
  y = x == 0.0f ? x : y;
  return x < std::numeric_limits<float>::infinity() ? y : x;
}

// 1 ULP; all x.
MT_VEC float log2(float x) {
  const double wide = static_cast<double>(x);  // subnormal floats are normal doubles
  const detail::LogParts parts = detail::log_parts(wide);
  float y = static_cast<float>(parts.e + parts.log_m * 1.44269504088896340736);
  y = x == 0.0f ? -std::numeric_limits<float>::infinity() : y;
  y = x < 0.0f ? std::numeric_limits<float>::quiet_NaN() : y;
  return x < std::numeric_limits<float>::infinity() ? y : x;
}

// 1 ULP; all x.
MT_VEC float log10(float x) {
  const double wide = static_cast<double>(x);
  const detail::LogParts parts = detail::log_parts(wide);
  float y = static_cast<float>(parts.e * 0.30102999566398119521 + parts.log_m * 0.43429448190325182765);
  y = x == 0.0f ? -std::numeric_limits<float>::infinity() : y;
  y = x < 0.0f ? std::numeric_limits<float>::quiet_NaN() : y;
  return x < std::numeric_limits<float>::infinity() ? y : x;
}

// 1 ULP for |x| <= 2^30; beyond that the angle is no longer reduced exactly.
MT_VEC float sin(float x) {
  const detail::ReducedAngle angle = detail::reduce_angle(static_cast<double>(x));
  const double s = detail::sin_reduced(angle.r);
  const double c = detail::cos_reduced(angle.r);
  const double y = (angle.quadrant & 1) != 0 ? c : s;
  const uint64_t sign = static_cast<uint64_t>(angle.quadrant & 2) << 62;
  const float result = static_cast<float>(std::bit_cast<double>(std::bit_cast<uint64_t>(y) ^ sign));
  return x == 0.0f ? x : result;
}
MT_VEC float cos(float x) {
  const detail::ReducedAngle angle = detail::reduce_angle(static_cast<double>(x));
  const double s = detail::sin_reduced(angle.r);
  const double c = detail::cos_reduced(angle.r);
  const double y = (angle.quadrant & 1) != 0 ? s : c;
  const uint64_t sign = ((static_cast<uint64_t>(angle.quadrant) + 1u) & 2u) << 62;
  return static_cast<float>(std::bit_cast<double>(std::bit_cast<uint64_t>(y) ^ sign));
}
MT_VEC float tan(float x) {
  const detail::ReducedAngle angle = detail::reduce_angle(static_cast<double>(x));
  const double s = detail::sin_reduced(angle.r);
  const double c = detail::cos_reduced(angle.r);
  const bool odd = (angle.quadrant & 1) != 0;
  const float result = static_cast<float>((odd ? -c : s) / (odd ? s : c));
  return x == 0.0f ? x : result;
}

// 2.5 ULP; all x.
MT_VEC float tanh(float x) {
  const float a = detail::magnitude(x);
  const float t = vec::expm1(2.0f * (a > 10.0f ? 10.0f : a));
  return x == x ? detail::copy_sign(t / (t + 2.0f), x) : x;
}

// 2.5 ULP for x > -88.7; 0 below, as 1 / (1 + exp(-x)) gives.
MT_VEC float sigmoid(float x) { return 1.0f / (1.0f + vec::exp(-x)); }

// 1.5 ULP; all x.
MT_VEC float erf(float x) {
  const float a = detail::magnitude(x);
  const float z = a * a;
  float small = 7.8758750627e-5f;
  small = small * z + -8.0168642872e-4f;
  small = small * z + 5.1890874234e-3f;
  small = small * z + -2.6854212011e-2f;
  small = small * z + 0.11283594715f;
  small = small * z + -0.37612626667f;
  small = small * z + 0.12837916585f;
  small = a + a * small;
  const float b = a > 4.0f ? 4.0f : a;
  float large = -1.6371514146e-6f;
  large = large * b + 4.6058042689e-5f;
  large = large * b + -5.9680682566e-4f;
  large = large * b + 4.7595962933e-3f;
  large = large * b + -2.6421136006e-2f;
  large = large * b + 0.11008008295f;
  large = large * b + 0.63182605156f;
  large = large * b + 1.1302334348f;
  large = large * b + -3.2013804968e-4f;
  large = 1.0f - vec::exp(-large);
  return detail::copy_sign(a < 1.0f ? small : large, x);
}

// The normal distribution function to 1e-7; relative to itself 3 ULP from 0 up and 80 ULP in the lower tail; 0 below -6,
// where it is less than 1e-9. One polynomial serves both signs, at two thirds of the price of erf.
MT_VEC float normal_cdf(float x) {
  const float a = detail::magnitude(x);
  const float b = a > 6.0f ? 6.0f : a;
  float p = -1.3816814692e-9f;  // -log of the upper tail
  p = p * b + 5.3771352881e-8f;
  p = p * b + -9.2638620885e-7f;
  p = p * b + 9.2120010855e-6f;
  p = p * b + -5.6588379075e-5f;
  p = p * b + 1.9384787132e-4f;
  p = p * b + 1.7892259212e-5f;
  p = p * b + -4.8537121861e-3f;
  p = p * b + 3.6384812235e-2f;
  p = p * b + 0.31829325432f;
  p = p * b + 0.79788670421f;
  p = p * b + 0.6931471357f;
  const detail::ReducedFloat reduced = detail::reduce_by_ln2(-p);
  const float y = 1.0f + (reduced.r + reduced.r * reduced.r * detail::exp_tail(reduced.r));
  const float tail = y * detail::power_of_two(reduced.n);
  const float lower = a > 6.0f ? 0.0f : tail;
  return x < 0.0f ? lower : 1.0f - tail;
}

// 1 ULP for results above 2^-126 and |y log2(x)| < 1000; special cases as C's pow.
MT_VEC float pow(float x, float y) {
  const double base = static_cast<double>(detail::magnitude(x));
  const double exponent = static_cast<double>(y);
  const detail::LogParts parts = detail::log_parts(base);
  double t = exponent * (parts.e + parts.log_m * 1.44269504088896340736);
  t = t > 300.0 ? 300.0 : t;
  t = t < -300.0 ? -300.0 : t;
  const double shifted = t + detail::round_double;
  const double r = (t - (shifted - detail::round_double)) * 0.69314718055994530942;
  const double power = detail::exp_reduced(r) * detail::power_of_two(detail::low_integer(shifted));
  const float infinity = std::numeric_limits<float>::infinity();
  float result = static_cast<float>(power);
  const float size_y = detail::magnitude(y);
  const float size_x = detail::magnitude(x);
  // 0 and infinite bases, then infinite exponents.
  const bool extreme = (size_x == 0.0f) | (size_x == infinity);
  const bool grows = (size_x == infinity) == (y > 0.0f);
  result = extreme ? (grows ? infinity : 0.0f) : result;
  const bool to_infinity = (size_x > 1.0f) == (y > 0.0f);
  result = size_y == infinity ? (size_x == 1.0f ? 1.0f : to_infinity ? infinity : 0.0f) : result;
  // Is y an integer, and an odd one? Every float from 2^24 on is even. Bitwise logic: a short circuit is a branch.
  const bool large = size_y >= 8388608.0f;
  const float shifted_y = large ? size_y : size_y + 8388608.0f;
  const bool whole = large | ((shifted_y - 8388608.0f) == size_y);
  const uint32_t last_bit = std::bit_cast<uint32_t>(shifted_y) & 1u;
  const uint32_t odd = (whole & (size_y < 16777216.0f)) ? last_bit : 0u;
  const uint32_t sign = std::bit_cast<uint32_t>(x) & (odd << 31);
  result = std::bit_cast<float>(std::bit_cast<uint32_t>(result) | sign);
  const bool no_root = (x < 0.0f) & !whole & (size_x != infinity);
  result = no_root ? std::numeric_limits<float>::quiet_NaN() : result;
  result = (x != x) | (y != y) ? x + y : result;
  return (x == 1.0f) | (y == 0.0f) ? 1.0f : result;
}

// Scalar: within 1 ULP everywhere, which the short forms above cannot give in the far tail.
inline float erfc(float x) { return std::erfc(x); }

inline double exp(double x) { return std::exp(x); }
inline double exp2(double x) { return std::exp2(x); }
inline double expm1(double x) { return std::expm1(x); }
inline double log(double x) { return std::log(x); }
inline double log1p(double x) { return std::log1p(x); }
inline double log2(double x) { return std::log2(x); }
inline double log10(double x) { return std::log10(x); }
inline double sin(double x) { return std::sin(x); }
inline double cos(double x) { return std::cos(x); }
inline double tan(double x) { return std::tan(x); }
inline double tanh(double x) { return std::tanh(x); }
inline double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
inline double erf(double x) { return std::erf(x); }
inline double normal_cdf(double x) { return 0.5 * std::erfc(x * -0.70710678118654752440); }
inline double erfc(double x) { return std::erfc(x); }
inline double pow(double x, double y) { return std::pow(x, y); }

#undef MT_VEC

}  // namespace mt::cpu::vec
