// Transposes of 32-bit words in AVX-512 registers: the packing of matrices and the turning of images.
#pragma once

#include <cstdint>

#include "capability.h"
#if MT_HAS_X86_TARGETS
#include <immintrin.h>

namespace mt::cpu::detail {

// The first n of up to 32 lanes.
constexpr uint32_t first_lanes(int64_t n) { return n >= 32 ? ~0u : n <= 0 ? 0u : (1u << n) - 1; }

// out[i * pitch + lane] = word i of lane, for `count` words and `width` lanes, at most 16 each. Lanes lie `stride` bytes apart; those
// from `lanes` on, and halves of words that `halves` leaves out, are not read and become 0.
MT_TARGET_AVX512 inline __attribute__((always_inline)) void transpose_words(const void* source, int64_t stride, int lanes, __mmask32 halves,
                                                                            int count, int64_t pitch, int width, float* out) {
  typedef int32_t Words __attribute__((vector_size(64)));
  const char* from = static_cast<const char*>(source);
  Words r[16], t[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) r[i] = i < lanes ? (Words)_mm512_maskz_loadu_epi16(halves, from + i * stride) : Words{};
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    t[i] = __builtin_shuffle(r[i], r[i + 1], Words{0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29});
    t[i + 1] = __builtin_shuffle(r[i], r[i + 1], Words{2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31});
  }
  constexpr Words low{0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29}, high = low + 2;
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      r[i + 2 * h] = __builtin_shuffle(t[i + h], t[i + h + 2], low);
      r[i + 2 * h + 1] = __builtin_shuffle(t[i + h], t[i + h + 2], high);
    }
  }
  // r[i] of each four holds, in its quarter q, their words 4 q + i.
  constexpr Words even{0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27}, odd = even + 4;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const Words a = __builtin_shuffle(r[i], r[i + 4], even), b = __builtin_shuffle(r[i + 8], r[i + 12], even);
    const Words c = __builtin_shuffle(r[i], r[i + 4], odd), d = __builtin_shuffle(r[i + 8], r[i + 12], odd);
    t[i] = __builtin_shuffle(a, b, even);
    t[i + 4] = __builtin_shuffle(c, d, even);
    t[i + 8] = __builtin_shuffle(a, b, odd);
    t[i + 12] = __builtin_shuffle(c, d, odd);
  }
  const __mmask16 written = static_cast<__mmask16>(first_lanes(width));
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    if (i < count) _mm512_mask_storeu_epi32(out + i * pitch, written, (__m512i)t[i]);
  }
}

// A packed panel of W lanes, zeros for those from `lanes` on: words of one float, or of two neighbours of two bytes.
template <int W, class T>
MT_TARGET_AVX512 void pack_words(const T* source, int64_t lane_stride, int lanes, int64_t k, float* out) {
  constexpr int per_word = 4 / int(sizeof(T)), at_once = 16 * per_word;
  for (int lane = 0; lane < W; lane += 16) {
    const int width = W - lane < 16 ? W - lane : 16, count = lanes - lane < 0 ? 0 : lanes - lane < width ? lanes - lane : width;
    const T* from = source + lane * lane_stride;
    const int64_t stride = lane_stride * int64_t(sizeof(T));
    int64_t p = 0;
    if (count == width) {
      for (; p + at_once <= k; p += at_once) transpose_words(from + p, stride, width, ~0u, 16, W, width, out + p / per_word * W + lane);
    }
    for (; p < k; p += at_once) {
      const int64_t left = k - p < at_once ? k - p : at_once;
      transpose_words(from + p, stride, count, first_lanes(left * int64_t(sizeof(T)) / 2), int((left + per_word - 1) / per_word), W, width,
                      out + p / per_word * W + lane);
    }
  }
}

}  // namespace mt::cpu::detail
#endif
