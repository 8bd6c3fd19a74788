// Gathers short rows into a contiguous tile, and scatters them back: one call per row would cost more than the row itself.
#pragma once

#include <cstdint>

namespace mt::cpu {

// Elements of `size` bytes (1, 2, 4, 8 or 16): element (r, j) of `rows` x `width` is at r * row_stride + j * stride bytes.
struct ShortRows {
  int64_t size, width, stride, rows, row_stride;
};
// How far gather_rows may write past the end of a tile.
inline constexpr int64_t spare_bytes = 64;

void gather_rows(char* tile, const char* from, const ShortRows& shape);
void scatter_rows(char* to, const ShortRows& shape, const char* tile);

}  // namespace mt::cpu
