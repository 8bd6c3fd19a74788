// ggml's block formats: a scale in half precision, and a few bits for each element.
#include "io/ggml_blocks.h"

#include <cmath>

#include "core/half.h"
#include "cpu/threads/parallel.h"
#include "io/ggml_grids.h"

namespace mt::io {

namespace {

constexpr int small_block = 32, large_block = 256;

float half_at(const uint8_t* at) {
  uint16_t bits;
  std::memcpy(&bits, at, 2);
  return float(std::bit_cast<Half>(bits));
}
uint32_t word_at(const uint8_t* at) {
  uint32_t word;
  std::memcpy(&word, at, 4);
  return word;
}

// ---- blocks of 32: the first half of the elements in low nibbles, the second in high ones ----

void dequantize_q4_0(const uint8_t* b, float* y) {
  const float d = half_at(b);
  for (int i = 0; i < 16; ++i) {
    y[i] = d * float((b[2 + i] & 15) - 8);
    y[i + 16] = d * float((b[2 + i] >> 4) - 8);
  }
}
void dequantize_q4_1(const uint8_t* b, float* y) {
  const float d = half_at(b), m = half_at(b + 2);
  for (int i = 0; i < 16; ++i) {
    y[i] = d * float(b[4 + i] & 15) + m;
    y[i + 16] = d * float(b[4 + i] >> 4) + m;
  }
}
// A separate 32-bit word holds the fifth bits of all elements.
int fifth_bit(uint32_t word, int i) { return int(word >> i & 1) << 4; }
void dequantize_q5_0(const uint8_t* b, float* y) {
  const float d = half_at(b);
  const uint32_t high = word_at(b + 2);
  for (int i = 0; i < 16; ++i) {
    y[i] = d * float(((b[6 + i] & 15) | fifth_bit(high, i)) - 16);
    y[i + 16] = d * float(((b[6 + i] >> 4) | fifth_bit(high, i + 16)) - 16);
  }
}
void dequantize_q5_1(const uint8_t* b, float* y) {
  const float d = half_at(b), m = half_at(b + 2);
  const uint32_t high = word_at(b + 4);
  for (int i = 0; i < 16; ++i) {
    y[i] = d * float((b[8 + i] & 15) | fifth_bit(high, i)) + m;
    y[i + 16] = d * float((b[8 + i] >> 4) | fifth_bit(high, i + 16)) + m;
  }
}
void dequantize_q8_0(const uint8_t* b, float* y) {
  const float d = half_at(b);
  for (int i = 0; i < small_block; ++i) y[i] = d * float(int8_t(b[2 + i]));
}
constexpr int8_t nonlinear[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
void dequantize_iq4_nl(const uint8_t* b, float* y) {
  const float d = half_at(b);
  for (int i = 0; i < 16; ++i) {
    y[i] = d * float(nonlinear[b[2 + i] & 15]);
    y[i + 16] = d * float(nonlinear[b[2 + i] >> 4]);
  }
}
void dequantize_mxfp4(const uint8_t* b, float* y) {
  // The table has twice the values of four-bit floats, so the scale is half of a power of two.
  static constexpr int8_t twice[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  const float d = std::ldexp(1.0f, int(b[0]) - 128);
  for (int i = 0; i < 16; ++i) {
    y[i] = d * float(twice[b[1 + i] & 15]);
    y[i + 16] = d * float(twice[b[1 + i] >> 4]);
  }
}

// Converts a block of 64 elements: four unsigned eight-bit floats as scales, and four-bit floats.
void dequantize_nvfp4(const uint8_t* b, float* y) {
  static constexpr int8_t twice[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  for (int part = 0; part < 4; ++part) {
    const int exponent = b[part] >> 3 & 15, fraction = b[part] & 7;
    const float scale = exponent ? std::ldexp(1.0f + float(fraction) / 8, exponent - 7) : std::ldexp(float(fraction), -9);
    const float d = b[part] == 0x7f ? 0.0f : scale * 0.5f;
    for (int i = 0; i < 8; ++i) {
      const uint8_t byte = b[4 + part * 8 + i];
      y[part * 16 + i] = d * float(twice[byte & 15]);
      y[part * 16 + i + 8] = d * float(twice[byte >> 4]);
    }
  }
}

// ---- blocks of 256 elements, in sub-blocks with one scale each ----

void dequantize_q2_k(const uint8_t* b, float* y) {
  const uint8_t *scales = b, *q = b + 16;
  const float d = half_at(b + 80), least = half_at(b + 82);
  for (int i = 0; i < large_block; ++i) {
    const uint8_t scale = scales[i / 16];
    const int bits = q[i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3;
    y[i] = d * float(scale & 15) * float(bits) - least * float(scale >> 4);
  }
}
void dequantize_q3_k(const uint8_t* b, float* y) {
  const uint8_t *high = b, *q = b + 32, *scales = b + 96;
  const float d = half_at(b + 108);
  for (int i = 0; i < large_block; ++i) {
    const int part = i / 16;
    const int low = part < 8 ? scales[part] & 15 : scales[part - 8] >> 4;
    const int scale = (low | (scales[8 + part % 4] >> (part / 4 * 2) & 3) << 4) - 32;
    const int bits = q[i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3;
    const bool has_high = high[i % 32] >> (i / 32) & 1;
    y[i] = d * float(scale) * float(bits - (has_high ? 0 : 4));
  }
}
// A scale and a minimum, of six bits each; a block packs eight of both into twelve bytes.
struct SixBits {
  int scale, least;
};
SixBits decode_six_bits(const uint8_t* s, int part) {
  if (part < 4) return {s[part] & 63, s[part + 4] & 63};
  return {(s[part + 4] & 15) | (s[part - 4] >> 6) << 4, s[part + 4] >> 4 | (s[part] >> 6) << 4};
}
void dequantize_q4_k(const uint8_t* b, float* y) {
  const float d = half_at(b), least = half_at(b + 2);
  const uint8_t* q = b + 16;
  for (int part = 0; part < 8; ++part) {
    const SixBits s = decode_six_bits(b + 4, part);
    const float scale = d * float(s.scale), m = least * float(s.least);
    for (int i = 0; i < 32; ++i) {
      const uint8_t byte = q[part / 2 * 32 + i];
      y[part * 32 + i] = scale * float(part % 2 ? byte >> 4 : byte & 15) - m;
    }
  }
}
void dequantize_q5_k(const uint8_t* b, float* y) {
  const float d = half_at(b), least = half_at(b + 2);
  const uint8_t *high = b + 16, *q = b + 48;
  for (int part = 0; part < 8; ++part) {
    const SixBits s = decode_six_bits(b + 4, part);
    const float scale = d * float(s.scale), m = least * float(s.least);
    for (int i = 0; i < 32; ++i) {
      const uint8_t byte = q[part / 2 * 32 + i];
      const int fifth = (high[i] >> part & 1) << 4;
      y[part * 32 + i] = scale * float((part % 2 ? byte >> 4 : byte & 15) | fifth) - m;
    }
  }
}
void dequantize_q6_k(const uint8_t* b, float* y) {
  const float d = half_at(b + 208);
  for (int i = 0; i < large_block; ++i) {
    const int half = i / 128, row = i % 128 / 32, column = i % 32;
    const uint8_t byte = b[half * 64 + row % 2 * 32 + column];
    const int low = row < 2 ? byte & 15 : byte >> 4;
    const int high = b[128 + half * 32 + column] >> (row * 2) & 3;
    y[i] = d * float(int8_t(b[192 + i / 16])) * float((low | high << 4) - 32);
  }
}
void dequantize_q8_k(const uint8_t* b, float* y) {
  float d;
  std::memcpy(&d, b, 4);
  for (int i = 0; i < large_block; ++i) y[i] = d * float(int8_t(b[4 + i]));
}
void dequantize_iq4_xs(const uint8_t* b, float* y) {
  const float d = half_at(b);
  const int high = b[2] | b[3] << 8;
  for (int part = 0; part < 8; ++part) {
    const int low = b[4 + part / 2] >> (part % 2 * 4) & 15;
    const float scale = d * float((low | (high >> (part * 2) & 3) << 4) - 32);
    for (int i = 0; i < 16; ++i) {
      const uint8_t byte = b[8 + part * 16 + i];
      y[part * 32 + i] = scale * float(nonlinear[byte & 15]);
      y[part * 32 + i + 16] = scale * float(nonlinear[byte >> 4]);
    }
  }
}

// Returns one of five base-3 digits, which a byte stores as a fraction of 256.
int decode_base3_digit(uint8_t byte, int digit) {
  static constexpr uint8_t powers[] = {1, 3, 9, 27, 81};
  return int(uint8_t(byte * powers[digit])) * 3 >> 8;
}
void dequantize_tq1_0(const uint8_t* b, float* y) {
  const float d = half_at(b + 52);
  for (int digit = 0; digit < 5; ++digit) {
    for (int i = 0; i < 32; ++i) y[digit * 32 + i] = d * float(decode_base3_digit(b[i], digit) - 1);
    for (int i = 0; i < 16; ++i) y[160 + digit * 16 + i] = d * float(decode_base3_digit(b[32 + i], digit) - 1);
  }
  for (int digit = 0; digit < 4; ++digit)
    for (int i = 0; i < 4; ++i) y[240 + digit * 4 + i] = d * float(decode_base3_digit(b[48 + i], digit) - 1);
}
void dequantize_tq2_0(const uint8_t* b, float* y) {
  const float d = half_at(b + 64);
  for (int i = 0; i < large_block; ++i) y[i] = d * float((b[i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3) - 1);
}

constexpr GgmlType types[] = {
    {0, "F32", Dtype::float32, 1, 4, nullptr},
    {1, "F16", Dtype::float16, 1, 2, nullptr},
    {2, "Q4_0", Dtype::float32, 32, 18, dequantize_q4_0},
    {3, "Q4_1", Dtype::float32, 32, 20, dequantize_q4_1},
    {6, "Q5_0", Dtype::float32, 32, 22, dequantize_q5_0},
    {7, "Q5_1", Dtype::float32, 32, 24, dequantize_q5_1},
    {8, "Q8_0", Dtype::float32, 32, 34, dequantize_q8_0},
    {10, "Q2_K", Dtype::float32, 256, 84, dequantize_q2_k},
    {11, "Q3_K", Dtype::float32, 256, 110, dequantize_q3_k},
    {12, "Q4_K", Dtype::float32, 256, 144, dequantize_q4_k},
    {13, "Q5_K", Dtype::float32, 256, 176, dequantize_q5_k},
    {14, "Q6_K", Dtype::float32, 256, 210, dequantize_q6_k},
    {15, "Q8_K", Dtype::float32, 256, 292, dequantize_q8_k},
    {16, "IQ2_XXS", Dtype::float32, 256, 66, dequantize_iq2_xxs},
    {17, "IQ2_XS", Dtype::float32, 256, 74, dequantize_iq2_xs},
    {18, "IQ3_XXS", Dtype::float32, 256, 98, dequantize_iq3_xxs},
    {19, "IQ1_S", Dtype::float32, 256, 50, dequantize_iq1_s},
    {21, "IQ3_S", Dtype::float32, 256, 110, dequantize_iq3_s},
    {22, "IQ2_S", Dtype::float32, 256, 82, dequantize_iq2_s},
    {29, "IQ1_M", Dtype::float32, 256, 56, dequantize_iq1_m},
    {20, "IQ4_NL", Dtype::float32, 32, 18, dequantize_iq4_nl},
    {23, "IQ4_XS", Dtype::float32, 256, 136, dequantize_iq4_xs},
    {24, "I8", Dtype::int8, 1, 1, nullptr},
    {25, "I16", Dtype::int16, 1, 2, nullptr},
    {26, "I32", Dtype::int32, 1, 4, nullptr},
    {27, "I64", Dtype::int64, 1, 8, nullptr},
    {28, "F64", Dtype::float64, 1, 8, nullptr},
    {30, "BF16", Dtype::bfloat16, 1, 2, nullptr},
    {34, "TQ1_0", Dtype::float32, 256, 54, dequantize_tq1_0},
    {35, "TQ2_0", Dtype::float32, 256, 66, dequantize_tq2_0},
    {39, "MXFP4", Dtype::float32, 32, 17, dequantize_mxfp4},
    {40, "NVFP4", Dtype::float32, 64, 36, dequantize_nvfp4},
};

}  // namespace

const GgmlType* find_ggml_type(uint32_t number) {
  for (const GgmlType& type : types)
    if (type.number == number) return &type;
  return nullptr;
}

void dequantize(const GgmlType& type, Bytes blocks, float* out) {
  const int64_t count = int64_t(blocks.size()) / type.block_size, grain = 65536 / type.block;
  cpu::parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) type.dequantize(blocks.data() + i * type.block_size, out + i * type.block);
  });
}

}  // namespace mt::io
