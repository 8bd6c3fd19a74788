// Conversions between half types and float in whole vectors, for the AVX2 and AVX-512 clones: the compiler does not vectorise the float16
// instructions, and written by hand bfloat16's conversions need fewer instructions.
#pragma once

#include "core/capability.h"
#include "core/half.h"
#if MT_HAS_X86_TARGETS
#include <immintrin.h>

namespace mt::cpu {

#define MT_LANES inline __attribute__((always_inline))

// A full mask, since gcc 12 warns about uninitialised values in the intrinsics without a mask.
inline constexpr __mmask16 all_lanes = 0xffff;

MT_TARGET_AVX2 MT_LANES void widen8(float* to, const Half* from) {
  _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
}
MT_TARGET_AVX2 MT_LANES void narrow8(Half* to, const float* from) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT));
}
MT_TARGET_AVX2 MT_LANES void widen8(float* to, const BFloat16* from) {
  const __m256i bits = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_slli_epi32(bits, 16));
}
// Rounds floats to bfloat16, in the upper half of each lane.
MT_TARGET_AVX2 MT_LANES __m256i round8(const float* from) {
  const __m256 value = _mm256_loadu_ps(from);
  const __m256i bits = _mm256_castps_si256(value), odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
  const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
  return _mm256_blendv_epi8(rounded, _mm256_set1_epi32(0x7fc00000), is_nan);
}
MT_TARGET_AVX2 MT_LANES void narrow8(BFloat16* to, const float* from) {
  const __m256i rounded = _mm256_srli_epi32(round8(from), 16);
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(rounded, rounded), 0x08);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(packed));
}
// Converts sixteen elements at once; widened lanes are in the order that needs the fewest instructions, and narrow_reordered() restores it.
MT_TARGET_AVX2 MT_LANES void widen_reordered(float* to, const Half* from) { widen8(to, from), widen8(to + 8, from + 8); }
MT_TARGET_AVX2 MT_LANES void narrow_reordered(Half* to, const float* from) { narrow8(to, from), narrow8(to + 8, from + 8); }
MT_TARGET_AVX2 MT_LANES void widen_reordered(float* to, const BFloat16* from) {
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_slli_epi32(bits, 16));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 8), _mm256_and_si256(bits, _mm256_set1_epi32(-0x10000)));
}
MT_TARGET_AVX2 MT_LANES void narrow_reordered(BFloat16* to, const float* from) {
  const __m256i even = _mm256_srli_epi32(round8(from), 16);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_blend_epi16(even, round8(from + 8), 0xaa));
}
MT_TARGET_AVX512 MT_LANES void widen16(float* to, const Half* from) {
  _mm512_storeu_ps(to, _mm512_maskz_cvtph_ps(all_lanes, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
}
MT_TARGET_AVX512 MT_LANES void widen16(float* to, const BFloat16* from) {
  const __m512i bits = _mm512_maskz_cvtepu16_epi32(all_lanes, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  _mm512_storeu_si512(to, _mm512_maskz_slli_epi32(all_lanes, bits, 16));
}
MT_TARGET_AVX512 MT_LANES void narrow16(Half* to, const float* from) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_maskz_cvtps_ph(all_lanes, _mm512_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT));
}
MT_TARGET_AVX512 MT_LANES void narrow16(BFloat16* to, const float* from) {
  const __m512 value = _mm512_loadu_ps(from);
  const __m512i bits = _mm512_castps_si512(value),
                odd = _mm512_and_si512(_mm512_maskz_srli_epi32(all_lanes, bits, 16), _mm512_set1_epi32(1));
  __m512i rounded = _mm512_maskz_srli_epi32(all_lanes, _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd), 16);
  rounded = _mm512_mask_mov_epi32(rounded, _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q), _mm512_set1_epi32(0x7fc0));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_maskz_cvtepi32_epi16(all_lanes, rounded));
}

#undef MT_LANES

}  // namespace mt::cpu
#endif
