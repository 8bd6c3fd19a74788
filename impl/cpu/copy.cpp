// Strided copies: memory moves where both sides are dense, rows of known width, tiles where the sides are dense along different dimensions.
#include "cpu/copy.h"

#include <algorithm>
#include <cstring>

#include "core/dispatch_dtype.h"
#include "cpu/convert.h"
#include "cpu/parallel.h"

namespace mt::cpu {
namespace {

constexpr int64_t grain_bytes = 1 << 17;

// The dimensions of a nest without some of them: where each of their positions starts, in bytes, for both operands.
struct Outer {
  Small<int64_t, 6> sizes, to, from;
  int64_t count = 1;

  Outer(const Nest& nest, int64_t without_a, int64_t without_b) {
    for (int64_t d = 0; d < nest.sizes().size(); ++d) {
      if (d == without_a || d == without_b) continue;
      sizes.push_back(nest.sizes()[d]), to.push_back(nest[0].strides[d]), from.push_back(nest[1].strides[d]);
      count *= nest.sizes()[d];
    }
  }
  void at(int64_t index, int64_t& to_offset, int64_t& from_offset) const {
    to_offset = from_offset = 0;
    for (int64_t d = 0; d < sizes.size(); ++d) {
      const int64_t i = index % sizes[d];
      index /= sizes[d];
      to_offset += i * to[d], from_offset += i * from[d];
    }
  }
};

// Rows of `width` bytes. A fixed width compiles to a few moves instead of a call.
template <int64_t Width>
void move_rows(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t rows, int64_t width) {
  for (int64_t r = 0; r < rows; ++r, to += to_step, from += from_step) std::memcpy(to, from, size_t(Width ? Width : width));
}
using MoveRows = void (*)(char*, int64_t, const char*, int64_t, int64_t, int64_t);
MoveRows mover_of(int64_t width) {
  switch (width) {
    case 4: return move_rows<4>;
    case 8: return move_rows<8>;
    case 16: return move_rows<16>;
    case 32: return move_rows<32>;
    case 64: return move_rows<64>;
    case 128: return move_rows<128>;
    case 256: return move_rows<256>;
    default: return move_rows<0>;
  }
}

// Both sides dense along the innermost dimension: rows, whose starts lie on the second one.
void copy_rows(const Nest& nest, int64_t size) {
  const int64_t width = nest.sizes()[0] * size, rows = nest.sizes()[1];
  const Outer outer(nest, 0, 1);
  const MoveRows move = mover_of(width);
  const int64_t to_step = nest[0].strides[1], from_step = nest[1].strides[1];
  parallel_for(0, outer.count * rows, std::max<int64_t>(1, grain_bytes / width), [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t first = begin % rows, n = std::min(rows - first, end - begin);
      int64_t to, from;
      outer.at(begin / rows, to, from);
      move(nest[0].data + to + first * to_step, to_step, nest[1].data + from + first * from_step, from_step, n, width);
      begin += n;
    }
  });
}

// The target is dense along the innermost dimension, the source along `across`: square tiles through a small buffer, so that both sides are
// touched a cache line at a time, even where their strides are powers of two.
template <class T>
void copy_tiles(const Nest& nest, int64_t across) {
  constexpr int64_t edge = sizeof(T) >= 8 ? 16 : 64 / int64_t(sizeof(T)) > 32 ? 32 : 64 / int64_t(sizeof(T));
  const int64_t columns = nest.sizes()[0], rows = nest.sizes()[across];  // of the target
  const int64_t to_row = nest[0].strides[across], from_column = nest[1].strides[0];
  const Outer outer(nest, 0, across);
  const int64_t bands = (columns + edge - 1) / edge;  // a band: `edge` columns of the target, rows of the source, which is read as it lies
  parallel_for(0, outer.count * bands, std::max<int64_t>(1, grain_bytes / (edge * rows * int64_t(sizeof(T)))),
               [&](int64_t begin, int64_t end) {
                 alignas(64) T buffer[edge][edge];  // buffer[column][row]
                 for (int64_t b = begin; b < end; ++b) {
                   int64_t to, from;
                   outer.at(b / bands, to, from);
                   const int64_t column = b % bands * edge, width = std::min(edge, columns - column);
                   char* target = nest[0].data + to + column * int64_t(sizeof(T));
                   const char* source = nest[1].data + from + column * from_column;
                   for (int64_t row = 0; row < rows; row += edge) {
                     const int64_t height = std::min(edge, rows - row);
                     if (height == edge && width == edge) {
                       for (int64_t c = 0; c < edge; ++c)
                         std::memcpy(static_cast<void*>(buffer[c]), source + c * from_column + row * int64_t(sizeof(T)), sizeof buffer[c]);
                       for (int64_t r = 0; r < edge; ++r) {
                         T line[edge];
                         for (int64_t c = 0; c < edge; ++c) line[c] = buffer[c][r];
                         std::memcpy(target + (row + r) * to_row, static_cast<const void*>(line), sizeof line);
                       }
                       continue;
                     }
                     for (int64_t r = 0; r < height; ++r)
                       for (int64_t c = 0; c < width; ++c)
                         std::memcpy(target + (row + r) * to_row + c * int64_t(sizeof(T)),
                                     source + c * from_column + (row + r) * int64_t(sizeof(T)), sizeof(T));
                   }
                 }
               });
}

// The dimension along which the source is dense, where tiles are worth it; or -1.
int64_t dense_elsewhere(const Nest& nest, int64_t size) {
  if (nest[0].strides[0] != size || nest[1].strides[0] == 0) return -1;
  for (int64_t d = 1; d < nest.sizes().size(); ++d)
    if (nest[1].strides[d] == size && nest.sizes()[d] >= 2 && nest.sizes()[0] >= 2) return d;
  return -1;
}

}  // namespace

void copy_nest(const Nest& nest, Dtype to, Dtype from) {
  const int64_t size = element_size(to);
  if (to == from) {
    if (nest[0].linear && nest[1].linear) {
      const int64_t bytes = nest.numel() * size;
      char *d = nest[0].data, *s = nest[1].data;
      if (d == s) return;
      parallel_for(0, bytes, 1 << 18, [&](int64_t begin, int64_t end) { std::memcpy(d + begin, s + begin, size_t(end - begin)); });
      return;
    }
    if (nest.sizes().size() > 1 && nest[0].strides[0] == size && nest[1].strides[0] == size) return copy_rows(nest, size);
    if (const int64_t across = dense_elsewhere(nest, size); across > 0)
      return dispatch_by_size(size, [&]<class T>(Type<T>) { copy_tiles<T>(nest, across); });
  }
  parallel_for(0, nest.numel(), 32768, [&](int64_t begin, int64_t end) {
    nest.runs(begin, end, [&](char* const* data, const int64_t* strides, int64_t n) {
      convert_run(data[0], strides[0], to, data[1], strides[1], from, n);
    });
  });
}

}  // namespace mt::cpu
