// bfloat16 products in tiles of 16 x 16 sums (AMX): the kernel, over a tile unit that the hardware or a test provides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cpu/copy/words_avx512.h"
#include "cpu/gemm/gemm_kernels.h"

#if MT_HAS_X86_TARGETS
namespace mt::cpu::detail {

constexpr int amx_rows = 32, amx_cols = 32;  // of a panel: two tiles in each direction
constexpr int amx_depth = 16;                // pairs of k in a tile

// The operand of LDTILECFG: rows, and bytes per row, of each of eight tiles. We use only full tiles, so one configuration serves many
// products: loading it takes as long as three blocks of 32 x 32 (204 cycles; Intel 64 and IA-32 Architectures Optimization Reference
// Manual, chapter on AMX).
struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfig) == 64);

// Packs A for tiles: blocks of `amx_depth` pairs, each with a row of pairs for each of `amx_rows` rows; the last block has the remaining
// pairs. Missing rows of A are zeros.
void pack_amx_rows(const BFloat16* source, int64_t lane_stride, int64_t k_stride, int lanes, int64_t k, float* out);

// Packs few rows of A, as words of two steps of k, in blocks of 16 x 16: with pairs of k down and rows across (the right operand of a
// product with B's columns in place), or with rows down (the left operand of a product with B's rows); for more than 16 rows, two such
// blocks for the same steps. Missing elements are zeros.
constexpr int amx_few = 32;
inline int64_t amx_few_words(int rows, int64_t k) { return (k + 2 * amx_depth - 1) / (2 * amx_depth) * 256 * (rows > 16 ? 2 : 1); }
void pack_amx_few(const BFloat16* source, int64_t row_stride, int64_t k_stride, int rows, int64_t k, bool across, float* out);

// Packs up to 32 steps of k of up to 64 contiguous columns of B: rows of 64 words, each half in the order of order_unpacked. Missing
// elements are zeros.
constexpr int amx_few_cols = 64;
void interleave_amx_rows(const BFloat16* b, int64_t stride, int64_t steps, int64_t cols, float* out);

// The left operand A, in place or packed: rows are `row` bytes apart within a block of k, and blocks are `block` bytes apart. `last_row` is
// the distance of rows in the last, partial block.
struct AmxLeft {
  const char* data;
  int64_t row, block, last_row;
  int rows;  // that may be read
};

// tile[32][32] (+)= the first `rows` rows of A * a packed panel of B, over `count` pairs of k; rows below those are left undefined. Unit:
// zero<T>(), load<T>(data, stride), store<T>(data, stride), dot<C, A, B>() for tile registers 0 to 7, under a TileConfig. One piece of
// `work` runs after each block of k, and the remaining pieces after the last.
template <class Unit>
void multiply_amx(Unit&& unit, int64_t count, const AmxLeft& a, const float* b, float* tile, bool accumulate, int rows,
                  const Pieces& work = {}) {
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
    unit.template load<7>(right + 16, line);
    if (both) unit.template load<5>(left + 16 * row, row);
    unit.template dot<0, 4, 6>();
    unit.template dot<1, 4, 7>();
    if (!both) return;
    unit.template dot<2, 5, 6>();
    unit.template dot<3, 5, 7>();
  };
  const int64_t blocks = count / amx_depth, rest = count % amx_depth;
  const bool whole = a.rows >= (both ? 32 : 16);
  alignas(64) char filled[amx_rows * 64];  // padded with zeros, if A has fewer rows or pairs than the tiles
  if (!whole) std::memset(filled, 0, sizeof filled);
  int64_t piece = 0;
  bool works = true;
  for (int64_t q = 0; q < blocks; ++q) {
    const char* left = a.data + q * a.block;
    if (!whole)
      for (int i = 0; i < a.rows; ++i) std::memcpy(filled + i * 64, left + i * a.row, 64);
    add_block(whole ? left : filled, whole ? a.row : 64, b + q * amx_depth * amx_cols);
    if (works) works = work(piece++);
  }
  if (rest) {
    alignas(64) float right[amx_depth * amx_cols] = {};
    std::memset(filled, 0, sizeof filled);
    for (int i = 0; i < rows; ++i) std::memcpy(filled + i * 64, a.data + blocks * a.block + i * a.last_row, static_cast<size_t>(rest) * 4);
    std::memcpy(right, b + blocks * amx_depth * amx_cols, static_cast<size_t>(rest * line));
    add_block(filled, 64, right);
  }
  while (works) works = work(piece++);
  unit.template store<0>(tile, line), unit.template store<1>(tile + 16, line);
  if (both) unit.template store<2>(below, line), unit.template store<3>(below + 16, line);
}

// sums[rows][cols] = rows packed by pack_amx_few (rows across) * columns of B, each contiguous, `stride` apart. R: groups of 16 rows.
template <int R, class Unit>
void few_by_dots_amx(Unit&& unit, int64_t k, int rows, const float* x, const BFloat16* b, int64_t stride, int64_t cols, float* sums) {
  constexpr int64_t steps = 2 * amx_depth, at_once = amx_few_cols / R;
  alignas(64) float tiles[4][256], transposed[256];
  alignas(64) BFloat16 filled[16 * steps];
  for (int64_t j = 0; j < cols; j += at_once) {
    const int64_t width = std::min(at_once, cols - j);
    unit.template zero<0>(), unit.template zero<1>(), unit.template zero<2>(), unit.template zero<3>();
    const float* right = x;
    for (int64_t p = 0; p < k; p += steps, right += R * 256) {
      const int64_t count = std::min(steps, k - p);
      unit.template load<6>(right, 64);
      if constexpr (R == 2) unit.template load<7>(right + 256, 64);
      const auto add = [&]<int C>() {  // 16 columns
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
        unit.template dot<C * R, left, 6>();
        if constexpr (R == 2) unit.template dot<C * R + 1, left, 7>();
      };
      add.template operator()<0>(), add.template operator()<1>();
      if constexpr (R == 1) add.template operator()<2>(), add.template operator()<3>();
    }
    unit.template store<0>(tiles[0], 64), unit.template store<1>(tiles[1], 64);
    unit.template store<2>(tiles[2], 64), unit.template store<3>(tiles[3], 64);
    for (int64_t c = 0; c < width; c += 16) {
      const size_t bytes = static_cast<size_t>(std::min<int64_t>(16, width - c)) * 4;
      for (int r = 0; r < rows; ++r) {
        if (r % 16 == 0) transpose_words(tiles[c / 16 * R + r / 16], 64, 16, 64, 16, transposed);
        std::memcpy(sums + r * cols + j + c, transposed + r % 16 * 16, bytes);
      }
    }
  }
}

// sums[rows][cols] = rows packed by pack_amx_few (rows down) * contiguous rows of B, `stride` apart.
template <int R, class Unit>
void few_by_rows_amx(Unit&& unit, int64_t k, int rows, const float* x, const BFloat16* b, int64_t stride, int64_t cols, float* sums) {
  constexpr int64_t steps = 2 * amx_depth, line = amx_few_cols * sizeof(float), at_once = amx_few_cols / R;
  alignas(64) float words[2][amx_depth * amx_few_cols], tiles[16 * R][at_once];  // two buffers: one is filled while the other is read
  for (int64_t j = 0; j < cols; j += at_once) {
    const int64_t width = std::min(at_once, cols - j);
    unit.template zero<0>(), unit.template zero<1>(), unit.template zero<2>(), unit.template zero<3>();
    const float* left = x;
    for (int64_t p = 0; p < k; p += steps, left += R * 256) {
      float* const right = words[p / steps % 2];
      interleave_amx_rows(b + p * stride + j, stride, std::min(steps, k - p), width, right);
      unit.template load<6>(left, 64);
      unit.template load<4>(right, line);
      unit.template dot<0, 6, 4>();
      unit.template load<5>(right + 16, line);
      unit.template dot<1, 6, 5>();
      if constexpr (R == 2) {
        unit.template load<7>(left + 256, 64);
        unit.template dot<2, 7, 4>();
        unit.template dot<3, 7, 5>();
      } else if (width > 32) {
        unit.template load<4>(right + 32, line);
        unit.template dot<2, 6, 4>();
        unit.template load<5>(right + 48, line);
        unit.template dot<3, 6, 5>();
      }
    }
    constexpr int64_t pitch = at_once * sizeof(float);
    float* const third = R == 2 ? tiles[16 * (R - 1)] : tiles[0] + at_once / 2;
    unit.template store<0>(tiles[0], pitch), unit.template store<1>(tiles[0] + 16, pitch);
    unit.template store<2>(third, pitch), unit.template store<3>(third + 16, pitch);
    for (int r = 0; r < rows; ++r) {
      order_unpacked(tiles[r], at_once);
      std::memcpy(sums + r * cols + j, tiles[r], static_cast<size_t>(width) * 4);
    }
  }
}

// Describes the left operand `a` as pack_amx_rows packs it.
inline AmxLeft amx_packed(int64_t count, const float* a) {
  return {reinterpret_cast<const char*>(a), 64, amx_rows * 64, count % amx_depth * 4, amx_rows};
}
inline AmxLeft amx_in_place(const BFloat16* a, int64_t stride, int rows) {
  return {reinterpret_cast<const char*>(a), 2 * stride, 64, 2 * stride, rows};
}

}  // namespace mt::cpu::detail
#endif
