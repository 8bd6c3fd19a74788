// Blends rows of bytes two taps at a time: AVX2 multiplies interleaved bytes and adds pairs of products in one instruction.
#include "cpu/copy/blend_bytes.h"

#include <algorithm>
#include <cstring>

#include "core/capability.h"
#if MT_HAS_X86_TARGETS
#include <immintrin.h>
#endif

namespace mt::cpu {
namespace {

constexpr int64_t block = 16;

void blend_plain(const uint8_t* const* lines, const int16_t* weight, int64_t taps, int bits, int64_t n, uint8_t* out) {
  const int32_t half = (1 << bits) / 2;
  for (int64_t first = 0; first < n; first += block) {
    const int64_t c = std::min(first, n - block);  // the last block overlaps the one before
    int32_t sums[block];
    std::fill_n(sums, block, half);
    for (int64_t t = 0; t < taps; ++t)
      for (int64_t j = 0; j < block; ++j) sums[j] += weight[t] * lines[t][c + j];
    for (int64_t j = 0; j < block; ++j) out[c + j] = uint8_t(std::clamp(sums[j] >> bits, 0, 255));
  }
}

#if MT_HAS_X86_TARGETS
MT_TARGET_AVX2 void blend_avx2(const uint8_t* const* lines, const int16_t* weight, int64_t taps, int bits, int64_t n, uint8_t* out) {
  const __m256i half = _mm256_set1_epi32((1 << bits) / 2);
  const __m128i shift = _mm_cvtsi32_si128(bits);
  for (int64_t first = 0; first < n; first += block) {
    const int64_t c = std::min(first, n - block);
    __m256i low = half, high = half;
    for (int64_t t = 0; t < taps; t += 2) {
      int32_t pair;
      std::memcpy(&pair, weight + t, sizeof(pair));
      const __m256i weights = _mm256_set1_epi32(pair);
      const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lines[t] + c));
      const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lines[t + 1] + c));
      low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpacklo_epi8(a, b)), weights));
      high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpackhi_epi8(a, b)), weights));
    }
    // The AVX2 instruction packs the two halves of a register separately: the permutation restores the order. Packing saturates to a byte.
    const __m256i words = _mm256_packs_epi32(_mm256_sra_epi32(low, shift), _mm256_sra_epi32(high, shift));
    const __m256i ordered = _mm256_permute4x64_epi64(words, 0xd8);
    const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(ordered), _mm256_extracti128_si256(ordered, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + c), bytes);
  }
}
#endif

}  // namespace

BlendBytes blend_bytes() {
#if MT_HAS_X86_TARGETS
  if (cpu_capability() >= Capability::avx2) return blend_avx2;
#endif
  return blend_plain;
}

}  // namespace mt::cpu
