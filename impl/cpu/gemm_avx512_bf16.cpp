// bfloat16 products on processors that multiply pairs of bfloat16 (Zen 4, Sapphire Rapids): twice the float rate.
#include "capability.h"
#include "gemm_kernels.h"

#if MT_HAS_X86_TARGETS
#include <immintrin.h>

#include <cstring>

#define MT_TARGET_BF16                                                                                     \
  __attribute__((                                                                                          \
      target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512bf16," \
             "prefer-vector-width=512")))

namespace mt::cpu::detail {
namespace {

constexpr int rows_of_tile = 12;
constexpr int vectors = 2;
constexpr int cols_of_tile = 16 * vectors;

template <int R>
MT_TARGET_BF16 void multiply_rows(int64_t depth, const float* a, const float* b, float* tile, bool accumulate) {
  __m512 sums[R][vectors];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j < vectors; ++j) sums[i][j] = _mm512_setzero_ps();
  }
  for (int64_t p = 0; p < depth; ++p) {
    const __m512bh first = (__m512bh)_mm512_loadu_ps(b);
    const __m512bh second = (__m512bh)_mm512_loadu_ps(b + 16);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const __m512bh left = (__m512bh)_mm512_set1_ps(a[i]);
      sums[i][0] = _mm512_dpbf16_ps(sums[i][0], left, first);
      sums[i][1] = _mm512_dpbf16_ps(sums[i][1], left, second);
    }
    a += rows_of_tile;
    b += cols_of_tile;
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j < vectors; ++j) {
      float* place = tile + (i * vectors + j) * 16;
      _mm512_storeu_ps(place, accumulate ? _mm512_add_ps(_mm512_loadu_ps(place), sums[i][j]) : sums[i][j]);
    }
  }
}

void multiply(int64_t depth, const float* a, const float* b, float* tile, bool accumulate, int rows, int) {
  if (rows <= 4) return multiply_rows<4>(depth, a, b, tile, accumulate);
  if (rows <= 8) return multiply_rows<8>(depth, a, b, tile, accumulate);
  multiply_rows<12>(depth, a, b, tile, accumulate);
}

uint32_t pair(const BFloat16* source, int64_t k_stride, int64_t left) {
  return source[0].bits | (left > 1 ? static_cast<uint32_t>(source[k_stride].bits) << 16 : 0u);
}

// Pairs of k-contiguous lanes are whole words: 4 x 4 of them are transposed in registers.
template <int W>
MT_TARGET_BF16 void transpose_four(const BFloat16* source, int64_t lane_stride, int64_t k, uint32_t* out) {
  const int64_t pairs = (k + 1) / 2;
  int64_t p = 0;
  for (; 2 * (p + 4) <= k; p += 4) {
    __m128 rows[4];
    for (int lane = 0; lane < 4; ++lane) std::memcpy(&rows[lane], source + lane * lane_stride + 2 * p, 16);
    _MM_TRANSPOSE4_PS(rows[0], rows[1], rows[2], rows[3]);
    for (int i = 0; i < 4; ++i) std::memcpy(out + (p + i) * W, &rows[i], 16);
  }
  for (; p < pairs; ++p) {
    for (int lane = 0; lane < 4; ++lane) out[p * W + lane] = pair(source + lane * lane_stride + 2 * p, 1, k - 2 * p);
  }
}

template <int W>
MT_TARGET_BF16 void pack(const BFloat16* source, int64_t lane_stride, int64_t k_stride, int lanes, int64_t k,
                         float* packed) {
  uint32_t* out = reinterpret_cast<uint32_t*>(packed);
  const int64_t pairs = (k + 1) / 2;
  int lane = 0;
  if (lane_stride == 1 && lanes == W) {
    for (int64_t p = 0; p < k / 2; ++p) {
      const BFloat16* even = source + 2 * p * k_stride;
      const BFloat16* odd = even + k_stride;
      for (int l = 0; l < W; ++l) out[p * W + l] = even[l].bits | static_cast<uint32_t>(odd[l].bits) << 16;
    }
    if (k % 2 != 0) {
      for (int l = 0; l < W; ++l) out[(pairs - 1) * W + l] = source[(k - 1) * k_stride + l].bits;
    }
    return;
  }
  if (k_stride == 1) {
    for (; lane + 4 <= lanes; lane += 4) {
      transpose_four<W>(source + lane * lane_stride, lane_stride, k, out + lane);
    }
  }
  for (; lane < lanes; ++lane) {
    const BFloat16* from = source + lane * lane_stride;
    for (int64_t p = 0; p < pairs; ++p) out[p * W + lane] = pair(from + 2 * p * k_stride, k_stride, k - 2 * p);
  }
  for (; lane < W; ++lane) {
    for (int64_t p = 0; p < pairs; ++p) out[p * W + lane] = 0;
  }
}

}  // namespace

bool has_avx512_bf16() { return __builtin_cpu_supports("avx512bf16"); }

const GemmKernels<BFloat16>& kernels_avx512_bf16() {
  static const GemmKernels<BFloat16> table = [] {
    GemmKernels<BFloat16> made = kernels_avx512<BFloat16>();
    made.tile_rows = rows_of_tile;
    made.tile_cols = cols_of_tile;
    made.group = 2;
    made.pack_rows = pack<rows_of_tile>;
    made.pack_cols = pack<cols_of_tile>;
    made.multiply = multiply;
    return made;
  }();
  return table;
}

}  // namespace mt::cpu::detail
#endif
