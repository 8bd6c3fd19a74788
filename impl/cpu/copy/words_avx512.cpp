// Transposes blocks of 16 x 16 words, with masks for incomplete blocks; half-type elements are moved as pairs.
#include "cpu/copy/words_avx512.h"

#include <algorithm>

#if MT_HAS_X86_TARGETS
#include <immintrin.h>

namespace mt::cpu::detail {
namespace {

typedef int32_t Words __attribute__((vector_size(64)));
// A full mask, since gcc 12 warns about uninitialised values in the intrinsics without a mask.
constexpr __mmask32 all_lanes = ~0u;

// Transposes: word i of row j becomes word j of row i.
MT_TARGET_AVX512 inline __attribute__((always_inline)) void transpose_16x16(Words (&r)[16]) {
  Words t[16];
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
  // Now quarter q of r[4 g + i] holds word 4 q + i of each of the four rows of group g.
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
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) r[i] = t[i];
}

// Stores `count` rows of `width` words at addresses `pitch` words apart.
MT_TARGET_AVX512 inline __attribute__((always_inline)) void store_words(const Words (&r)[16], int count, int64_t pitch, int width,
                                                                        float* out) {
  const __mmask16 written = static_cast<__mmask16>(first_lanes(width));
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    if (i < count) _mm512_mask_storeu_epi32(out + i * pitch, written, (__m512i)r[i]);
  }
}

// out[i * pitch + lane] = word i of lane, for `count` words and `width` lanes, at most 16 each. Lanes are `stride` bytes apart; lanes
// from `lanes` on, and halves of words outside `halves`, are not read and become 0.
MT_TARGET_AVX512 inline __attribute__((always_inline)) void transpose_block(const char* from, int64_t stride, int lanes, __mmask32 halves,
                                                                            int count, int64_t pitch, int width, float* out) {
  Words r[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) r[i] = i < lanes ? (Words)_mm512_maskz_loadu_epi16(halves, from + i * stride) : Words{};
  transpose_16x16(r);
  store_words(r, count, pitch, width, out);
}

// As transpose_words; word i and word i + 1 of a lane are `pitch` words apart in `out`.
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

// Returns words whose low halves are 16 elements of `low`, and whose high halves are 16 elements of `high`.
MT_TARGET_AVX512 inline __attribute__((always_inline)) Words combine_halves(const uint16_t* low, const uint16_t* high, __mmask16 read) {
  const __m512i even = _mm512_maskz_cvtepu16_epi32(static_cast<__mmask16>(all_lanes), _mm256_maskz_loadu_epi16(read, low));
  const __m512i odd = _mm512_maskz_cvtepu16_epi32(static_cast<__mmask16>(all_lanes), _mm256_maskz_loadu_epi16(read, high));
  return (Words)_mm512_or_si512(even, _mm512_maskz_slli_epi32(static_cast<__mmask16>(all_lanes), odd, 16));
}

MT_TARGET_BF16 void round_and_transpose_block(const float* rows, int64_t pitch, int count, int lanes, BFloat16* out, int64_t out_pitch) {
  alignas(64) uint16_t order[32];
  for (int i = 0; i < 32; ++i) order[i] = static_cast<uint16_t>(i / 2 + i % 2 * 16);
  const __m512i sides = _mm512_load_si512(order);
  Words r[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    const float* const first = rows + std::min(2 * i, count - 1) * pitch;
    const float* const second = rows + std::min(2 * i + 1, count - 1) * pitch;
    const __m512i both = (__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(second), _mm512_loadu_ps(first));
    r[i] = (Words)_mm512_maskz_permutexvar_epi16(all_lanes, sides, both);
  }
  transpose_16x16(r);
  const __mmask32 kept = first_lanes(count);
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    if (i < lanes) _mm512_mask_storeu_epi16(out + i * out_pitch, kept, (__m512i)r[i]);
  }
}

}  // namespace

MT_TARGET_AVX512 void order_unpacked(float* words, int64_t n) {
  const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
  const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
  for (int64_t j = 0; j < n; j += 32) {
    const __m512 low = _mm512_loadu_ps(words + j), high = _mm512_loadu_ps(words + j + 16);
    _mm512_storeu_ps(words + j, _mm512_permutex2var_ps(low, first, high));
    _mm512_storeu_ps(words + j + 16, _mm512_permutex2var_ps(low, second, high));
  }
}

void transpose_words(const void* source, int64_t stride, int64_t lanes, int64_t bytes, int64_t width, float* out) {
  transpose(source, stride, lanes, bytes, width, width, out);
}
void transpose_words_apart(const void* source, int64_t stride, int64_t lanes, int64_t bytes, int64_t pitch, float* out) {
  transpose(source, stride, lanes, bytes, lanes, pitch, out);
}

MT_TARGET_AVX512 void transpose_pairs(const void* first, const void* second, int64_t stride, int64_t lanes, int64_t count, int64_t width,
                                      float* out) {
  const uint16_t *low = static_cast<const uint16_t*>(first), *high = static_cast<const uint16_t*>(second);
  for (int64_t lane = 0; lane < width; lane += 16) {
    const int across = int(std::min<int64_t>(16, width - lane)), filled = int(std::clamp<int64_t>(lanes - lane, 0, across));
    for (int64_t at = 0; at < count; at += 16) {
      const int some = int(std::min<int64_t>(16, count - at));
      const int64_t from = lane * stride + at;
      const __mmask16 read = static_cast<__mmask16>(first_lanes(some));
      Words r[16];
#pragma GCC unroll 16
      for (int i = 0; i < 16; ++i) r[i] = i < filled ? combine_halves(low + from + i * stride, high + from + i * stride, read) : Words{};
      transpose_16x16(r);
      store_words(r, some, width, across, out + at * width + lane);
    }
  }
}

MT_TARGET_AVX512 void join_halves(const float* words, int64_t first, int64_t second, int64_t step, int64_t count, float* out) {
  alignas(64) uint16_t order[32];
  for (int i = 0; i < 32; i += 2) {
    order[i] = static_cast<uint16_t>(i + first % 2);
    order[i + 1] = static_cast<uint16_t>(32 + i + second % 2);
  }
  const __m512i halves = _mm512_load_si512(order);
  const float *low = words + first / 2 * 32, *high = words + second / 2 * 32;
  for (int64_t i = 0; i < count; ++i, low += step * 32, high += step * 32, out += 32)
    for (int j = 0; j < 32; j += 16)
      _mm512_storeu_si512(out + j, _mm512_permutex2var_epi16(_mm512_loadu_si512(low + j), halves, _mm512_loadu_si512(high + j)));
}

void transpose_rounded(const float* rows, int64_t pitch, int64_t count, int64_t lanes, BFloat16* out, int64_t out_pitch) {
  for (int64_t lane = 0; lane < lanes; lane += 16)
    for (int64_t at = 0; at < count; at += 32)
      round_and_transpose_block(rows + at * pitch + lane, pitch, int(std::min<int64_t>(32, count - at)),
                                int(std::min<int64_t>(16, lanes - lane)), out + lane * out_pitch + at, out_pitch);
}

}  // namespace mt::cpu::detail
#endif
