// bfloat16 products in tiles of 16 x 16 sums (AMX): the kernel, over a tile unit that the hardware or a test provides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "gemm_kernels.h"

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

// `a` as pack_amx_rows left it.
inline AmxLeft amx_packed(int64_t count, const float* a) {
  return {reinterpret_cast<const char*>(a), 64, amx_rows * 64, count % amx_depth * 4, amx_rows};
}
inline AmxLeft amx_lying(const BFloat16* a, int64_t stride, int rows) {
  return {reinterpret_cast<const char*>(a), 2 * stride, 64, 2 * stride, rows};
}

}  // namespace mt::cpu::detail
