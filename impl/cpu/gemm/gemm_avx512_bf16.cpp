// bfloat16 products on processors with an instruction for pairs of bfloat16 (Zen 4, Sapphire Rapids): twice the float rate.
#include "core/capability.h"
#include "cpu/buffer.h"
#include "cpu/copy/words_avx512.h"
#include "cpu/gemm/gemm_kernels.h"
#include "cpu/gemm/half_lanes.h"

#if MT_HAS_X86_TARGETS
#include <immintrin.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace mt::cpu::detail {
namespace {

constexpr int rows_of_tile = 12;
constexpr int vectors = 2;
constexpr int cols_of_tile = 16 * vectors;

// sums = A * B, where pair p of row i of A is at a + i * row + p * next: rows are contiguous for a packed panel, pairs are contiguous for A
// in place.
template <int R>
MT_TARGET_BF16 inline __attribute__((always_inline)) void multiply_pairs(int64_t depth, const char* a, int64_t row, int64_t next,
                                                                         const float* b, __m512 (&sums)[R][vectors]) {
  constexpr int threes = (R + 2) / 3;  // a pointer per three rows: x86 addressing can add one or two strides
  const char* rows[threes];
#pragma GCC unroll 4
  for (int g = 0; g < threes; ++g) rows[g] = a + 3 * g * row;
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j) sums[i][j] = _mm512_setzero_ps();
  }
  for (int64_t p = 0; p < depth; ++p) {
    const __m512bh first = (__m512bh)_mm512_loadu_ps(b);
    const __m512bh second = (__m512bh)_mm512_loadu_ps(b + 16);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      float pair;
      std::memcpy(&pair, rows[i / 3] + i % 3 * row, sizeof pair);
      const __m512bh left = (__m512bh)_mm512_set1_ps(pair);
      sums[i][0] = _mm512_dpbf16_ps(sums[i][0], left, first);
      sums[i][1] = _mm512_dpbf16_ps(sums[i][1], left, second);
    }
#pragma GCC unroll 4
    for (int g = 0; g < threes; ++g) rows[g] += next;
    b += cols_of_tile;
  }
}

template <int R>
MT_TARGET_BF16 inline __attribute__((always_inline)) void multiply_tile(int64_t depth, const char* a, int64_t row, int64_t next,
                                                                        const float* b, float* tile, bool accumulate) {
  __m512 sums[R][vectors];
  multiply_pairs<R>(depth, a, row, next, b, sums);
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j) {
      float* place = tile + (i * vectors + j) * 16;
      _mm512_storeu_ps(place, accumulate ? _mm512_add_ps(_mm512_loadu_ps(place), sums[i][j]) : sums[i][j]);
    }
  }
}

template <int R>
MT_TARGET_BF16 void multiply_packed(int64_t depth, const float* a, const float* b, float* tile, bool accumulate) {
  multiply_tile<R>(depth, reinterpret_cast<const char*>(a), 4, 4 * rows_of_tile, b, tile, accumulate);
}

void multiply(int64_t depth, const float* a, const float* b, float* tile, bool accumulate, int rows, int) {
  if (rows <= 4) return multiply_packed<4>(depth, a, b, tile, accumulate);
  if (rows <= 8) return multiply_packed<8>(depth, a, b, tile, accumulate);
  multiply_packed<12>(depth, a, b, tile, accumulate);
}

template <int R>
MT_TARGET_BF16 void multiply_in_place(int64_t depth, const BFloat16* a, int64_t stride, const float* b, float* tile, bool accumulate) {
  multiply_tile<R>(depth, reinterpret_cast<const char*>(a), 2 * stride, 4, b, tile, accumulate);
}

void multiply_unpacked(int64_t depth, const BFloat16* a, int64_t stride, const float* b, float* tile, bool accumulate, int rows, int) {
  int i = 0;
  for (; i + 12 <= rows; i += 12) multiply_in_place<12>(depth, a + i * stride, stride, b, tile + i * cols_of_tile, accumulate);
  for (; i + 4 <= rows; i += 4) multiply_in_place<4>(depth, a + i * stride, stride, b, tile + i * cols_of_tile, accumulate);
  for (; i < rows; ++i) multiply_in_place<1>(depth, a + i * stride, stride, b, tile + i * cols_of_tile, accumulate);
}

template <int R>
MT_TARGET_BF16 void multiply_rows_into(int64_t depth, const char* a, int64_t row, int64_t step, const float* b, const float* before,
                                       const BFloat16* bias, BFloat16* c, int64_t c_stride) {
  __m512 sums[R][vectors];
  multiply_pairs<R>(depth, a, row, step, b, sums);
  if (before != nullptr) {
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
      for (int j = 0; j < vectors; ++j) sums[i][j] = _mm512_add_ps(_mm512_loadu_ps(before + (i * vectors + j) * 16), sums[i][j]);
    }
  }
  if (bias != nullptr) {
    alignas(64) float wide[cols_of_tile];
    widen16(wide, bias);
    widen16(wide + 16, bias + 16);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
      for (int j = 0; j < vectors; ++j) sums[i][j] = _mm512_add_ps(sums[i][j], _mm512_load_ps(wide + 16 * j));
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) _mm512_storeu_si512(c + i * c_stride, (__m512i)_mm512_cvtne2ps_pbh(sums[i][1], sums[i][0]));
}

void multiply_into(int64_t depth, const void* a, int64_t row, int64_t step, const float* b, const float* before, const BFloat16* bias,
                   BFloat16* c, int64_t c_stride, int rows, int) {
  const char* from = static_cast<const char*>(a);
  int i = 0;
  const auto next = [&](int count, auto kernel) {
    for (; i + count <= rows; i += count)
      kernel(depth, from + i * row, row, step, b, before ? before + i * cols_of_tile : nullptr, bias, c + i * c_stride, c_stride);
  };
  next(12, multiply_rows_into<12>);
  next(8, multiply_rows_into<8>);
  next(4, multiply_rows_into<4>);
  next(1, multiply_rows_into<1>);
}

template <int R>
MT_TARGET_BF16 void multiply_spaced_rows(const Steps* steps, int n, int64_t distance, const float* a, const float* b, float* tile,
                                         bool accumulate) {
  __m512 sums[R][vectors];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j) sums[i][j] = _mm512_setzero_ps();
  }
  for (const Steps* last = steps + n; steps < last; ++steps) {
    const float* from = b + steps->offset;
    for (int64_t p = 0; p < steps->count; ++p, a += rows_of_tile, from += distance) {
      const __m512bh first = (__m512bh)_mm512_loadu_ps(from), second = (__m512bh)_mm512_loadu_ps(from + 16);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        const __m512bh left = (__m512bh)_mm512_set1_ps(a[i]);
        sums[i][0] = _mm512_dpbf16_ps(sums[i][0], left, first);
        sums[i][1] = _mm512_dpbf16_ps(sums[i][1], left, second);
      }
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < vectors; ++j) {
      float* place = tile + (i * vectors + j) * 16;
      _mm512_storeu_ps(place, accumulate ? _mm512_add_ps(_mm512_loadu_ps(place), sums[i][j]) : sums[i][j]);
    }
  }
}

void multiply_steps(const Steps* steps, int n, int64_t distance, const float* a, const float* b, float* tile, bool accumulate, int rows) {
  if (rows <= 4) return multiply_spaced_rows<4>(steps, n, distance, a, b, tile, accumulate);
  if (rows <= 8) return multiply_spaced_rows<8>(steps, n, distance, a, b, tile, accumulate);
  multiply_spaced_rows<12>(steps, n, distance, a, b, tile, accumulate);
}

template <int R, int N>
MT_TARGET_BF16 void multiply_scattered(const Steps* steps, int n, const float* const* at, const float* b, float* tile, const float* start) {
  __m512 sums[R][N];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < N; ++j) sums[i][j] = _mm512_setzero_ps();
  }
  for (const Steps* last = steps + n; steps < last; ++steps) {
    const float* rows[R];
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) rows[i] = at[i] + steps->offset;
    for (int64_t p = 0; p < steps->count; ++p) {
      __m512bh right[N];
#pragma GCC unroll 2
      for (int j = 0; j < N; ++j) right[j] = (__m512bh)_mm512_loadu_ps(b + 16 * j);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        const __m512bh left = (__m512bh)_mm512_set1_ps(rows[i][p]);
#pragma GCC unroll 2
        for (int j = 0; j < N; ++j) sums[i][j] = _mm512_dpbf16_ps(sums[i][j], left, right[j]);
      }
      b += cols_of_tile;
    }
  }
  const float* const before = start ? start : tile;
  const int64_t before_row = start ? 0 : cols_of_tile;
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < N; ++j)
      _mm512_storeu_ps(tile + i * cols_of_tile + 16 * j, _mm512_add_ps(_mm512_loadu_ps(before + i * before_row + 16 * j), sums[i][j]));
  }
}

void multiply_positions(const Steps* steps, int n, const float* const* at, const float* b, float* tile, const float* start, int rows,
                        int cols) {
  if (cols <= 16) return multiply_scattered<12, 1>(steps, n, at, b, tile, start);
  if (rows <= 4) return multiply_scattered<4, vectors>(steps, n, at, b, tile, start);
  multiply_scattered<12, vectors>(steps, n, at, b, tile, start);
}

// Interleaves two rows of up to 16 neighbouring lanes into pairs.
template <int W>
MT_TARGET_BF16 void pack_steps(const BFloat16* source, int64_t k_stride, int lanes, int64_t k, float* out) {
  static_assert(W <= 16);
  alignas(64) uint16_t order[32];
  for (int i = 0; i < 32; ++i) order[i] = static_cast<uint16_t>(i / 2 + i % 2 * 32);
  const __m512i pairs = _mm512_load_si512(order);
  const __mmask32 read = first_lanes(lanes);
  for (int64_t p = 0; p < k; p += 2, source += 2 * k_stride, out += W) {
    const __m512i even = _mm512_maskz_loadu_epi16(read, source);
    const __m512i odd = p + 1 < k ? _mm512_maskz_loadu_epi16(read, source + k_stride) : _mm512_setzero_si512();
    _mm512_mask_storeu_epi32(out, static_cast<__mmask16>(first_lanes(W)), _mm512_permutex2var_epi16(even, pairs, odd));
  }
}
// Packs panels of B, four side by side, as pairs of rows.
MT_TARGET_BF16 void pack_panels(const BFloat16* source, int64_t k_stride, int64_t cols, int64_t k, float* out) {
  constexpr int64_t together = 4 * cols_of_tile;
  const int64_t panel = (k + 1) / 2 * cols_of_tile;
  alignas(64) uint16_t order[64];
  for (int i = 0; i < 64; ++i) order[i] = static_cast<uint16_t>(i / 2 + i % 2 * 32);
  const __m512i first = _mm512_load_si512(order), second = _mm512_load_si512(order + 32);
  for (int64_t j = 0; j < cols; j += together, source += together, out += 4 * panel) {
    const int64_t width = std::min(together, cols - j);
    const BFloat16* row = source;
    for (int64_t p = 0; p < k; p += 2, row += 2 * k_stride) {
      float* to = out + p / 2 * cols_of_tile;
      for (int64_t c = 0; c < width; c += cols_of_tile, to += panel) {
        const __mmask32 read = first_lanes(width - c);
        const __m512i even = _mm512_maskz_loadu_epi16(read, row + c);
        const __m512i odd = p + 1 < k ? _mm512_maskz_loadu_epi16(read, row + k_stride + c) : _mm512_setzero_si512();
        _mm512_storeu_si512(to, _mm512_permutex2var_epi16(even, first, odd));
        _mm512_storeu_si512(to + 16, _mm512_permutex2var_epi16(even, second, odd));
      }
    }
  }
}

// Copies `count` elements with stride `step` to contiguous memory; words of two elements give every second one.
MT_TARGET_BF16 inline __attribute__((always_inline)) void make_contiguous(const BFloat16* from, int64_t step, int64_t count, BFloat16* to) {
  int64_t i = 0;
  if (step == 2) {
    for (; i + 16 < count; i += 16) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm512_maskz_cvtepi32_epi16(0xffff, _mm512_loadu_si512(from + 2 * i)));
    }
  }
  for (; i < count; ++i) to[i] = from[i * step];
}

template <int W>
MT_TARGET_BF16 void pack_pairs(const BFloat16* source, int64_t lane_stride, int64_t k_stride, int lanes, int64_t k, float* out) {
  if (k_stride == 1) return transpose_words(source, 2 * lane_stride, lanes, 2 * k, W, out);
  const auto interleave = [&](const BFloat16* rows, int64_t row_stride, int64_t steps) {
    if constexpr (W == cols_of_tile)
      pack_panels(rows, row_stride, lanes, steps, out);
    else
      pack_steps<W>(rows, row_stride, lanes, steps, out);
  };
  if (lane_stride == 1) return interleave(source, k_stride, k);
  // If neither dimension is contiguous, copies a part at a time along the dimension with the smaller stride.
  constexpr int64_t at_once = 128;
  alignas(64) BFloat16 near[W * at_once];
  for (int64_t p = 0; p < k; p += at_once, source += at_once * k_stride, out += at_once / 2 * W) {
    const int64_t steps = std::min(at_once, k - p);
    if (std::abs(k_stride) < std::abs(lane_stride)) {
      for (int lane = 0; lane < lanes; ++lane) make_contiguous(source + lane * lane_stride, k_stride, steps, near + lane * at_once);
      transpose_words(near, 2 * at_once, lanes, 2 * steps, W, out);
    } else {
      for (int64_t i = 0; i < steps; ++i) make_contiguous(source + i * k_stride, lane_stride, lanes, near + i * W);
      interleave(near, W, steps);
    }
  }
}

// Stores contiguous rows of C with a contiguous bias; the kernel that widens to float handles everything else.
MT_TARGET_BF16 void finish(const float* tile, int64_t tile_stride, int64_t row, int64_t col, int64_t rows, int64_t cols,
                           const Output<BFloat16>& output) {
  const Epilogue<BFloat16>& epilogue = output.epilogue;
  const bool plain = output.beta == 0 && output.c.col_stride == 1 && epilogue.row_bias == nullptr &&
                     (epilogue.col_bias == nullptr || epilogue.col_bias_stride == 1) && epilogue.activation == Activation::none;
  if (!plain) return kernels_avx512<BFloat16>().finish(tile, tile_stride, row, col, rows, cols, output);
  const __m512 alpha = _mm512_set1_ps(output.alpha);
  for (int64_t j = 0; j < cols; j += 32) {
    const __mmask32 kept = first_lanes(cols - j);
    const __mmask16 low = static_cast<__mmask16>(kept), high = static_cast<__mmask16>(kept >> 16);
    __m512 first = _mm512_set1_ps(-0.0f), second = first;  // adding -0 changes no sum
    if (epilogue.col_bias != nullptr) {
      alignas(64) BFloat16 narrow[32];
      alignas(64) float bias[32];
      _mm512_store_si512(narrow, _mm512_maskz_loadu_epi16(kept, epilogue.col_bias + col + j));
      widen16(bias, narrow);
      widen16(bias + 16, narrow + 16);
      first = _mm512_load_ps(bias), second = _mm512_load_ps(bias + 16);
    }
    BFloat16* c = output.c.data + row * output.c.row_stride + col + j;
    const float* from = tile + j;
    for (int64_t i = 0; i < rows; ++i, from += tile_stride, c += output.c.row_stride) {
      const __m512 left = _mm512_add_ps(_mm512_mul_ps(_mm512_maskz_loadu_ps(low, from), alpha), first);
      const __m512 right = _mm512_add_ps(_mm512_mul_ps(_mm512_maskz_loadu_ps(high, from + 16), alpha), second);
      _mm512_mask_storeu_epi16(c, kept, (__m512i)_mm512_cvtne2ps_pbh(right, left));
    }
  }
}

// Narrows rows of A, which were widened from bfloat16, so that this is exact.
MT_TARGET_BF16 void narrow(const float* from, int64_t n, uint16_t* to) {
  for (int64_t i = 0; i < n; ++i) {
    uint32_t bits;
    std::memcpy(&bits, from + i, sizeof bits);
    to[i] = static_cast<uint16_t>(bits >> 16);
  }
}

// Sums the lanes of each of C vectors; four vectors are transposed and added at once.
template <int C>
MT_TARGET_BF16 inline __attribute__((always_inline)) void sum_each(const __m512* values, float* sums) {
  __m128 x[C];
#pragma GCC unroll 4
  for (int c = 0; c < C; ++c) {
    __m256 half[2];
    std::memcpy(half, &values[c], sizeof half);
    half[0] = _mm256_add_ps(half[0], half[1]);
    __m128 quarter[2];
    std::memcpy(quarter, &half[0], sizeof quarter);
    x[c] = _mm_add_ps(quarter[0], quarter[1]);
  }
  if constexpr (C == 4) {
    _mm_storeu_ps(sums, _mm_hadd_ps(_mm_hadd_ps(x[0], x[1]), _mm_hadd_ps(x[2], x[3])));
  } else {
    for (int c = 0; c < C; ++c) {
      const __m128 pair = _mm_hadd_ps(x[c], x[c]);
      sums[c] = _mm_cvtss_f32(_mm_hadd_ps(pair, pair));
    }
  }
}

// Multiplies 32 steps of k, or the remaining ones under a mask.
template <int R, int C>
MT_TARGET_BF16 inline __attribute__((always_inline)) void dot_step(__mmask32 mask, const uint16_t* a, int64_t a_stride, const BFloat16* b,
                                                                   int64_t stride, __m512 (&partial)[R][C]) {
  __m512bh right[C];
#pragma GCC unroll 4
  for (int c = 0; c < C; ++c) right[c] = (__m512bh)_mm512_maskz_loadu_epi16(mask, b + c * stride);
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    const __m512bh left = (__m512bh)_mm512_maskz_loadu_epi16(mask, a + r * a_stride);
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) partial[r][c] = _mm512_dpbf16_ps(partial[r][c], left, right[c]);
  }
}

// Computes the inner products of R rows of A with C columns of B.
template <int R, int C>
MT_TARGET_BF16 void dot_block(int64_t k, const uint16_t* a, const BFloat16* b, int64_t stride, float* sums, int64_t sums_stride) {
  __m512 partial[R][C];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) partial[r][c] = _mm512_setzero_ps();
  }
  int64_t p = 0;
  for (; p + 32 <= k; p += 32) dot_step(~__mmask32(0), a + p, k, b + p, stride, partial);
  if (p < k) dot_step((__mmask32(1) << (k - p)) - 1, a + p, k, b + p, stride, partial);
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) sum_each<C>(partial[r], sums + r * sums_stride);
}

template <int R>
MT_TARGET_BF16 void dot_columns(int64_t k, const uint16_t* a, const BFloat16* b, int64_t stride, int64_t cols, float* sums,
                                int64_t sums_stride) {
  int64_t j = 0;
  for (; j + 4 <= cols; j += 4) dot_block<R, 4>(k, a, b + j * stride, stride, sums + j, sums_stride);
  for (; j < cols; ++j) dot_block<R, 1>(k, a, b + j * stride, stride, sums + j, sums_stride);
}

MT_TARGET_BF16 void skinny_by_dots(int64_t k, int rows, const float* a, const BFloat16* b, int64_t stride, int64_t cols, float* sums) {
  Buffer<uint16_t> narrowed(rows * k);
  narrow(a, rows * k, narrowed.data());
  for (int64_t j = 0; j < cols; j += 16) {
    const int64_t width = cols - j < 16 ? cols - j : 16;
    int r = 0;
    for (; r + 4 <= rows; r += 4) dot_columns<4>(k, narrowed.data() + r * k, b + j * stride, stride, width, sums + r * cols + j, cols);
    for (; r < rows; ++r) dot_columns<1>(k, narrowed.data() + r * k, b + j * stride, stride, width, sums + r * cols + j, cols);
  }
}

// sums[R][cols] += 2 * D steps of k. Two rows of B interleave into pairs, so that a block of 32 sums is in the order of the low and the
// high halves of four columns each; `order_unpacked` restores the order.
template <int R, int D>
MT_TARGET_BF16 void add_rows(const uint16_t* a, int64_t a_stride, const BFloat16* b, int64_t stride, int64_t cols, float* sums) {
  __m512bh left[R][D];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int d = 0; d < D; ++d) {
      int32_t both;
      std::memcpy(&both, a + r * a_stride + 2 * d, sizeof both);
      left[r][d] = (__m512bh)_mm512_set1_epi32(both);
    }
  }
  for (int64_t j = 0; j < cols; j += 32) {
    __m512bh right[D][2];
#pragma GCC unroll 4
    for (int d = 0; d < D; ++d) {
      const __m512i even = _mm512_loadu_si512(b + 2 * d * stride + j), odd = _mm512_loadu_si512(b + (2 * d + 1) * stride + j);
      right[d][0] = (__m512bh)_mm512_unpacklo_epi16(even, odd);
      right[d][1] = (__m512bh)_mm512_unpackhi_epi16(even, odd);
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      float* place = sums + r * cols + j;
      __m512 low = _mm512_loadu_ps(place), high = _mm512_loadu_ps(place + 16);
#pragma GCC unroll 4
      for (int d = 0; d < D; ++d) {
        low = _mm512_dpbf16_ps(low, left[r][d], right[d][0]);
        high = _mm512_dpbf16_ps(high, left[r][d], right[d][1]);
      }
      _mm512_storeu_ps(place, low);
      _mm512_storeu_ps(place + 16, high);
    }
  }
}

MT_TARGET_BF16 void skinny_by_rows(int64_t k, int rows, const float* a, const BFloat16* b, int64_t stride, int64_t cols, float* sums) {
  // Unless cols is a multiple of 32 and k of 4, B's edges would have to be copied: the kernel that widens to float computes such products.
  if (cols % 32 != 0 || k % 4 != 0) return kernels_avx512<BFloat16>().skinny_by_rows(k, rows, a, b, stride, cols, sums);
  Buffer<uint16_t> narrowed(rows * k);
  narrow(a, rows * k, narrowed.data());
  std::memset(sums, 0, static_cast<size_t>(rows * cols) * sizeof(float));
  const auto add = [&](int64_t p, auto four, auto one) {
    const uint16_t* left = narrowed.data() + p;
    int r = 0;
    for (; r + 4 <= rows; r += 4) four(left + r * k, k, b + p * stride, stride, cols, sums + r * cols);
    for (; r < rows; ++r) one(left + r * k, k, b + p * stride, stride, cols, sums + r * cols);
  };
  int64_t p = 0;
  for (; p + 8 <= k; p += 8) add(p, add_rows<4, 4>, add_rows<1, 4>);
  if (p < k) add(p, add_rows<4, 2>, add_rows<1, 2>);
  order_unpacked(sums, rows * cols);
}

}  // namespace

bool has_avx512_bf16() { return __builtin_cpu_supports("avx512bf16"); }

const GemmKernels<BFloat16>& kernels_avx512_bf16() {
  static const GemmKernels<BFloat16> table = [] {
    GemmKernels<BFloat16> made = kernels_avx512<BFloat16>();
    made.tile_rows = rows_of_tile;
    made.tile_cols = cols_of_tile;
    made.group = 2;
    made.pack_rows = pack_pairs<rows_of_tile>;
    made.pack_cols = pack_pairs<cols_of_tile>;
    made.pack_panels = pack_panels;
    made.multiply = multiply;
    made.multiply_unpacked = multiply_unpacked;
    made.multiply_into = multiply_into;
    made.into_step = cols_of_tile;
    made.multiply_steps = multiply_steps;
    made.multiply_positions = multiply_positions;
    made.finish = finish;
    made.skinny_by_dots = skinny_by_dots;
    made.skinny_by_rows = skinny_by_rows;
    return made;
  }();
  return table;
}

}  // namespace mt::cpu::detail
#endif
