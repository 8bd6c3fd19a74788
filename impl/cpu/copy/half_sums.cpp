#include "cpu/copy/half_sums.h"

#include "cpu/gemm/half_lanes.h"

namespace mt::cpu {

#if MT_HAS_X86_TARGETS
namespace {

#define MT_LANES inline __attribute__((always_inline))

// Widens sixteen elements, in an order of lanes that store_in_memory_order() restores.
MT_TARGET_AVX2 MT_LANES void widen_pairs(const Half* from, __m256& a, __m256& b) {
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  a = _mm256_cvtph_ps(_mm256_castsi256_si128(bits)), b = _mm256_cvtph_ps(_mm256_extracti128_si256(bits, 1));
}
MT_TARGET_AVX2 MT_LANES void widen_pairs(const BFloat16* from, __m256& even, __m256& odd) {
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  even = _mm256_castsi256_ps(_mm256_slli_epi32(bits, 16));
  odd = _mm256_castsi256_ps(_mm256_and_si256(bits, _mm256_set1_epi32(-0x10000)));
}
MT_TARGET_AVX2 MT_LANES void store_in_memory_order(const Half*, float* to, __m256 a, __m256 b) {
  _mm256_storeu_ps(to, a), _mm256_storeu_ps(to + 8, b);
}
MT_TARGET_AVX2 MT_LANES void store_in_memory_order(const BFloat16*, float* to, __m256 even, __m256 odd) {
  const __m256 low = _mm256_unpacklo_ps(even, odd), high = _mm256_unpackhi_ps(even, odd);
  _mm256_storeu_ps(to, _mm256_permute2f128_ps(low, high, 0x20)), _mm256_storeu_ps(to + 8, _mm256_permute2f128_ps(low, high, 0x31));
}

// Sums 16 * Blocks columns from `data` on.
template <int Blocks, class T>
MT_TARGET_AVX2 MT_LANES void sum_column_block(const T* data, int64_t rows, int64_t stride, float* totals) {
  __m256 sums[2 * Blocks];
#pragma GCC unroll 8
  for (int k = 0; k < 2 * Blocks; ++k) sums[k] = _mm256_setzero_ps();
  const char* row = reinterpret_cast<const char*>(data);
  for (int64_t i = 0; i < rows; ++i, row += stride) {
#pragma GCC unroll 4
    for (int k = 0; k < Blocks; ++k) {
      __m256 a, b;
      widen_pairs(reinterpret_cast<const T*>(row) + 16 * k, a, b);
      sums[2 * k] = _mm256_add_ps(sums[2 * k], a), sums[2 * k + 1] = _mm256_add_ps(sums[2 * k + 1], b);
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < Blocks; ++k) store_in_memory_order(data, totals + 16 * k, sums[2 * k], sums[2 * k + 1]);
}
template <class T>
MT_TARGET_AVX2 float sum_elements(const T* data, int64_t n) {
  float totals[32];
  sum_column_block<2>(data, n / 32, 32 * int64_t(sizeof(T)), totals);
  for (int64_t i = n / 32 * 32, j = 0; i < n; ++i, ++j) totals[j] += float(data[i]);
  for (int width = 16; width > 0; width /= 2)
    for (int j = 0; j < width; ++j) totals[j] += totals[j + width];
  return totals[0];
}
template <class T>
MT_TARGET_AVX2 void column_sums(const T* data, int64_t rows, int64_t stride, int64_t columns, float* totals) {
  int64_t j = 0;
  for (; j + 64 <= columns; j += 64) sum_column_block<4>(data + j, rows, stride, totals + j);
  for (; j + 16 <= columns; j += 16) sum_column_block<1>(data + j, rows, stride, totals + j);
  for (; j < columns; ++j) {
    totals[j] = 0;
    for (int64_t i = 0; i < rows; ++i) totals[j] += float(reinterpret_cast<const T*>(reinterpret_cast<const char*>(data) + i * stride)[j]);
  }
}

#undef MT_LANES

}  // namespace

bool has_half_sums() {
  static const bool has = cpu_capability() >= Capability::avx2;
  return has;
}
float half_sum(const Half* data, int64_t n) { return sum_elements(data, n); }
float half_sum(const BFloat16* data, int64_t n) { return sum_elements(data, n); }
void half_column_sums(const Half* data, int64_t rows, int64_t stride, int64_t columns, float* totals) {
  column_sums(data, rows, stride, columns, totals);
}
void half_column_sums(const BFloat16* data, int64_t rows, int64_t stride, int64_t columns, float* totals) {
  column_sums(data, rows, stride, columns, totals);
}
#else
bool has_half_sums() { return false; }
float half_sum(const Half*, int64_t) { return 0; }
float half_sum(const BFloat16*, int64_t) { return 0; }
void half_column_sums(const Half*, int64_t, int64_t, int64_t, float*) {}
void half_column_sums(const BFloat16*, int64_t, int64_t, int64_t, float*) {}
#endif

}  // namespace mt::cpu
