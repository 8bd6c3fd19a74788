// Strided copies: memory moves if both sides are contiguous, rows of known width, and tiles if the sides are contiguous along different
// dimensions.
#include "cpu/copy/copy.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/dispatch_dtype.h"
#include "cpu/clones.h"
#include "cpu/copy/convert.h"
#include "cpu/copy/stream.h"
#include "cpu/copy/transpose_block.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace {

constexpr int64_t grain_bytes = 1 << 17;

// The dimensions of a nest without some of them: the byte offset of each index, for both operands.
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
  void find_offsets(int64_t index, int64_t& to_offset, int64_t& from_offset) const {
    to_offset = from_offset = 0;
    for (int64_t d = 0; d < sizes.size(); ++d) {
      const int64_t i = index % sizes[d];
      index /= sizes[d];
      to_offset += i * to[d], from_offset += i * from[d];
    }
  }
};

// Copies rows of `width` bytes. A width known at compile time compiles to a few moves instead of a call.
template <int64_t Width>
void move_known_rows(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t rows, int64_t width) {
  for (int64_t r = 0; r < rows; ++r, to += to_step, from += from_step) std::memcpy(to, from, size_t(Width ? Width : width));
}
// Copies rows a little longer than `Block` bytes as blocks, of which the last may overlap the one before.
template <int Block>
void move_short_rows(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t rows, int64_t width) {
  const int64_t last = width - Block;
  for (int64_t r = 0; r < rows; ++r, to += to_step, from += from_step) {
    for (int64_t b = 0; b < last; b += Block) std::memcpy(to + b, from + b, Block);
    std::memcpy(to + last, from + last, Block);
  }
}
using MoveRows = void (*)(char*, int64_t, const char*, int64_t, int64_t, int64_t);
MoveRows choose_row_mover(int64_t width) {
  switch (width) {
    case 1: return move_known_rows<1>;
    case 2: return move_known_rows<2>;
    case 3: return move_known_rows<3>;
    case 4: return move_known_rows<4>;
    case 8: return move_known_rows<8>;
    case 16: return move_known_rows<16>;
    case 32: return move_known_rows<32>;
    case 64: return move_known_rows<64>;
    case 128: return move_known_rows<128>;
    case 256: return move_known_rows<256>;
    default: break;
  }
  if (width < 4 || width > 128) return move_known_rows<0>;
  return width > 16 ? move_short_rows<16> : width > 8 ? move_short_rows<8> : move_short_rows<4>;
}

// Reverses the elements of one register of `Bytes` bytes.
template <class T, int Bytes>
MT_INLINE void reverse_lanes(char* to, const char* from) {
  if constexpr (sizeof(T) == 1 && Bytes == 16) {  // the baseline has no byte shuffle
    uint64_t bytes[2], reversed[2];
    std::memcpy(bytes, from, 16);
    for (int i : {0, 1}) reversed[i] = __builtin_bswap64(bytes[1 - i]);
    std::memcpy(to, reversed, 16);
  } else {
    constexpr int size = int(sizeof(T)), part = size < 8 ? size : 8, lanes = Bytes / part, in_each = size / part;
    using Narrow = std::conditional_t<part == 1, int8_t, int16_t>;
    using Bits = std::conditional_t<part <= 2, Narrow, std::conditional_t<part == 4, int32_t, int64_t>>;
    typedef Bits Vector __attribute__((vector_size(Bytes)));
    Vector values, order;
    for (int l = 0; l < lanes; ++l) order[l] = Bits(lanes - in_each - l / in_each * in_each + l % in_each);
    std::memcpy(&values, from, Bytes);
    values = __builtin_shuffle(values, order);
    std::memcpy(to, &values, Bytes);
  }
}
// Copies rows of `width` bytes, each read backwards from its last element at `from`. The last register of a row may overlap the one before.
template <class T>
struct ReverseRows {
  template <int Bytes>
  struct In {
    MT_INLINE static void run(char* reversed, int64_t to_step, const char* from, int64_t from_step, int64_t rows, int64_t width) {
      constexpr int64_t size = sizeof(T);
      for (int64_t r = 0; r < rows; ++r, reversed += to_step, from += from_step) {
        const char* const first = from + size;
        if (width < Bytes) {
          for (int64_t b = 0; b < width; b += size) std::memcpy(reversed + b, first - b - size, size);
          continue;
        }
        for (int64_t b = 0; b + Bytes <= width; b += Bytes) reverse_lanes<T, Bytes>(reversed + b, first - b - Bytes);
        reverse_lanes<T, Bytes>(reversed + width - Bytes, first - width);
      }
    }
  };
};
MoveRows choose_row_reverser(int64_t size) {
  static const bool has_vectors = cpu_capability() >= Capability::avx2;
  MoveRows found = nullptr;
  dispatch_by_size(size, [&]<class T>(Type<T>) {
    using Reverse = ReverseRows<T>;
    using detail::run_avx2, detail::run_baseline;
    found = has_vectors ? MoveRows(run_avx2<typename Reverse::template In<32>>) : MoveRows(run_baseline<typename Reverse::template In<16>>);
  });
  return found;
}

// For operands that are both contiguous along the innermost dimension: copies rows, whose starts are along the second dimension.
void copy_rows(const Nest& nest, int64_t size) {
  const int64_t width = nest.sizes()[0] * size, rows = nest.sizes()[1];
  const Outer outer(nest, 0, 1);
  // Treats whole rows as elements, in reverse order.
  const bool backwards = nest[0].strides[1] == width && nest[1].strides[1] == -width && width <= 16 && std::has_single_bit(uint64_t(width));
  const MoveRows move = backwards ? choose_row_reverser(width) : choose_row_mover(width);
  const int64_t to_step = nest[0].strides[1], from_step = nest[1].strides[1];
  parallel_for(0, outer.count * rows, std::max<int64_t>(1, grain_bytes / width), [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t first = begin % rows, n = std::min(rows - first, end - begin);
      int64_t to, from;
      outer.find_offsets(begin / rows, to, from);
      char* const target = nest[0].data + to + first * to_step;
      const char* const source = nest[1].data + from + first * from_step;
      if (backwards)
        move(target, 0, source, 0, 1, n * width);
      else
        move(target, to_step, source, from_step, n, width);
      begin += n;
    }
  });
}

// Repeats each element of the source `nest.sizes()[0]` times, for expanded dimensions.
template <class T>
void copy_repeated(const Nest& nest) {
  const int64_t times = nest.sizes()[0], rows = nest.sizes()[1];
  const Outer outer(nest, 0, 1);
  const int64_t to_step = nest[0].strides[1], from_step = nest[1].strides[1];
  parallel_for(0, outer.count * rows, std::max<int64_t>(1, grain_bytes / (times * int64_t(sizeof(T)))), [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t first = begin % rows, n = std::min(rows - first, end - begin);
      int64_t to, from;
      outer.find_offsets(begin / rows, to, from);
      char* target = nest[0].data + to + first * to_step;
      const char* source = nest[1].data + from + first * from_step;
      for (int64_t r = 0; r < n; ++r, target += to_step, source += from_step)
        std::fill_n(reinterpret_cast<T*>(target), times, *reinterpret_cast<const T*>(source));
      begin += n;
    }
  });
}

// Copies runs whose source has a negative stride.
void copy_reversed(const Nest& nest, int64_t size) {
  const MoveRows move = choose_row_reverser(size);
  parallel_for(0, nest.numel(), grain_bytes / size, [&](int64_t begin, int64_t end) {
    nest.runs(begin, end, [&](char* const* data, const int64_t*, int64_t n) { move(data[0], 0, data[1], 0, 1, n * size); });
  });
}

// Transposes use streaming stores from a smaller size on than other copies: target rows that are a power of two apart evict each other
// from the caches.
constexpr int64_t streamed_bytes = int64_t{12} << 20;

// Steps in bytes along the two dimensions of a thin tile: `thin` over `Count` elements, a constant, and `along` over any number.
struct ThinTile {
  int64_t to_thin, to_along, from_thin, from_along;
};
template <class T, int Count>
void move_thin_tile(char* to, const char* from, const ThinTile& tile, int64_t n) {
  constexpr int64_t size = sizeof(T), lanes = 16 / size;
  const auto [to_thin, to_along, from_thin, from_along] = tile;
  int64_t i = 0;
  if constexpr (Count == 2 && lanes > 1) {  // two rows into one
    if (to_thin == size && to_along == 2 * size && from_along == size)
      for (; i + lanes <= n; i += lanes) {
        typename Register<T>::Vector a, b, both[2];
        std::memcpy(&a, from + i * size, 16), std::memcpy(&b, from + from_thin + i * size, 16);
        Register<T>::interleave(a, b, both[0], both[1]);
        std::memcpy(to + i * to_along, both, 32);
      }
  }
  if constexpr (Count == 4 && lanes == 4) {
    if (to_thin == size && from_along == size)
      for (; i + lanes <= n; i += lanes) transpose_block<T>(from + i * size, from_thin, to + i * to_along, to_along);
  }
  for (; i < n; ++i)
    for (int64_t k = 0; k < Count; ++k) std::memcpy(to + i * to_along + k * to_thin, from + i * from_along + k * from_thin, size);
}

// Copies if the target is contiguous along the innermost dimension, the source along `across`, and one of them has at most four elements:
// tiles of these two dimensions that are contiguous along a further one.
constexpr int64_t thin = 4;
template <class T>
void copy_thin_tiles(const Nest& nest, int64_t across) {
  constexpr int64_t size = sizeof(T), band = 4096;
  const int64_t columns = nest.sizes()[0], rows = nest.sizes()[across], to_row = nest[0].strides[across], from_column = nest[1].strides[0];
  const bool few_columns = columns <= thin;
  const ThinTile tile = few_columns ? ThinTile{size, to_row, from_column, size} : ThinTile{to_row, size, size, from_column};
  const int64_t count = few_columns ? columns : rows, n = few_columns ? rows : columns, bands = (n + band - 1) / band;
  const auto move = count == 2 ? move_thin_tile<T, 2> : count == 3 ? move_thin_tile<T, 3> : move_thin_tile<T, 4>;
  const Outer outer(nest, 0, across);
  const bool follow = bands == 1 && outer.sizes.size() > 0;
  const int64_t tile_bytes = count * std::min(n, band) * size;
  parallel_for(0, outer.count * bands, std::max<int64_t>(1, grain_bytes / tile_bytes), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin, run; b < end; b += run) {
      run = follow ? std::min(end - b, outer.sizes[0] - b % outer.sizes[0]) : 1;
      int64_t to, from;
      outer.find_offsets(b / bands, to, from);
      const int64_t first = b % bands * band, length = std::min(band, n - first);
      char* target = nest[0].data + to + first * tile.to_along;
      const char* source = nest[1].data + from + first * tile.from_along;
      for (int64_t k = 0; k < run; ++k) {
        move(target, source, tile, length);
        if (follow) target += outer.to[0], source += outer.from[0];
      }
    }
  });
}

// Copies if the target is contiguous along the innermost dimension, the source along `across`: square tiles through a small buffer, so that
// both sides are accessed by whole cache lines, even with strides that are powers of two.
template <class T>
void copy_tiles(const Nest& nest, int64_t across) {
  constexpr int64_t size = sizeof(T), edge = size >= 8 ? 16 : 64 / size > 32 ? 32 : 64 / size;
  constexpr int64_t block = 16 / size;  // of a tile, transposed in registers
  const int64_t columns = nest.sizes()[0], rows = nest.sizes()[across];  // of the target
  const int64_t to_row = nest[0].strides[across], from_column = nest[1].strides[0];
  const Outer outer(nest, 0, across);
  const int64_t bands = (columns + edge - 1) /
                        edge;  // a band: `edge` columns of the target are rows of the source, which is read contiguously
  bool streams = edge * size % 64 == 0 && nest.numel() * size >= streamed_bytes && to_row % 64 == 0 &&
                 reinterpret_cast<uintptr_t>(nest[0].data) % 64 == 0;
  for (int64_t stride : outer.to) streams = streams && stride % 64 == 0;
  parallel_for(0, outer.count * bands, std::max<int64_t>(1, grain_bytes / (edge * rows * size)), [&](int64_t begin, int64_t end) {
    alignas(64) char tile[edge][edge * size];  // in the target's order
    for (int64_t b = begin; b < end; ++b) {
      int64_t to, from;
      outer.find_offsets(b / bands, to, from);
      const int64_t column = b % bands * edge, width = std::min(edge, columns - column);
      char* target = nest[0].data + to + column * size;
      const char* source = nest[1].data + from + column * from_column;
      for (int64_t row = 0; row < rows; row += edge) {
        const int64_t height = std::min(edge, rows - row);
        if (height == edge && width == edge) {
          for (int64_t r = 0; r < edge; r += block)
            for (int64_t c = 0; c < edge; c += block)
              transpose_block<T>(source + c * from_column + (row + r) * size, from_column, tile[r] + c * size, edge * size);
          char* place = target + row * to_row;
          if (streams) {
            for (int64_t r = 0; r < edge; ++r) stream_copy(place + r * to_row, tile[r], edge * size);
          } else {
            for (int64_t r = 0; r < edge; ++r) std::memcpy(place + r * to_row, tile[r], size_t(edge * size));
          }
          continue;
        }
        transpose_tile(target + row * to_row, to_row, source + row * size, from_column, height, width, size);
      }
    }
    if (streams) finish_streams();
  });
}

// Copies many rows of a few elements with any strides: one column at a time for a block of rows.
constexpr int64_t few = 16;
void copy_short_rows(const Nest& nest, int64_t size) {
  const int64_t n = nest.sizes()[0], rows = nest.sizes()[1];
  const Outer outer(nest, 0, 1);
  const bool backwards = nest[0].strides[0] == size && nest[1].strides[0] == -size && n * size >= 16;
  const MoveRows move = backwards ? choose_row_reverser(size) : choose_row_mover(size);
  const int64_t to_step = nest[0].strides[1], from_step = nest[1].strides[1];
  parallel_for(0, outer.count * rows, std::max<int64_t>(1, grain_bytes / (n * size)), [&](int64_t begin, int64_t end) {
    for (int64_t count; begin < end; begin += count) {
      const int64_t first = begin % rows;
      count = std::min({rows - first, end - begin, int64_t{256}});  // which stay in the caches
      int64_t to, from;
      outer.find_offsets(begin / rows, to, from);
      char* const target = nest[0].data + to + first * to_step;
      const char* const source = nest[1].data + from + first * from_step;
      if (backwards) {
        move(target, to_step, source, from_step, count, n * size);
        continue;
      }
      for (int64_t k = 0; k < n; ++k)
        move(target + k * nest[0].strides[0], to_step, source + k * nest[1].strides[0], from_step, count, size);
    }
  });
}

// The dimension along which the source is contiguous, if tiles are worthwhile; else -1.
int64_t find_contiguous_dim(const Nest& nest, int64_t size) {
  if (nest[0].strides[0] != size || nest[1].strides[0] == 0) return -1;
  for (int64_t d = 1; d < nest.sizes().size(); ++d)
    if (nest[1].strides[d] == size && nest.sizes()[d] >= 2 && nest.sizes()[0] >= 2) return d;
  return -1;
}

}  // namespace

void move_rows(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t rows, int64_t width) {
  choose_row_mover(width)(to, to_step, from, from_step, rows, width);
}

void transpose_tile(char* to, int64_t to_row, const char* from, int64_t from_column, int64_t rows, int64_t columns, int64_t size) {
  dispatch_by_size(size, [&]<class T>(Type<T>) {
    constexpr int64_t width = sizeof(T), block = 16 / width;
    const int64_t whole_rows = rows / block * block, whole_columns = columns / block * block;
    for (int64_t c = 0; c < whole_columns; c += block)
      for (int64_t r = 0; r < whole_rows; r += block)
        transpose_block<T>(from + c * from_column + r * width, from_column, to + r * to_row + c * width, to_row);
    auto rest = [&](int64_t row, int64_t column) {
      for (int64_t r = row; r < rows; ++r)
        for (int64_t c = column; c < columns; ++c) std::memcpy(to + r * to_row + c * width, from + c * from_column + r * width, width);
    };
    rest(whole_rows, 0);
    rows = whole_rows;
    rest(0, whole_columns);
  });
}

void gather_rows(char* to, const char* from, const int64_t* index, int64_t rows, int64_t width, int64_t result_bytes) {
  const bool streams = streams_past_caches(result_bytes);
  const int64_t ahead = std::min<int64_t>(width, 4096);  // the hardware prefetcher loads the rest
  for (int64_t i = 0; i < rows; ++i, to += width) {
    const char* const row = from + index[i] * width;
    const char* const next = from + index[std::min(i + 1, rows - 1)] * width;
    for (int64_t b = 0; b < ahead; b += 64) __builtin_prefetch(next + b);
    if (streams)
      stream_copy(to, row, width);
    else
      std::memcpy(to, row, size_t(width));
  }
  if (streams) finish_streams();
}

namespace {
// Fills at least one vector of bytes with a pattern that repeats within a vector.
template <int Bytes>
struct Fill {
  static void run(char* to, int64_t bytes, const char* pattern) {
    typedef char Vector __attribute__((vector_size(Bytes)));
    Vector v;
    std::memcpy(&v, pattern, Bytes);
    int64_t at = 0;
    for (; at + 4 * Bytes <= bytes; at += 4 * Bytes)
      for (int i = 0; i < 4; ++i) std::memcpy(to + at + i * Bytes, &v, Bytes);
    for (; at + Bytes <= bytes; at += Bytes) std::memcpy(to + at, &v, Bytes);
    std::memcpy(to + bytes - Bytes, &v, Bytes);
  }
};
}  // namespace

void fill_dense(char* to, int64_t bytes, const char* element, int64_t size) {
  constexpr int64_t most = 4096;  // stays in the L1 cache
  alignas(64) char block[most];
  const bool streams = streams_past_caches(bytes / 2);  // otherwise half of the result would stay in the caches
  for (int64_t at = 0; at < (streams ? most : 64); at += size) std::memcpy(block + at, element, size_t(size));
  if (bytes < 64) return void(std::memcpy(to, block, size_t(bytes)));
  static const auto fill = detail::choose_width<Fill>(Fill<32>::run);
  parallel_for(0, bytes / size, (1 << 17) / size, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * size, last = end * size;
    if (!streams && last - first >= 64) return fill(to + first, last - first, block);
    for (int64_t at = first; at < last; at += most) stream_copy(to + at, block, std::min(most, last - at));
    finish_streams();
  });
}

void copy_nest(const Nest& nest, Dtype to, Dtype from) {
  const int64_t size = element_size(to);
  if (to == from) {
    if (nest[0].linear && nest[1].linear) {
      const int64_t bytes = nest.numel() * size;
      char *d = nest[0].data, *s = nest[1].data;
      if (d == s) return;
      const bool streams = streams_past_caches(bytes);
      parallel_for(0, bytes, 1 << 18, [&](int64_t begin, int64_t end) {
        if (!streams) return void(std::memcpy(d + begin, s + begin, size_t(end - begin)));
        stream_copy(d + begin, s + begin, end - begin);
        finish_streams();
      });
      return;
    }
    if (nest.sizes().size() > 1 && nest[0].strides[0] == size && nest[1].strides[0] == size) return copy_rows(nest, size);
    if (const int64_t across = find_contiguous_dim(nest, size); across > 0)
      return dispatch_by_size(size, [&]<class T>(Type<T>) {
        (nest.sizes()[0] <= thin || nest.sizes()[across] <= thin ? copy_thin_tiles<T> : copy_tiles<T>)(nest, across);
      });
    if (nest.sizes().size() > 1 && nest.sizes()[0] <= few && nest.sizes()[1] >= 64) return copy_short_rows(nest, size);
    if (nest[0].strides[0] == size && nest[1].strides[0] == -size) return copy_reversed(nest, size);
    if (nest.sizes().size() > 1 && nest[0].strides[0] == size && nest[1].strides[0] == 0)
      return dispatch_by_size(size, [&]<class T>(Type<T>) { copy_repeated<T>(nest); });
  }
  const Conversion convert(to, from);
  parallel_for(0, nest.numel(), 32768, [&](int64_t begin, int64_t end) {
    nest.runs(begin, end,
              [&](char* const* data, const int64_t* strides, int64_t n) { convert(data[0], strides[0], data[1], strides[1], n); });
  });
}

}  // namespace mt::cpu
