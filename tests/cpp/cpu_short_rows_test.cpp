// Short rows are gathered into a tile and scattered back: every element, no reads outside the rows, no writes beyond the spare bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "cpu/copy/short_rows.h"

namespace mt::cpu {
namespace {

// Memory that ends with the last row, so that a sanitizer detects accesses beyond it; negative strides start at the end.
struct Rows {
  ShortRows shape;
  std::vector<char> memory;
  int64_t start;

  explicit Rows(const ShortRows& s) : shape(s) {
    int64_t low = 0, high = 0;
    for (int64_t reach : {(s.width - 1) * s.stride, (s.rows - 1) * s.row_stride}) (reach < 0 ? low : high) += reach;
    start = -low;
    memory.resize(size_t(high - low + s.size));
    for (size_t i = 0; i < memory.size(); ++i) memory[i] = char(i * 37 + 11);
  }
  char* at(int64_t r, int64_t j) { return memory.data() + start + r * shape.row_stride + j * shape.stride; }
};

template <class F>
void for_shapes(F&& f) {
  for (int64_t size : {1, 2, 4, 8, 16})
    for (int64_t width : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 100})
      for (int64_t stride : {size, int64_t{0}, 2 * size, 3 * size, -size})
        for (int64_t rows : {1, 2, 5})
          for (int64_t row_stride : {width * size, int64_t{0}, (3 * width + 2) * size, -(3 * width + 2) * size})
            f(ShortRows{size, width, stride, rows, row_stride});
}

TEST(ShortRows, AreGatheredCompletely) {
  for_shapes([](const ShortRows& shape) {
    Rows from(shape);
    const int64_t bytes = shape.rows * shape.width * shape.size;
    std::vector<char> tile(size_t(bytes + spare_bytes + 1), char(0x5a)), want(tile);
    for (int64_t r = 0; r < shape.rows; ++r)
      for (int64_t j = 0; j < shape.width; ++j)
        std::memcpy(want.data() + (r * shape.width + j) * shape.size, from.at(r, j), size_t(shape.size));
    gather_rows(tile.data(), from.at(0, 0), shape);
    std::fill_n(tile.begin() + bytes, spare_bytes, char(0x5a));
    ASSERT_EQ(tile, want) << shape.size << " x " << shape.width << ", stride " << shape.stride << ", rows " << shape.row_stride;
  });
}

TEST(ShortRows, AreScatteredWithoutWritingTheGaps) {
  for_shapes([](const ShortRows& shape) {
    if (shape.stride == 0 || shape.row_stride == 0 || shape.stride > shape.size) return;  // elements would share memory
    Rows to(shape), want(shape);
    std::vector<char> tile(size_t(shape.rows * shape.width * shape.size));
    for (size_t i = 0; i < tile.size(); ++i) tile[i] = char(i * 101 + 7);
    for (int64_t r = 0; r < shape.rows; ++r)
      for (int64_t j = 0; j < shape.width; ++j)
        std::memcpy(want.at(r, j), tile.data() + (r * shape.width + j) * shape.size, size_t(shape.size));
    scatter_rows(to.at(0, 0), shape, tile.data());
    ASSERT_EQ(to.memory, want.memory) << shape.size << " x " << shape.width << ", stride " << shape.stride << ", rows " << shape.row_stride;
  });
}

}  // namespace
}  // namespace mt::cpu
