// bfloat16 products in tiles of 16 x 16 sums (AMX): the kernel, over a tile unit that the hardware or a test provides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "gemm_kernels.h"

namespace mt::cpu::detail {

// What LDTILECFG reads: rows, and bytes of a row, of each of eight tiles.
struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfig) == 64);

constexpr int amx_rows = 32, amx_cols = 32;  // of a panel: two tiles each way
constexpr int amx_depth = 16;                // pairs of k in a tile

// A packed for tiles: blocks of `amx_depth` pairs, in a block a row of pairs for each of `amx_rows` rows; the last block is as wide as
// there are pairs left.
void pack_amx_rows(const BFloat16* source, int64_t lane_stride, int64_t k_stride, int lanes, int64_t k, float* out);

// A where it lies or packed: rows `row` bytes apart in a block, blocks `block` bytes apart, and the rows of the last, unfilled block.
struct AmxLeft {
  const char* data;
  int64_t row, block, last_row;
};

// tile[32][32] (+)= the first `rows` rows of A * a packed panel of B, over `count` pairs of k. Unit: configure(TileConfig), zero<T>(),
// load<T>(data, stride), store<T>(data, stride), dot<C, A, B>() for tile registers 0 to 7, release().
template <class Unit>
void multiply_amx(Unit&& unit, int64_t count, const AmxLeft& a, const float* b, float* tile, bool accumulate, int rows) {
  constexpr int64_t line = amx_cols * sizeof(float);
  const bool both = rows > 16;
  TileConfig config;
  for (int t = 0; t < 8; ++t) {
    config.row_bytes[t] = 64;
    config.rows[t] = static_cast<uint8_t>(t >= 6 ? amx_depth : t == 2 || t == 3 || t == 5 ? std::max(rows - 16, 1) : std::min(rows, 16));
  }
  unit.configure(config);
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
  for (int64_t q = 0; q < blocks; ++q) add_block(a.data + q * a.block, a.row, b + q * amx_depth * amx_cols);
  if (rest) {  // filled up with zeros
    alignas(64) char left[amx_rows * 64] = {};
    alignas(64) float right[amx_depth * amx_cols] = {};
    for (int i = 0; i < rows; ++i) std::memcpy(left + i * 64, a.data + blocks * a.block + i * a.last_row, static_cast<size_t>(rest) * 4);
    std::memcpy(right, b + blocks * amx_depth * amx_cols, static_cast<size_t>(rest * line));
    add_block(left, 64, right);
  }
  unit.template store<0>(tile, line), unit.template store<1>(tile + 16, line);
  if (both) unit.template store<2>(below, line), unit.template store<3>(below + 16, line);
  unit.release();
}

// `a` as pack_amx_rows left it.
inline AmxLeft amx_packed(int64_t count, const float* a) {
  return {reinterpret_cast<const char*>(a), 64, amx_rows * 64, count % amx_depth * 4};
}
inline AmxLeft amx_lying(const BFloat16* a, int64_t stride) { return {reinterpret_cast<const char*>(a), 2 * stride, 64, 2 * stride}; }

}  // namespace mt::cpu::detail
