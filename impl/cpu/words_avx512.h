// Transposes of 32-bit words in AVX-512 registers: the packing of matrices and the turning of images.
#pragma once

#include <cstdint>

#include "capability.h"
#if MT_HAS_X86_TARGETS

namespace mt::cpu::detail {

// The first n of up to 32 lanes.
constexpr uint32_t first_lanes(int64_t n) { return n >= 32 ? ~0u : n <= 0 ? 0u : (1u << n) - 1; }

// out[i * width + lane] = word i of a lane of `bytes` bytes, an even number; the last word may be half. Lanes lie `stride` bytes apart;
// those from `lanes` to the width are 0.
void transpose_words(const void* source, int64_t stride, int64_t lanes, int64_t bytes, int64_t width, float* out);
// The same with all lanes read, and `pitch` from word to word.
void transpose_words_apart(const void* source, int64_t stride, int64_t lanes, int64_t bytes, int64_t pitch, float* out);

}  // namespace mt::cpu::detail
#endif
