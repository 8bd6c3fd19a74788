// Floating-point types of 16 and 8 bits, with arithmetic in float. Half.h, BFloat16.h and Float8_*.h name the types.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ostream>
#include <type_traits>

#include <torch/headeronly/macros/Macros.h>

namespace c10 {

// The meaning of the highest exponent: infinities and NaNs; NaN if all bits are set, without infinities; or neither, with a single NaN in
// place of -0.
enum class SmallFloatKind { ieee, finite, unsigned_zero };

template <int ExponentBits, int MantissaBits, int Bias, SmallFloatKind Kind>
struct alignas((ExponentBits + MantissaBits + 1) / 8) SmallFloat {
  using Bits = std::conditional_t<ExponentBits + MantissaBits + 1 == 16, uint16_t, uint8_t>;
  Bits x;

  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return {}; }

  SmallFloat() = default;
  constexpr SmallFloat(Bits bits, from_bits_t) : x(bits) {}
  SmallFloat(float value) : x(encode(value)) {}
  operator float() const { return decode(x); }

  SmallFloat& operator+=(float other) { return *this = SmallFloat(float(*this) + other); }
  SmallFloat& operator-=(float other) { return *this = SmallFloat(float(*this) - other); }
  SmallFloat& operator*=(float other) { return *this = SmallFloat(float(*this) * other); }
  SmallFloat& operator/=(float other) { return *this = SmallFloat(float(*this) / other); }

 private:
  static constexpr Bits sign_bit = Bits(1u << (ExponentBits + MantissaBits));
  static constexpr Bits magnitude_bits = Bits(sign_bit - 1);
  static constexpr Bits infinity = Bits(((1u << ExponentBits) - 1) << MantissaBits);
  static constexpr bool has_infinity = Kind == SmallFloatKind::ieee;
  static constexpr Bits nan = Kind == SmallFloatKind::unsigned_zero ? sign_bit
                              : has_infinity                        ? Bits(infinity | 1u << (MantissaBits - 1))
                                                                    : magnitude_bits;
  // The largest number: larger ones round to infinity, or to NaN if the format has no infinity.
  static constexpr Bits largest = has_infinity                     ? Bits(infinity - 1)
                                  : Kind == SmallFloatKind::finite ? Bits(magnitude_bits - 1)
                                                                   : magnitude_bits;

  static float decode(Bits bits) {
    const Bits magnitude = bits & magnitude_bits;
    const bool is_nan = Kind == SmallFloatKind::unsigned_zero ? bits == sign_bit
                        : has_infinity                        ? magnitude > infinity
                                                              : magnitude == magnitude_bits;
    if (is_nan) return std::numeric_limits<float>::quiet_NaN();
    float value;
    if (has_infinity && magnitude == infinity) {
      value = std::numeric_limits<float>::infinity();
    } else {
      const int exponent = magnitude >> MantissaBits, mantissa = magnitude & ((1 << MantissaBits) - 1);
      value = exponent ? std::ldexp(float((1 << MantissaBits) | mantissa), exponent - Bias - MantissaBits)
                       : std::ldexp(float(mantissa), 1 - Bias - MantissaBits);
    }
    return bits & sign_bit ? -value : value;
  }

  // Rounds to nearest, ties to even: the bit patterns of ascending magnitudes ascend, too.
  static Bits encode(float value) {
    const Bits sign = std::signbit(value) ? sign_bit : Bits(0);
    if (std::isnan(value)) return Kind == SmallFloatKind::unsigned_zero ? nan : Bits(sign | nan);
    const float magnitude = std::fabs(value);
    Bits bits;
    if (std::isinf(value)) {
      bits = has_infinity ? infinity : nan;
    } else {
      int exponent;
      std::frexp(magnitude, &exponent);  // magnitude = f * 2^exponent, f in [0.5, 1)
      const int unit = (exponent - 1 < 1 - Bias ? 1 - Bias : exponent - 1) - MantissaBits;
      const auto steps = uint32_t(std::nearbyint(std::ldexp(magnitude, -unit)));
      const uint32_t wide = magnitude == 0 ? 0 : steps + (uint32_t(unit + MantissaBits + Bias - 1) << MantissaBits);
      bits = wide > largest ? (has_infinity ? infinity : nan) : Bits(wide);
    }
    if (Kind == SmallFloatKind::unsigned_zero && (bits == 0 || bits == nan)) return bits;
    return Bits(sign | bits);
  }
};

// Two small numbers give a result of their type; with a float, a double or an integer the result has the other operand's type.
#define MT_SMALL_FLOAT_OPERATOR(op)                                                                                 \
  template <int E, int M, int B, SmallFloatKind K>                                                                  \
  inline SmallFloat<E, M, B, K> operator op(SmallFloat<E, M, B, K> a, SmallFloat<E, M, B, K> b) {                   \
    return SmallFloat<E, M, B, K>(float(a) op float(b));                                                            \
  }                                                                                                                 \
  template <int E, int M, int B, SmallFloatKind K, class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0> \
  inline T operator op(SmallFloat<E, M, B, K> a, T b) {                                                             \
    return T(float(a)) op b;                                                                                        \
  }                                                                                                                 \
  template <int E, int M, int B, SmallFloatKind K, class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0> \
  inline T operator op(T a, SmallFloat<E, M, B, K> b) {                                                             \
    return a op T(float(b));                                                                                        \
  }                                                                                                                 \
  template <int E, int M, int B, SmallFloatKind K, class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>       \
  inline SmallFloat<E, M, B, K> operator op(SmallFloat<E, M, B, K> a, T b) {                                        \
    return SmallFloat<E, M, B, K>(float(a) op float(b));                                                            \
  }                                                                                                                 \
  template <int E, int M, int B, SmallFloatKind K, class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>       \
  inline SmallFloat<E, M, B, K> operator op(T a, SmallFloat<E, M, B, K> b) {                                        \
    return SmallFloat<E, M, B, K>(float(a) op float(b));                                                            \
  }
MT_SMALL_FLOAT_OPERATOR(+)
MT_SMALL_FLOAT_OPERATOR(-)
MT_SMALL_FLOAT_OPERATOR(*)
MT_SMALL_FLOAT_OPERATOR(/)
#undef MT_SMALL_FLOAT_OPERATOR

template <int E, int M, int B, SmallFloatKind K>
inline SmallFloat<E, M, B, K> operator-(SmallFloat<E, M, B, K> a) {
  return SmallFloat<E, M, B, K>(-float(a));
}
template <int E, int M, int B, SmallFloatKind K>
inline std::ostream& operator<<(std::ostream& out, const SmallFloat<E, M, B, K>& a) {
  return out << float(a);
}

using Half = SmallFloat<5, 10, 15, SmallFloatKind::ieee>;
using BFloat16 = SmallFloat<8, 7, 127, SmallFloatKind::ieee>;
using Float8_e5m2 = SmallFloat<5, 2, 15, SmallFloatKind::ieee>;
using Float8_e4m3fn = SmallFloat<4, 3, 7, SmallFloatKind::finite>;
using Float8_e5m2fnuz = SmallFloat<5, 2, 16, SmallFloatKind::unsigned_zero>;
using Float8_e4m3fnuz = SmallFloat<4, 3, 8, SmallFloatKind::unsigned_zero>;

// Types without arithmetic: Float8_e8m0fnu is a scale, a power of two; Float4_e2m1fn_x2 is a pair of four-bit numbers.
struct Float8_e8m0fnu {
  uint8_t x;
};
struct Float4_e2m1fn_x2 {
  uint8_t val_;
};

}  // namespace c10

namespace torch::headeronly {
using c10::BFloat16;
using c10::Float4_e2m1fn_x2;
using c10::Float8_e4m3fn;
using c10::Float8_e4m3fnuz;
using c10::Float8_e5m2;
using c10::Float8_e5m2fnuz;
using c10::Float8_e8m0fnu;
using c10::Half;
}  // namespace torch::headeronly
