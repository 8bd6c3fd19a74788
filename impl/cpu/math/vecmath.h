// Elementary functions in straight-line scalar code, so that a loop over them vectorises when inlined in a target clone.
//
// The error bound of each function is the largest error, in ULP of the result and within the stated range, that the sweeps of
// tests/cpp/cpu_vecmath_test.cpp found in comparison with long double. NaN gives NaN; infinities and -0 behave as in C unless stated. The
// compiler contracts nothing: only calls of fused() are fused multiply-adds (before AVX2 by the C library, since processors lack the
// instruction), so every instruction set gives the same bits. Coefficients are our own minimax fits.
//
// Functions of doubles are called, not inlined: vecmath_double.cpp has each for one number and for whole vectors. Before AVX2 their bits
// are those of the C library.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

// Loops in a target clone call these with a vector at a time (the vector functions of the x86-64 ABI).
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define MT_HAS_VECTOR_CALLS 1
#else
#define MT_HAS_VECTOR_CALLS 0
#endif
#if MT_HAS_VECTOR_CALLS && !defined(MT_DEFINES_VECTOR_CALLS)
#define MT_VECTOR_CALL extern "C" __attribute__((const, nothrow, simd("notinbranch"), visibility("hidden")))
#else
#define MT_VECTOR_CALL extern "C" __attribute__((const, nothrow, visibility("hidden")))
#endif
// clang-format off: a list, filled
#define MT_UNARY_DOUBLES(DO)                                                                                                     \
  DO(exp) DO(exp2) DO(expm1) DO(log) DO(log1p) DO(log2) DO(log10) DO(sin) DO(cos) DO(tan) DO(sinh) DO(cosh) DO(tanh) DO(erf)     \
  DO(erfc) DO(asin) DO(acos) DO(atan)
// clang-format on
#define MT_BINARY_DOUBLES(DO) DO(pow) DO(atan2)
#define MT_DECLARE(name) MT_VECTOR_CALL double mt_vec_##name(double);
MT_UNARY_DOUBLES(MT_DECLARE)
#undef MT_DECLARE
#define MT_DECLARE(name) MT_VECTOR_CALL double mt_vec_##name(double, double);
MT_BINARY_DOUBLES(MT_DECLARE)
#undef MT_DECLARE

namespace mt::cpu::vec {

#define MT_VEC __attribute__((always_inline)) inline

// a * b + c, rounded once.
MT_VEC float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
MT_VEC double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

namespace detail {

// 2^n for n in [-1022, 1023], 0 for n = -1023. Computes with unsigned integers, since NaN can produce any n.
MT_VEC double power_of_two(int64_t n) { return std::bit_cast<double>((static_cast<uint64_t>(n) + 1023u) << 52); }

// Adding this rounds to the nearest even integer and moves it to the last bits.
constexpr float round_float = 12582912.0f;           // 1.5 * 2^23
constexpr double round_double = 6755399441055744.0;  // 1.5 * 2^52

MT_VEC int64_t low_integer(double shifted) {
  return static_cast<int64_t>(std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(round_double));
}

MT_VEC float copy_sign(float magnitude, float sign) {
  return std::bit_cast<float>((std::bit_cast<uint32_t>(magnitude) & 0x7fffffffu) | (std::bit_cast<uint32_t>(sign) & 0x80000000u));
}
MT_VEC float magnitude(float x) { return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0x7fffffffu); }
MT_VEC double magnitude(double x) { return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & 0x7fffffffffffffffu); }

// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
MT_VEC float exp_tail(float r) {
  float p = 1.3926550428e-3f;
  p = fused(p, r, 8.3634727222e-3f);
  p = fused(p, r, 4.1666552403e-2f);
  p = fused(p, r, 0.16666575217f);
  return fused(p, r, 0.5f);
}

MT_VEC float exp_reduced(float r) { return fused(fused(exp_tail(r), r, 1.0f), r, 1.0f); }

// Adding this rounds as round_float does, for exponents of 2: the last nine bits are the integer + 2 * 127.
constexpr float exponent_float = round_float + 254.0f;
// Returns the bits of a number to which exponent_float was added, clamped to an exponent of 128. Compares integers: compilers handle this
// better than a float bound that lets NaN pass.
MT_VEC int32_t exponent_bits(float shifted) {
  const int32_t most = std::bit_cast<int32_t>(exponent_float + 128.0f), bits = std::bit_cast<int32_t>(shifted);
  return bits > most ? most : bits;
}
// 2^(n + more), if that is a normal number; `bits` are exponent_bits() of n.
MT_VEC float power_of_bits(int32_t bits, int32_t more) {
  return std::bit_cast<float>((static_cast<uint32_t>(bits) + static_cast<uint32_t>(more - 127)) << 23);
}

struct ReducedFloat {
  int32_t bits;  // of n
  float r;       // x = n ln(2) + r with r in [-ln(2)/2, ln(2)/2]; larger if n was clamped: e^r 2^n is infinite then
};
MT_VEC ReducedFloat reduce_by_ln2(float x) {
  const int32_t bits = exponent_bits(fused(x, 1.44269504f, exponent_float));
  const float n = std::bit_cast<float>(bits) - exponent_float;
  return {bits, fused(n, 2.12194440e-4f, fused(n, -0.693359375f, x))};
}

// y * 2^n in two steps, so that subnormal results are rounded once.
MT_VEC float scale(float y, int32_t bits) {
  const int32_t half = bits >> 1;
  const uint32_t rest = static_cast<uint32_t>(bits) - static_cast<uint32_t>(half);
  return y * std::bit_cast<float>(static_cast<uint32_t>(half) << 23) * std::bit_cast<float>(rest << 23);
}

// For the logarithm in double, to about 1e-13: m in [sqrt(1/2), sqrt(2)) and e with x = m 2^e; x positive and normal.
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
  p = fused(p, z, 0.1533172160055604127);
  p = fused(p, z, 0.1818288912526172208);
  p = fused(p, z, 0.2222221113479507986);
  p = fused(p, z, 0.2857142862597548492);
  p = fused(p, z, 0.3999999999989950449);
  p = fused(p, z, 0.6666666666666669686);
  // The small exponent as a double through the rounding constant, since a direct conversion needs AVX-512.
  const double e = std::bit_cast<double>(exponent + std::bit_cast<uint64_t>(round_double)) - round_double;
  return {fused(s * z, p, 2.0 * s), e};
}

// e^r for |r| <= ln(2) / 2, to about 1e-15.
MT_VEC double exp_reduced(double r) {
  double p = 2.761436229599359834e-7;
  p = fused(p, r, 2.762578232067986014e-6);
  p = fused(p, r, 2.48015353828767388e-5);
  p = fused(p, r, 1.984120752516481962e-4);
  p = fused(p, r, 1.388888890638748215e-3);
  p = fused(p, r, 8.333333354336719377e-3);
  p = fused(p, r, 4.166666666665074424e-2);
  p = fused(p, r, 0.1666666666664755498);
  p = fused(p, r, 0.5);
  return 1.0 + fused(r * r, p, r);
}

struct ReducedAngle {
  int64_t quadrant;
  double r;  // x = quadrant * pi / 2 + r
};
MT_VEC ReducedAngle reduce_angle(double x) {
  const double shifted = fused(x, 0.63661977236758134308, round_double);
  const double k = shifted - round_double;
  const double r = fused(k, -0x1.1a62633145c07p-54, fused(k, -0x1.921fb54442d18p+0, x));
  return {low_integer(shifted), r};
}
MT_VEC double sin_reduced(double r) {
  const double z = r * r;
  double p = -2.480318338656291949e-8;
  p = fused(p, z, 2.755596431608962211e-6);
  p = fused(p, z, -1.984126682858738013e-4);
  p = fused(p, z, 8.33333333098786802e-3);
  p = fused(p, z, -0.166666666666637443);
  return fused(r * z, p, r);
}
MT_VEC double cos_reduced(double r) {
  const double z = r * r;
  double p = 2.069884633979887562e-9;
  p = fused(p, z, -2.755635066336875295e-7);
  p = fused(p, z, 2.480158514777478561e-5);
  p = fused(p, z, -1.388888888721201454e-3);
  p = fused(p, z, 4.166666666666457733e-2);
  return fused(z * z, p, fused(z, -0.5, 1.0));
}

constexpr double inverse_pi = 0.31830988618379067154;
// x - k pi, for the k nearest to x / pi.
MT_VEC double subtract_multiple_of_pi(double x, double k) { return fused(k, -0x1.1a62633145c07p-53, fused(k, -0x1.921fb54442d18p+1, x)); }
// sin(r) for |r| <= pi / 2, with relative error 7e-14.
MT_VEC double sin_half_period(double r) {
  const double z = r * r;
  double p = 1.540937129376254e-10;
  p = fused(p, z, -2.5030186237836412e-08);
  p = fused(p, z, 2.755695284348723e-06);
  p = fused(p, z, -0.00019841266726668784);
  p = fused(p, z, 0.008333333321072207);
  p = fused(p, z, -0.16666666666504365);
  return r * fused(p, z, 1.0);
}
// y, or -y if the last bit of `bits` is set.
MT_VEC double flip_sign(double y, uint64_t bits) { return std::bit_cast<double>(std::bit_cast<uint64_t>(y) ^ bits << 63); }

}  // namespace detail

// 1.1 ULP; all x.
MT_VEC float exp(float x) {
  // At this bound both factors of scale() are 0: -inf then causes no underflow, which would be slow.
  const detail::ReducedFloat reduced = detail::reduce_by_ln2(x < -176.0f ? -176.0f : x);
  return detail::scale(detail::exp_reduced(reduced.r), reduced.bits);
}

// exp for x <= 0: the same bits in fewer steps, since only small results need care.
MT_VEC float exp_nonpositive(float x) {
  const detail::ReducedFloat reduced = detail::reduce_by_ln2(x < -132.5f ? -132.5f : x);  // where the first factor is 0
  return detail::exp_reduced(reduced.r) * detail::power_of_bits(reduced.bits, 64) * 0x1p-64f;
}

// 1.1 ULP; all x.
MT_VEC float exp2(float x) {
  const float bounded = x < -254.0f ? -254.0f : x;
  const int32_t bits = detail::exponent_bits(bounded + detail::exponent_float);
  const float r = (bounded - (std::bit_cast<float>(bits) - detail::exponent_float)) * 0.69314718056f;
  return detail::scale(detail::exp_reduced(r), bits);
}

// 2 ULP; all x.
MT_VEC float expm1(float x) {
  const detail::ReducedFloat reduced = detail::reduce_by_ln2(x < -18.0f ? -18.0f : x);
  const float p = fused(reduced.r * reduced.r, detail::exp_tail(reduced.r), reduced.r);
  const float half_scale = detail::power_of_bits(reduced.bits, -1);  // half, since 2^128 is not a float
  const float y = 2.0f * fused(half_scale, p, half_scale - 0.5f);
  return x == 0.0f ? x : y;
}

// The logarithm of a float as e ln(2) + high + low: |high| below 0.35, low is the rounding error of high.
struct FloatLogParts {
  float e, high, low;
};
MT_VEC FloatLogParts float_log_parts(float x) {
  const bool tiny = x < std::numeric_limits<float>::min();
  const uint32_t bits = std::bit_cast<uint32_t>(tiny ? x * 8388608.0f : x);
  const int32_t from_root = static_cast<int32_t>(bits - 0x3f3504f3u);
  const int32_t exponent = from_root >> 23;
  const float f = std::bit_cast<float>(bits - (static_cast<uint32_t>(exponent) << 23)) - 1.0f;
  const float e = static_cast<float>(exponent) - (tiny ? 23.0f : 0.0f);
  float p = 6.9716114715e-2f;
  p = fused(p, f, -0.11479733847f);
  p = fused(p, f, 0.11685419923f);
  p = fused(p, f, -0.12425687331f);
  p = fused(p, f, 0.14249057646f);
  p = fused(p, f, -0.1666780232f);
  p = fused(p, f, 0.20000715749f);
  p = fused(p, f, -0.24999996958f);
  p = fused(p, f, 0.3333333118f);
  const float half = 0.5f * f, high = fused(-half, f, f);
  return {e, high, fused(f * f, f * p, fused(-half, f, f - high))};
}
// The logarithm of 0, negative numbers, infinity and NaN; y otherwise.
MT_VEC float replace_log_special_cases(float x, float y) {
  y = x == 0.0f ? -std::numeric_limits<float>::infinity() : y;
  y = x < 0.0f ? std::numeric_limits<float>::quiet_NaN() : y;
  return x < std::numeric_limits<float>::infinity() ? y : x;
}

// 1 ULP; all x. log(0) is -inf, log of a negative number NaN.
MT_VEC float log(float x) {
  const FloatLogParts parts = float_log_parts(x);
  const float y = fused(parts.e, 0.693359375f, fused(parts.e, -2.12194440e-4f, parts.low) + parts.high);
  return replace_log_special_cases(x, y);
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
  const FloatLogParts parts = float_log_parts(x);
  const float high = parts.high * 1.44269502f, whole = parts.e + high;
  const float low = fused(parts.high, 1.44269502f, -high) + fused(parts.high, 1.925963e-8f, parts.low * 1.44269502f);
  return replace_log_special_cases(x, whole + (((parts.e - whole) + high) + low));
}

// 1 ULP; all x.
MT_VEC float log10(float x) {
  const FloatLogParts parts = float_log_parts(x);
  const float e = parts.e * 0.301025390625f;  // exact
  const float high = parts.high * 0.434294492f, whole = e + high;
  const float low = fused(parts.e, 4.605039e-6f,
                          fused(parts.high, 0.434294492f, -high) + fused(parts.high, -1.0103050e-8f, parts.low * 0.434294492f));
  return replace_log_special_cases(x, whole + (((e - whole) + high) + low));
}

// 0.6 ULP for |x| <= 2^30; beyond that the angle is not reduced exactly. Reducing by pi needs one polynomial, by pi / 2 two.
MT_VEC float sin(float x) {
  const double w = static_cast<double>(x), shifted = fused(w, detail::inverse_pi, detail::round_double);
  const double y = detail::sin_half_period(detail::subtract_multiple_of_pi(w, shifted - detail::round_double));
  return static_cast<float>(detail::flip_sign(y, std::bit_cast<uint64_t>(shifted)));
}
MT_VEC float cos(float x) {
  const double w = static_cast<double>(x), shifted = fused(w, detail::inverse_pi, -0.5) + detail::round_double;
  const double y = detail::sin_half_period(detail::subtract_multiple_of_pi(w, (shifted - detail::round_double) + 0.5));
  return static_cast<float>(detail::flip_sign(y, ~std::bit_cast<uint64_t>(shifted)));
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

// 1.5 ULP; all x. For |x| >= 1, 1 - 2^-b with a polynomial for b.
MT_VEC float erf(float x) {
  const float a = detail::magnitude(x);
  const float z = a * a;
  float small = 7.8538620898e-5f;
  small = fused(small, z, -8.0101937267e-4f);
  small = fused(small, z, 5.1883276791e-3f);
  small = fused(small, z, -2.6853811919e-2f);
  small = fused(small, z, 0.11283585148f);
  small = fused(small, z, -0.37612625824f);
  small = fused(small, z, 0.12837916573f);
  small = fused(a, small, a);
  const float bounded = a > 4.0f ? 4.0f : a;
  float b = 1.6611268839e-3f;
  b = fused(b, bounded, -2.1331845982e-2f);
  b = fused(b, bounded, 0.12790868295f);
  b = fused(b, bounded, 0.94417113343f);
  b = fused(b, bounded, 1.612166133f);
  b = fused(b, bounded, 3.8415960598e-3f);
  const float shifted = detail::round_float - b, r = (detail::round_float - shifted) - b;
  float p = 1.3276471516e-3f;
  p = fused(p, r, 9.6755413939e-3f);
  p = fused(p, r, 5.5507132757e-2f);
  p = fused(p, r, 0.24022119723f);
  p = fused(p, r, 0.69314696706f);
  p = fused(p, r, 1.0000000717f);
  const float large = 1.0f - std::bit_cast<float>(std::bit_cast<uint32_t>(p) + (std::bit_cast<uint32_t>(shifted) << 23));
  return detail::copy_sign(a >= 1.0f ? large : small, x);  // NaN takes the small branch
}

// The normal distribution function to 1.7e-7, which is 3 ULP for x >= 0: one half plus an odd rational function, which costs half as much
// as an exponential. 0 and 1 beyond 5.4: there the quotient is exactly one half.
MT_VEC float normal_cdf(float x) {
  const float below = x > 5.39999962f ? 5.39999962f : x, c = below < -5.39999962f ? -5.39999962f : below;
  const float z = c * c, z2 = z * z;
  // Evaluates the polynomial in pairs (G. Estrin, 1960): a single chain of products would leave units idle.
  const float top = fused(fused(2.2240511655e-8f, z, 6.4782834670e-6f), z2, fused(1.7989928892e-4f, z, 4.7444510274e-3f));
  const float bottom = fused(fused(1.1920768657e-6f, z, 7.7472504927e-5f), z2, fused(1.9465188961e-3f, z, 2.9246708378e-2f));
  const float p = fused(top, z2, fused(3.4883964807e-2f, z, 0.39894214272f));
  const float q = fused(bottom, z2, fused(0.25410586596f, z, 1.0f));
  const float value = 0.5f + c * (p / q);
  return value < 0.0f ? 0.0f : value;
}

// 1 ULP for results above 2^-126 and |y log2(x)| < 1000; special cases as C's pow.
MT_VEC float pow(float x, float y) {
  const double base = static_cast<double>(detail::magnitude(x));
  const double exponent = static_cast<double>(y);
  const detail::LogParts parts = detail::log_parts(base);
  double t = exponent * fused(parts.log_m, 1.44269504088896340736, parts.e);
  t = t > 300.0 ? 300.0 : t;
  t = t < -300.0 ? -300.0 : t;
  const double shifted = t + detail::round_double;
  const double r = (t - (shifted - detail::round_double)) * 0.69314718055994530942;
  const double power = detail::exp_reduced(r) * detail::power_of_two(detail::low_integer(shifted));
  const float infinity = std::numeric_limits<float>::infinity();
  float result = static_cast<float>(power);
  const float size_y = detail::magnitude(y);
  const float size_x = detail::magnitude(x);
  // Special cases: bases 0 and infinity, then infinite exponents.
  const bool extreme = (size_x == 0.0f) | (size_x == infinity);
  const bool grows = (size_x == infinity) == (y > 0.0f);
  result = extreme ? (grows ? infinity : 0.0f) : result;
  const bool to_infinity = (size_x > 1.0f) == (y > 0.0f);
  result = size_y == infinity ? (size_x == 1.0f ? 1.0f : to_infinity ? infinity : 0.0f) : result;
  // `whole` and `odd`: whether y is an integer, and an odd one. Every float from 2^24 on is even. Bitwise operators avoid branches.
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

// Scalar: within 1 ULP everywhere, which the polynomials above do not reach in the far tail.
inline float erfc(float x) { return std::erfc(x); }

#define MT_CALL(name) \
  MT_VEC double name(double x) { return mt_vec_##name(x); }
MT_UNARY_DOUBLES(MT_CALL)
#undef MT_CALL
#define MT_CALL(name) \
  MT_VEC double name(double x, double y) { return mt_vec_##name(x, y); }
MT_BINARY_DOUBLES(MT_CALL)
#undef MT_CALL
MT_VEC double exp_nonpositive(double x) { return vec::exp(x); }
MT_VEC double sigmoid(double x) { return 1.0 / (1.0 + vec::exp(-x)); }
MT_VEC double normal_cdf(double x) { return 0.5 * vec::erfc(x * -0.70710678118654752440); }

#undef MT_VEC

}  // namespace mt::cpu::vec
