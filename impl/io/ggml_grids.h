// ggml's types whose elements are points of a grid: an index per four or eight elements, and a sign per element.
#pragma once

#include <cstdint>

namespace mt::io {

// Each converts one block of 256 elements.
void dequantize_iq2_xxs(const uint8_t* block, float* out);
void dequantize_iq2_xs(const uint8_t* block, float* out);
void dequantize_iq2_s(const uint8_t* block, float* out);
void dequantize_iq3_xxs(const uint8_t* block, float* out);
void dequantize_iq3_s(const uint8_t* block, float* out);
void dequantize_iq1_s(const uint8_t* block, float* out);
void dequantize_iq1_m(const uint8_t* block, float* out);

}  // namespace mt::io
