// Storage types narrower than float: Half, BFloat16 and the float8 family, with conversions that round to nearest even.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace mt {

// The conversions use only integer arithmetic and selects: loops over them vectorise at every target level, and the processor's
// flush-to-zero mode does not change any number that the narrow type can represent.

constexpr float half_bits_to_float(uint16_t bits) {
  const uint32_t magnitude = bits & 0x7fffu;
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t rebias = magnitude >= 0x7c00u ? 0x70000000u : 0x38000000u;  // infinity and NaN shift the exponent twice
  const uint32_t quiet = magnitude > 0x7c00u ? 0x400000u : 0u;
  const uint32_t normal = ((magnitude << 13) + rebias) | quiet;
  const uint32_t subnormal = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f);
  return std::bit_cast<float>((magnitude < 0x400u ? subnormal : normal) | sign);
}

constexpr uint16_t float_to_half_bits(float value) {
  const uint32_t word = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = word & 0x7fffffffu;
  const uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  // Adding 0.5 makes 2^-24, the spacing of subnormal halves, the last bit: the floating-point adder then rounds.
  const uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x477ff000u ? 0x7c00u : result;
  result = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x1ffu) : result;
  return static_cast<uint16_t>(result | ((word >> 16) & 0x8000u));
}

constexpr float bfloat16_bits_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

constexpr uint16_t float_to_bfloat16_bits(float value) {
  const uint32_t word = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (word + 0x7fffu + ((word >> 16) & 1u)) >> 16;
  return static_cast<uint16_t>((word & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}

// How a float8 format encodes values that are not finite.
enum class Float8Specials { ieee, one_nan_magnitude, nan_is_negative_zero };

template <int ExponentBits, int Bias, Float8Specials Specials>
struct Float8Codec {
  static constexpr int mantissa_bits = 7 - ExponentBits;
  static constexpr int shift = 23 - mantissa_bits;
  static constexpr uint32_t rebias = static_cast<uint32_t>(127 - Bias) << 23;
  static constexpr uint32_t smallest_normal = static_cast<uint32_t>(128 - Bias) << 23;
  // e4m3fn saturates, also for infinity, as in torch; the other formats overflow to infinity or NaN.
  static constexpr uint32_t overflow_code = Specials == Float8Specials::ieee                ? 0x7cu
                                            : Specials == Float8Specials::one_nan_magnitude ? 0x7eu
                                                                                            : 0x80u;

  static constexpr float decode(uint8_t bits) {
    const uint32_t magnitude = bits & 0x7fu;
    const uint32_t sign = static_cast<uint32_t>(bits & 0x80u) << 24;
    const float step = std::bit_cast<float>(static_cast<uint32_t>(128 - Bias - mantissa_bits) << 23);
    const uint32_t subnormal = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)) * step);
    uint32_t result = magnitude < (1u << mantissa_bits) ? subnormal : (magnitude << shift) + rebias;
    if constexpr (Specials == Float8Specials::ieee) {
      result = magnitude >= 0x7cu ? 0x7f800000u | ((magnitude & 3u) << 21) : result;
      result = magnitude > 0x7cu ? result | 0x400000u : result;
    } else if constexpr (Specials == Float8Specials::one_nan_magnitude) {
      result = magnitude == 0x7fu ? 0x7ff00000u : result;
    } else {
      if (bits == 0x80u) return std::numeric_limits<float>::quiet_NaN();
    }
    return std::bit_cast<float>(result | sign);
  }

  static constexpr uint8_t encode(float value) {
    const uint32_t word = std::bit_cast<uint32_t>(value);
    const uint32_t magnitude = word & 0x7fffffffu;
    const uint32_t sign = (word >> 24) & 0x80u;
    const uint32_t rounding = (1u << (shift - 1)) - 1u + ((magnitude >> shift) & 1u);
    const uint32_t normal = (magnitude + rounding - rebias) >> shift;
    // A number whose last bit equals the spacing of this format's subnormals: adding it makes the adder round.
    constexpr uint32_t aligner = static_cast<uint32_t>(128 - Bias - mantissa_bits + 23) << 23;
    const uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + std::bit_cast<float>(aligner)) - aligner;
    uint32_t result = magnitude < smallest_normal ? subnormal : normal;
    constexpr uint32_t first_too_large = Specials == Float8Specials::one_nan_magnitude ? 0x7fu : overflow_code;
    const bool overflow = magnitude >= smallest_normal && (result >= first_too_large || magnitude >= 0x7f000000u);
    if constexpr (Specials == Float8Specials::nan_is_negative_zero) {
      if (overflow || magnitude > 0x7f800000u) return 0x80u;
      return static_cast<uint8_t>(result == 0 ? 0 : result | sign);
    } else {
      result = overflow ? overflow_code : result;
      result = magnitude > 0x7f800000u ? 0x7fu : result;
      return static_cast<uint8_t>(result | sign);
    }
  }
};

using E5M2Codec = Float8Codec<5, 15, Float8Specials::ieee>;
using E4M3FnCodec = Float8Codec<4, 7, Float8Specials::one_nan_magnitude>;
using E5M2FnuzCodec = Float8Codec<5, 16, Float8Specials::nan_is_negative_zero>;
using E4M3FnuzCodec = Float8Codec<4, 8, Float8Specials::nan_is_negative_zero>;

// A power of two, 2^(code - 127); code 255 is NaN. There is no sign and no zero.
struct E8M0Codec {
  static constexpr float decode(uint8_t bits) {
    const uint32_t word = bits == 0xffu ? 0x7fc00000u : bits == 0u ? 0x00400000u : static_cast<uint32_t>(bits) << 23;
    return std::bit_cast<float>(word);
  }
  static constexpr uint8_t encode(float value) {
    const uint32_t word = std::bit_cast<uint32_t>(value);
    const uint32_t exponent = (word >> 23) & 0xffu;
    const uint32_t mantissa = word & 0x7fffffu;
    if (exponent == 0xffu) return 0xffu;
    // A number above the midpoint rounds up; a tie rounds up only if the number is normal.
    const bool up = mantissa > 0x400000u || (mantissa == 0x400000u && exponent > 0);
    return static_cast<uint8_t>(exponent + (up ? 1u : 0u));
  }
};

#define MT_NARROW_ARITHMETIC(Type)                                                                    \
  friend constexpr Type& operator+=(Type& a, float b) { return a = Type(static_cast<float>(a) + b); } \
  friend constexpr Type& operator-=(Type& a, float b) { return a = Type(static_cast<float>(a) - b); } \
  friend constexpr Type& operator*=(Type& a, float b) { return a = Type(static_cast<float>(a) * b); } \
  friend constexpr Type& operator/=(Type& a, float b) { return a = Type(static_cast<float>(a) / b); }

// IEEE binary16. Arithmetic is done in float: conversions are implicit both ways.
struct Half {
  uint16_t bits;
  Half() = default;
  constexpr Half(float value) : bits(float_to_half_bits(value)) {}
  constexpr operator float() const { return half_bits_to_float(bits); }
  static constexpr Half from_bits(uint16_t bits) {
    Half result(0.0f);
    result.bits = bits;
    return result;
  }
  MT_NARROW_ARITHMETIC(Half)
};

struct BFloat16 {
  uint16_t bits;
  BFloat16() = default;
  constexpr BFloat16(float value) : bits(float_to_bfloat16_bits(value)) {}
  constexpr operator float() const { return bfloat16_bits_to_float(bits); }
  static constexpr BFloat16 from_bits(uint16_t bits) {
    BFloat16 result(0.0f);
    result.bits = bits;
    return result;
  }
  MT_NARROW_ARITHMETIC(BFloat16)
};

#define MT_FLOAT8_TYPE(Type, Codec)                                  \
  struct Type {                                                      \
    uint8_t bits;                                                    \
    Type() = default;                                                \
    constexpr Type(float value) : bits(Codec::encode(value)) {}      \
    constexpr operator float() const { return Codec::decode(bits); } \
    static constexpr Type from_bits(uint8_t bits) {                  \
      Type result(0.0f);                                             \
      result.bits = bits;                                            \
      return result;                                                 \
    }                                                                \
    MT_NARROW_ARITHMETIC(Type)                                       \
  };

MT_FLOAT8_TYPE(Float8_e5m2, E5M2Codec)
MT_FLOAT8_TYPE(Float8_e4m3fn, E4M3FnCodec)
MT_FLOAT8_TYPE(Float8_e5m2fnuz, E5M2FnuzCodec)
MT_FLOAT8_TYPE(Float8_e4m3fnuz, E4M3FnuzCodec)
MT_FLOAT8_TYPE(Float8_e8m0fnu, E8M0Codec)

#undef MT_FLOAT8_TYPE
#undef MT_NARROW_ARITHMETIC

}  // namespace mt

// The limits that torch.finfo reports, as bit patterns: smallest normal, largest, epsilon, digits of the significand.
#define MT_NARROW_LIMITS(Type, min_bits, max_bits, lowest_bits, eps_bits, denorm_bits, inf_bits, nan_bits, digits_) \
  template <>                                                                                                       \
  struct std::numeric_limits<mt::Type> {                                                                            \
    static constexpr bool is_specialized = true;                                                                    \
    static constexpr bool is_signed = true;                                                                         \
    static constexpr bool is_integer = false;                                                                       \
    static constexpr bool has_infinity = (inf_bits) != (max_bits);                                                  \
    static constexpr bool has_quiet_NaN = true;                                                                     \
    static constexpr int digits = (digits_);                                                                        \
    static constexpr mt::Type min() { return mt::Type::from_bits(min_bits); }                                       \
    static constexpr mt::Type max() { return mt::Type::from_bits(max_bits); }                                       \
    static constexpr mt::Type lowest() { return mt::Type::from_bits(lowest_bits); }                                 \
    static constexpr mt::Type epsilon() { return mt::Type::from_bits(eps_bits); }                                   \
    static constexpr mt::Type denorm_min() { return mt::Type::from_bits(denorm_bits); }                             \
    static constexpr mt::Type infinity() { return mt::Type::from_bits(inf_bits); }                                  \
    static constexpr mt::Type quiet_NaN() { return mt::Type::from_bits(nan_bits); }                                 \
  };

MT_NARROW_LIMITS(Half, 0x0400, 0x7bff, 0xfbff, 0x1400, 0x0001, 0x7c00, 0x7e00, 11)
MT_NARROW_LIMITS(BFloat16, 0x0080, 0x7f7f, 0xff7f, 0x3c00, 0x0001, 0x7f80, 0x7fc0, 8)
MT_NARROW_LIMITS(Float8_e5m2, 0x04, 0x7b, 0xfb, 0x34, 0x01, 0x7c, 0x7f, 3)
MT_NARROW_LIMITS(Float8_e4m3fn, 0x08, 0x7e, 0xfe, 0x20, 0x01, 0x7e, 0x7f, 4)
MT_NARROW_LIMITS(Float8_e5m2fnuz, 0x04, 0x7f, 0xff, 0x34, 0x01, 0x7f, 0x80, 3)
MT_NARROW_LIMITS(Float8_e4m3fnuz, 0x08, 0x7f, 0xff, 0x28, 0x01, 0x7f, 0x80, 4)
MT_NARROW_LIMITS(Float8_e8m0fnu, 0x00, 0xfe, 0x00, 0x7f, 0x00, 0xfe, 0xff, 1)

#undef MT_NARROW_LIMITS
