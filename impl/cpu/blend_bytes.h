// Weighted sums of lines of bytes in fixed point, as images are resampled.
#pragma once

#include <cstdint>

namespace mt::cpu {

// out[i] = the sum of weight[t] * lines[t][i] over an even number of taps, rounded after `bits` bits, within a byte; n >= 16.
using BlendBytes = void (*)(const uint8_t* const* lines, const int16_t* weight, int64_t taps, int bits, int64_t n, uint8_t* out);
// The one for this processor.
BlendBytes blend_bytes();

}  // namespace mt::cpu
