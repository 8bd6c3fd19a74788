// Weighted sums of rows of bytes in fixed point, for resampling images.
#pragma once

#include <cstdint>

namespace mt::cpu {

// out[i] = sum of weight[t] * lines[t][i] over an even number of taps, shifted right by `bits` with rounding and clamped to a byte; n >=
// 16.
using BlendBytes = void (*)(const uint8_t* const* lines, const int16_t* weight, int64_t taps, int bits, int64_t n, uint8_t* out);
// Returns the fastest version that this processor supports.
BlendBytes blend_bytes();

}  // namespace mt::cpu
