// Block formats whose elements are indices into grids. The grids come from ggml's tables (LICENSES/ggml.txt): codes of two or four bits,
// eight or four per point.
#include "io/ggml_grids.h"

#include <bit>
#include <cstring>

#include "core/half.h"

asm(".pushsection .rodata\n"
    ".hidden mt_ggml_grids\n"
    ".global mt_ggml_grids\n"
    "mt_ggml_grids:\n"
    ".incbin \"" MT_GGML_GRIDS
    "\"\n"
    ".popsection\n");
extern "C" const uint8_t mt_ggml_grids[] __attribute__((visibility("hidden")));

namespace mt::io {

namespace {

// The start of each grid in the table.
constexpr int iq2_xxs_grid = 0, iq2_xs_grid = 512, iq2_s_grid = 1536, iq3_xxs_grid = 3584, iq3_s_grid = 4096, iq1_s_grid = 5120;

float half_at(const uint8_t* at) {
  uint16_t bits;
  std::memcpy(&bits, at, 2);
  return float(std::bit_cast<Half>(bits));
}
int short_at(const uint8_t* at) { return at[0] | at[1] << 8; }
uint32_t word_at(const uint8_t* at) {
  uint32_t word;
  std::memcpy(&word, at, 4);
  return word;
}

// Completes seven sign bits by an eighth that makes the number of negative signs even.
int complete_even_signs(uint32_t seven) { return int(seven) | (std::popcount(seven) & 1) << 7; }

// Code i of a grid point, which has eight codes of two bits or four of four bits.
int code_in_point_of_eight(int grid, int point, int i) { return mt_ggml_grids[grid + point * 2 + i / 4] >> (i % 4 * 2) & 3; }
int code_in_point_of_four(int grid, int point, int i) { return mt_ggml_grids[grid + point * 2 + i / 2] >> (i % 2 * 4) & 15; }

void decode_eight_elements(int grid, int point, int signs, float scale, float* y) {
  static constexpr float values[] = {0x08, 0x19, 0x2b, 0};
  for (int i = 0; i < 8; ++i) {
    const float value = scale * values[code_in_point_of_eight(grid, point, i)];
    y[i] = signs >> i & 1 ? -value : value;
  }
}
void decode_four_elements(int grid, const float* values, int point, int signs, float scale, float* y) {
  for (int i = 0; i < 4; ++i) {
    const float value = scale * values[code_in_point_of_four(grid, point, i)];
    y[i] = signs >> i & 1 ? -value : value;
  }
}
void decode_ternary_elements(int point, float scale, float shift, float* y) {
  for (int i = 0; i < 8; ++i) y[i] = scale * (float(code_in_point_of_eight(iq1_s_grid, point, i) - 1) + shift);
}

}  // namespace

void dequantize_iq2_xxs(const uint8_t* b, float* y) {
  const float d = half_at(b);
  for (int part = 0; part < 8; ++part, y += 32) {
    const uint8_t* q = b + 2 + part * 8;
    const uint32_t word = word_at(q + 4);
    const float scale = d * (0.5f + float(word >> 28)) * 0.25f;
    for (int i = 0; i < 4; ++i) decode_eight_elements(iq2_xxs_grid, q[i], complete_even_signs(word >> (7 * i) & 127), scale, y + 8 * i);
  }
}

void dequantize_iq2_xs(const uint8_t* b, float* y) {
  const float d = half_at(b);
  for (int part = 0; part < 8; ++part, y += 32) {
    for (int i = 0; i < 4; ++i) {
      const int q = short_at(b + 2 + part * 8 + i * 2);
      const float scale = d * (0.5f + float(b[66 + part] >> (i / 2 * 4) & 15)) * 0.25f;
      decode_eight_elements(iq2_xs_grid, q & 511, complete_even_signs(uint32_t(q) >> 9), scale, y + 8 * i);
    }
  }
}

void dequantize_iq2_s(const uint8_t* b, float* y) {
  const float d = half_at(b);
  for (int part = 0; part < 8; ++part, y += 32) {
    for (int i = 0; i < 4; ++i) {
      const int point = b[2 + part * 4 + i] | (b[66 + part] >> (2 * i) & 3) << 8;
      const float scale = d * (0.5f + float(b[74 + part] >> (i / 2 * 4) & 15)) * 0.25f;
      decode_eight_elements(iq2_s_grid, point, b[34 + part * 4 + i], scale, y + 8 * i);
    }
  }
}

void dequantize_iq3_xxs(const uint8_t* b, float* y) {
  static constexpr float values[16] = {0x04, 0x0c, 0x14, 0x1c, 0x24, 0x2c, 0x34, 0x3e};
  const float d = half_at(b);
  for (int part = 0; part < 8; ++part, y += 32) {
    const uint32_t word = word_at(b + 66 + part * 4);
    const float scale = d * (0.5f + float(word >> 28)) * 0.5f;
    for (int i = 0; i < 8; ++i) {
      const int signs = complete_even_signs(word >> (7 * (i / 2)) & 127) >> (i % 2 * 4);
      decode_four_elements(iq3_xxs_grid, values, b[2 + part * 8 + i], signs, scale, y + 4 * i);
    }
  }
}

void dequantize_iq3_s(const uint8_t* b, float* y) {
  static constexpr float values[16] = {1, 3, 5, 7, 9, 11, 13, 15};
  const float d = half_at(b);
  for (int part = 0; part < 8; ++part, y += 32) {
    const float scale = d * float(1 + 2 * (b[106 + part / 2] >> (part % 2 * 4) & 15));
    for (int i = 0; i < 8; ++i) {
      const int point = b[2 + part * 8 + i] | (b[66 + part] >> i & 1) << 8;
      decode_four_elements(iq3_s_grid, values, point, b[74 + part * 4 + i / 2] >> (i % 2 * 4), scale, y + 4 * i);
    }
  }
}

void dequantize_iq1_s(const uint8_t* b, float* y) {
  const float d = half_at(b);
  for (int part = 0; part < 8; ++part, y += 32) {
    const int high = short_at(b + 34 + part * 2);
    const float scale = d * float(2 * (high >> 12 & 7) + 1), shift = high & 0x8000 ? -0.125f : 0.125f;
    for (int i = 0; i < 4; ++i) decode_ternary_elements(b[2 + part * 4 + i] | (high >> (3 * i) & 7) << 8, scale, shift, y + 8 * i);
  }
}

void dequantize_iq1_m(const uint8_t* b, float* y) {
  const uint8_t *high = b + 32, *scales = b + 48;
  // The block's scale is in the upper four bits of the four words of sub-block scales.
  uint16_t bits = 0;
  for (int i = 0; i < 4; ++i) bits |= uint16_t((short_at(scales + 2 * i) >> 12) << (4 * i));
  const float d = float(std::bit_cast<Half>(bits));
  for (int part = 0; part < 8; ++part, y += 32) {
    for (int i = 0; i < 4; ++i) {
      const int extra = high[part * 2 + i / 2] >> (i % 2 * 4) & 15;
      const int three = short_at(scales + part / 2 * 2) >> (part % 2 * 6 + i / 2 * 3) & 7;
      decode_ternary_elements(b[part * 4 + i] | (extra & 7) << 8, d * float(2 * three + 1), extra & 8 ? -0.125f : 0.125f, y + 8 * i);
    }
  }
}

}  // namespace mt::io
