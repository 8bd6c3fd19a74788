// Short rows as the columns of small tiles: a row of a few elements does not fill a vector, but many rows side by side do.
#pragma once

#include <algorithm>

#include "core/dispatch_dtype.h"
#include "cpu/copy/convert.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {

inline constexpr int64_t tile_width = 16, tile_rows = 128;  // longer rows are processed one by one

// Contiguous rows of n elements of T, at most tile_width; element i of row r is element i * tile_rows + r of a tile.
template <class T>
class RowTiles {
 public:
  using C = ComputeType<T>;
  using Tile = C[tile_width * tile_rows];

  // `dtype` is T's.
  RowTiles(Dtype dtype, int64_t n) : n_(n), to_wide_(compute_dtype(dtype), dtype), to_narrow_(dtype, compute_dtype(dtype)) {}

  // The rows are padded with zeros to padded(count), so that the last ones also fill whole vectors.
  static constexpr int64_t padded(int64_t count) { return (count + 15) / 16 * 16; }
  void read(Tile& tile, const T* rows, int64_t count) const {
    for (int64_t i = 0; i < n_; ++i) {
      C* const place = tile + i * tile_rows;
      to_wide_(place, sizeof(C), rows + i, n_ * int64_t(sizeof(T)), count);
      std::fill(place + count, place + padded(count), C(0));
    }
  }
  void write(T* rows, const Tile& tile, int64_t count) const {
    for (int64_t i = 0; i < n_; ++i) to_narrow_(rows + i, n_ * int64_t(sizeof(T)), tile + i * tile_rows, sizeof(C), count);
  }

 private:
  int64_t n_;
  Conversion to_wide_, to_narrow_;
};

// Calls f(first row, number of rows) for each tile of `rows` rows.
template <class F>
void for_row_tiles(int64_t rows, F&& f) {
  parallel_for(0, (rows + tile_rows - 1) / tile_rows, 8, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) f(k * tile_rows, std::min(tile_rows, rows - k * tile_rows));
  });
}

}  // namespace mt::cpu
