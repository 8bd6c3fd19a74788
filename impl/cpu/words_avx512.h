// Transposes of 32-bit words, and of pairs of halves, in AVX-512 registers: the packing of matrices and the turning of images.
#pragma once

#include <cstdint>

#include "../core/half.h"
#include "capability.h"
#if MT_HAS_X86_TARGETS

// Of processors that multiply pairs of bfloat16 (Zen 4, Sapphire Rapids).
#define MT_TARGET_BF16                                                                                     \
  __attribute__((                                                                                          \
      target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512bf16," \
             "prefer-vector-width=512")))

namespace mt::cpu::detail {

// The first n of up to 32 lanes.
constexpr uint32_t first_lanes(int64_t n) { return n >= 32 ? ~0u : n <= 0 ? 0u : (1u << n) - 1; }

// out[i * width + lane] = word i of a lane of `bytes` bytes, an even number; the last word may be half. Lanes lie `stride` bytes apart;
// those from `lanes` to the width are 0.
void transpose_words(const void* source, int64_t stride, int64_t lanes, int64_t bytes, int64_t width, float* out);
// The same with all lanes read, and `pitch` from word to word.
void transpose_words_apart(const void* source, int64_t stride, int64_t lanes, int64_t bytes, int64_t pitch, float* out);

// out[i * width + lane] = the word of half i of a lane at `first` and half i of the same lane at `second`, for `count` halves. Lanes lie
// `stride` halves apart; those from `lanes` to the width are 0.
void transpose_pairs(const void* first, const void* second, int64_t stride, int64_t lanes, int64_t count, int64_t width, float* out);
// Blocks of 32 words, the even fours and then the odd ones, as unpacking two rows of halves leaves them, become 32 words in order.
void order_unpacked(float* words, int64_t n);
// Rows of 32 words, which hold two rows of halves each: row i of `out` is halves first and second of them, both + 2 * i * step.
void join_halves(const float* words, int64_t first, int64_t second, int64_t step, int64_t count, float* out);
// out[lane * out_pitch + i] = rows[i * pitch + lane] in bfloat16; whole vectors of 16 lanes are read. With AVX512_BF16 only.
void transpose_rounded(const float* rows, int64_t pitch, int64_t count, int64_t lanes, BFloat16* out, int64_t out_pitch);

}  // namespace mt::cpu::detail
#endif
