// Transposes of 32-bit words, and of pairs of half-type elements, in AVX-512 registers: for packing matrices and transposing images.
#pragma once

#include <cstdint>

#include "core/capability.h"
#include "core/half.h"
#if MT_HAS_X86_TARGETS

// For processors that multiply pairs of bfloat16 (Zen 4, Sapphire Rapids).
#define MT_TARGET_BF16                                                                                     \
  __attribute__((                                                                                          \
      target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512bf16," \
             "prefer-vector-width=512")))

namespace mt::cpu::detail {

// A mask of the first n of up to 32 lanes.
constexpr uint32_t first_lanes(int64_t n) { return n >= 32 ? ~0u : n <= 0 ? 0u : (1u << n) - 1; }

// out[i * width + lane] = word i of a lane of `bytes` bytes, an even number; the last word may be half. Lanes are `stride` bytes apart;
// those from `lanes` to the width are 0.
void transpose_words(const void* source, int64_t stride, int64_t lanes, int64_t bytes, int64_t width, float* out);
// As transpose_words with all lanes present, and `pitch` words between words of a lane.
void transpose_words_apart(const void* source, int64_t stride, int64_t lanes, int64_t bytes, int64_t pitch, float* out);

// out[i * width + lane] = the pair of half-type elements i at `first` and at `second` of the lane, for `count` elements. Lanes are
// `stride` elements apart; those from `lanes` to the width are 0.
void transpose_pairs(const void* first, const void* second, int64_t stride, int64_t lanes, int64_t count, int64_t width, float* out);
// Restores the order of blocks of 32 words in which unpacking two rows of half-type elements has put the even groups of four before the odd
// ones.
void order_unpacked(float* words, int64_t n);
// Extracts rows from blocks of 32 words, each of which holds two rows of half-type elements: row i of `out` pairs the elements first + 2 *
// i * step and second + 2 * i * step.
void join_halves(const float* words, int64_t first, int64_t second, int64_t step, int64_t count, float* out);
// out[lane * out_pitch + i] = rows[i * pitch + lane] in bfloat16; reads whole vectors of 16 lanes. Requires AVX512_BF16.
void transpose_rounded(const float* rows, int64_t pitch, int64_t count, int64_t lanes, BFloat16* out, int64_t out_pitch);

}  // namespace mt::cpu::detail
#endif
