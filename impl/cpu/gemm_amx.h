// bfloat16 products in tiles of 16 x 16 sums (AMX): the kernel, over a tile unit that the hardware or a test provides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "gemm_kernels.h"
#include "words_avx512.h"

namespace mt::cpu::detail {

constexpr int amx_rows = 32, amx_cols = 32;  // of a panel: two tiles each way
constexpr int amx_depth = 16;                // pairs of k in a tile

// What LDTILECFG reads: rows, and bytes of a row, of each of eight tiles. All of ours are whole, so that one is loaded for many products:
// it takes as long as three blocks of 32 x 32 (204 cycles; Intel 64 and IA-32 Architectures Optimization Reference Manual, chapter on AMX).
struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfig) == 64);

// A packed for tiles: blocks of `amx_depth` pairs, in a block a row of pairs for each of `amx_rows` rows; the last block is as wide as
// there are pairs left. Rows that A lacks are zeros.
void pack_amx_rows(const BFloat16* source, int64_t lane_stride, int64_t k_stride, int lanes, int64_t k, float* out);

// The few rows of a thin product, as words of two steps of k: blocks of 16 x 16, by pairs of k down and rows across (the right operand of
// a product with B's columns as they lie), or by rows down (the left operand of one with B's rows). What they lack is zeros.
constexpr int amx_few = 16;
inline int64_t amx_few_words(int64_t k) { return (k + 2 * amx_depth - 1) / (2 * amx_depth) * amx_depth * amx_few; }
void pack_amx_few(const BFloat16* source, int64_t row_stride, int64_t k_stride, int rows, int64_t k, bool across, float* out);

constexpr int amx_few_cols = 64;  // of B at a time: four tiles of sums
// Up to 32 steps of k of up to 64 columns of B that lie together: rows of 64 words, each quarter of 16 in the order of tiles: the even
// fours of 32 columns, then the odd ones (order_unpacked). What is not there is zeros.
void interleave_amx_rows(const BFloat16* b, int64_t stride, int64_t steps, int64_t cols, float* out);

// A where it lies or packed: rows `row` bytes apart in a block, blocks `block` bytes apart, and the rows of the last, unfilled block.
struct AmxLeft {
  const char* data;
  int64_t row, block, last_row;
  int rows;  // that may be read
};

// tile[32][32] (+)= the first `rows` rows of A * a packed panel of B, over `count` pairs of k; what lies below those rows is left
// undefined. Unit: zero<T>(), load<T>(data, stride), store<T>(data, stride), dot<C, A, B>() for tile registers 0 to 7, which have a
// TileConfig.
template <class Unit>
void multiply_amx(Unit&& unit, int64_t count, const AmxLeft& a, const float* b, float* tile, bool accumulate, int rows) {
  constexpr int64_t line = amx_cols * sizeof(float);
  const bool both = rows > 16;
  float* const below = tile + 16 * amx_cols;
  if (accumulate) {
    unit.template load<0>(tile, line), unit.template load<1>(tile + 16, line);
    if (both) unit.template load<2>(below, line), unit.template load<3>(below + 16, line);
  } else {
    unit.template zero<0>(), unit.template zero<1>(), unit.template zero<2>(), unit.template zero<3>();
  }
  const auto add_block = [&](const char* left, int64_t row, const float* right) {
    unit.template load<6>(right, line);
    unit.template load<4>(left, row);
    unit.template dot<0, 4, 6>();
    unit.template load<7>(right + 16, line);
    unit.template dot<1, 4, 7>();
    if (!both) return;
    unit.template load<5>(left + 16 * row, row);
    unit.template dot<2, 5, 6>();
    unit.template dot<3, 5, 7>();
  };
  const int64_t blocks = count / amx_depth, rest = count % amx_depth;
  const bool whole = a.rows >= (both ? 32 : 16);
  alignas(64) char filled[amx_rows * 64];  // with zeros, where A has fewer rows or pairs than the tiles
  if (!whole) std::memset(filled, 0, sizeof filled);
  for (int64_t q = 0; q < blocks; ++q) {
    const char* left = a.data + q * a.block;
    if (!whole)
      for (int i = 0; i < a.rows; ++i) std::memcpy(filled + i * 64, left + i * a.row, 64);
    add_block(whole ? left : filled, whole ? a.row : 64, b + q * amx_depth * amx_cols);
  }
  if (rest) {
    alignas(64) float right[amx_depth * amx_cols] = {};
    std::memset(filled, 0, sizeof filled);
    for (int i = 0; i < rows; ++i) std::memcpy(filled + i * 64, a.data + blocks * a.block + i * a.last_row, static_cast<size_t>(rest) * 4);
    std::memcpy(right, b + blocks * amx_depth * amx_cols, static_cast<size_t>(rest * line));
    add_block(filled, 64, right);
  }
  unit.template store<0>(tile, line), unit.template store<1>(tile + 16, line);
  if (both) unit.template store<2>(below, line), unit.template store<3>(below + 16, line);
}

// sums[rows][cols] = rows that pack_amx_few has put across * columns of B, each contiguous, `stride` apart.
template <class Unit>
void few_by_dots_amx(Unit&& unit, int64_t k, int rows, const float* x, const BFloat16* b, int64_t stride, int64_t cols, float* sums) {
  constexpr int64_t steps = 2 * amx_depth;
  alignas(64) float tile[amx_few_cols * amx_few], turned[amx_few * 16];
  alignas(64) BFloat16 filled[16 * steps];
  for (int64_t j = 0; j < cols; j += amx_few_cols) {
    const int64_t width = std::min<int64_t>(amx_few_cols, cols - j);
    unit.template zero<0>(), unit.template zero<1>(), unit.template zero<2>(), unit.template zero<3>();
    for (int64_t p = 0; p < k; p += steps) {
      const int64_t count = std::min(steps, k - p);
      unit.template load<6>(x + p / 2 * amx_few, 64);
      const auto add = [&]<int C>() {
        if (width <= 16 * C) return;
        constexpr int left = 4 + C % 2;
        const int64_t have = std::min<int64_t>(16, width - 16 * C);
        const BFloat16* const from = b + (j + 16 * C) * stride + p;
        if (have == 16 && count == steps) {
          unit.template load<left>(from, 2 * stride);
        } else {
          std::memset(filled, 0, sizeof filled);
          for (int64_t i = 0; i < have; ++i) std::memcpy(filled + i * steps, from + i * stride, static_cast<size_t>(count) * 2);
          unit.template load<left>(filled, 64);
        }
        unit.template dot<C, left, 6>();
      };
      add.template operator()<0>(), add.template operator()<1>(), add.template operator()<2>(), add.template operator()<3>();
    }
    unit.template store<0>(tile, 64), unit.template store<1>(tile + 256, 64);
    unit.template store<2>(tile + 512, 64), unit.template store<3>(tile + 768, 64);
    for (int64_t c = 0; c < width; c += 16) {
      transpose_words(tile + c * amx_few, 64, 16, 4 * rows, 16, turned);
      const size_t bytes = static_cast<size_t>(std::min<int64_t>(16, width - c)) * 4;
      for (int r = 0; r < rows; ++r) std::memcpy(sums + r * cols + j + c, turned + r * 16, bytes);
    }
  }
}

// The same with rows of B that are contiguous, `stride` apart, and rows that pack_amx_few has put down.
template <class Unit>
void few_by_rows_amx(Unit&& unit, int64_t k, int rows, const float* x, const BFloat16* b, int64_t stride, int64_t cols, float* sums) {
  constexpr int64_t steps = 2 * amx_depth, line = amx_few_cols * sizeof(float);
  alignas(64) float words[2][amx_depth * amx_few_cols], tile[amx_few * amx_few_cols];  // two, so that one fills while the other is read
  for (int64_t j = 0; j < cols; j += amx_few_cols) {
    const int64_t width = std::min<int64_t>(amx_few_cols, cols - j);
    unit.template zero<0>(), unit.template zero<1>(), unit.template zero<2>(), unit.template zero<3>();
    for (int64_t p = 0; p < k; p += steps) {
      float* const right = words[p / steps % 2];
      interleave_amx_rows(b + p * stride + j, stride, std::min(steps, k - p), width, right);
      unit.template load<6>(x + p / 2 * amx_few, 64);
      unit.template load<4>(right, line);
      unit.template dot<0, 6, 4>();
      unit.template load<5>(right + 16, line);
      unit.template dot<1, 6, 5>();
      if (width <= 32) continue;
      unit.template load<4>(right + 32, line);
      unit.template dot<2, 6, 4>();
      unit.template load<5>(right + 48, line);
      unit.template dot<3, 6, 5>();
    }
    unit.template store<0>(tile, line), unit.template store<1>(tile + 16, line);
    unit.template store<2>(tile + 32, line), unit.template store<3>(tile + 48, line);
    for (int r = 0; r < rows; ++r) {
      order_unpacked(tile + r * amx_few_cols, amx_few_cols);
      std::memcpy(sums + r * cols + j, tile + r * amx_few_cols, static_cast<size_t>(width) * 4);
    }
  }
}

// `a` as pack_amx_rows left it.
inline AmxLeft amx_packed(int64_t count, const float* a) {
  return {reinterpret_cast<const char*>(a), 64, amx_rows * 64, count % amx_depth * 4, amx_rows};
}
inline AmxLeft amx_lying(const BFloat16* a, int64_t stride, int rows) {
  return {reinterpret_cast<const char*>(a), 2 * stride, 64, 2 * stride, rows};
}

}  // namespace mt::cpu::detail
