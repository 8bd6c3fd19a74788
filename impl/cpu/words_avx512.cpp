// 16 x 16 words at a time, with masks for what a matrix leaves of the last ones.
#include "words_avx512.h"

#include <algorithm>

#if MT_HAS_X86_TARGETS
#include <immintrin.h>

namespace mt::cpu::detail {
namespace {

// out[i * pitch + lane] = word i of lane, for `count` words and `width` lanes, at most 16 each. Lanes lie `stride` bytes apart; those
// from `lanes` on, and halves of words that `halves` leaves out, are not read and become 0.
MT_TARGET_AVX512 inline __attribute__((always_inline)) void transpose_block(const char* from, int64_t stride, int lanes, __mmask32 halves,
                                                                            int count, int64_t pitch, int width, float* out) {
  typedef int32_t Words __attribute__((vector_size(64)));
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

// `pitch` words from word i to word i + 1 of `out`.
MT_TARGET_AVX512 void transpose(const void* source, int64_t stride, int64_t lanes, int64_t bytes, int64_t width, int64_t pitch,
                                float* out) {
  for (int64_t lane = 0; lane < width; lane += 16) {
    const int across = int(std::min<int64_t>(16, width - lane)), read = int(std::clamp<int64_t>(lanes - lane, 0, across));
    const char* from = static_cast<const char*>(source) + lane * stride;
    float* to = out + lane;
    int64_t at = 0;
    if (read == across) {
      for (; at + 64 <= bytes; at += 64, to += 16 * pitch) transpose_block(from + at, stride, across, ~0u, 16, pitch, across, to);
    }
    for (; at < bytes; at += 64, to += 16 * pitch) {
      const int64_t left = std::min<int64_t>(64, bytes - at);
      transpose_block(from + at, stride, read, first_lanes(left / 2), int((left + 3) / 4), pitch, across, to);
    }
  }
}

}  // namespace

void transpose_words(const void* source, int64_t stride, int64_t lanes, int64_t bytes, int64_t width, float* out) {
  transpose(source, stride, lanes, bytes, width, width, out);
}
void transpose_words_apart(const void* source, int64_t stride, int64_t lanes, int64_t bytes, int64_t pitch, float* out) {
  transpose(source, stride, lanes, bytes, lanes, pitch, out);
}

}  // namespace mt::cpu::detail
#endif
