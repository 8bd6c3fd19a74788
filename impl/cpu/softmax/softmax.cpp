// Loops of softmax: long rows one by one, short rows as columns of tiles, columns in place. Computes in float, or double for double.
#include "cpu/softmax/softmax.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cpu/clones.h"
#include "cpu/math/vecmath.h"
#include "cpu/rows/row_tiles.h"
#include "cpu/rows/wide_rows.h"

namespace mt::cpu {
namespace {

using detail::choose_clone, detail::choose_width;

// The source lane of result lane `lane` in a shuffle of two vectors (the second's lanes are numbered from Width). In each `Group` of result
// lanes, the lower half takes alternate blocks of `Block` lanes from the first vector, the upper half from the second; IsSecond selects the
// odd blocks instead of the even ones.
template <int Width, int Group, int Block, bool IsSecond>
constexpr int shuffle_source_lane(int lane) {
  const int within = lane % Group, place = within % (Group / 2);
  return lane - within + place / Block * 2 * Block + place % Block + (IsSecond ? Block : 0) + (within < Group / 2 ? 0 : Width);
}
template <class C, int Width>
struct Vector {
  typedef C type __attribute__((vector_size(Width * sizeof(C))));
};
// Merges `Count` vectors into one: lane r of `to` becomes the merged lanes of rows[r]. Rows are first combined within 16 bytes, where
// moving lanes is cheapest.
template <class C, int Count, class V, class F, int... Lane>
MT_INLINE void merge_rows(V& to, const V* rows, F merge, std::integer_sequence<int, Lane...> lanes) {
  if constexpr (Count == 1) {
    to = *rows;
  } else {
    V a, b;
    merge_rows<C, Count / 2>(a, rows, merge, lanes);
    merge_rows<C, Count / 2>(b, rows + Count / 2, merge, lanes);
    constexpr int width = sizeof...(Lane), near = 16 / sizeof(C), group = Count <= near ? near : width, block = Count <= near ? 1 : near;
    const V second = __builtin_shufflevector(a, b, shuffle_source_lane<width, group, block, true>(Lane)...);
    to = __builtin_shufflevector(a, b, shuffle_source_lane<width, group, block, false>(Lane)...);
    merge(to, second);
  }
}
// Merges the lanes of each vector: to[r] becomes the merged lanes of rows[r], for all rows.
template <class C, int Width, class V, class F>
MT_INLINE void merge_lanes_of_rows(C (&to)[Width], const V (&rows)[Width], F merge) {
  V merged;
  merge_rows<C, Width>(merged, rows, merge, std::make_integer_sequence<int, Width>());
  std::memcpy(to, &merged, sizeof merged);
}
// Loads value(first), value(first + 1), ... into the lanes of a vector. value must compute something: gcc copies plain arrays through
// memory in pieces smaller than vectors, which causes stalls.
template <class C, int Width, class V, class F>
MT_INLINE void fill_lanes(V& to, int64_t first, F&& value) {
  C lanes[Width];
  for (int j = 0; j < Width; ++j) lanes[j] = value(first + j);
  std::memcpy(&to, lanes, sizeof to);
}

// Stores value(i) for one row of at least `Width` elements; `Width` such rows are processed together, so that what is done once per row is
// done for all of them in one vector. A row's tail is a last, overlapping vector, which is computed first, since the result may overwrite
// the input.
template <int Width, class C, class F>
MT_INLINE void fill_row(C* to, int64_t n, F&& value) {
  const int64_t whole = n - n % Width;
  typename Vector<C, Width>::type last = {}, next;
  if (whole < n) fill_lanes<C, Width>(last, n - Width, value);
  for (int64_t i = 0; i < whole; i += Width) {
    fill_lanes<C, Width>(next, i, value);
    std::memcpy(to + i, &next, sizeof next);
  }
  if (whole < n) std::memcpy(to + n - Width, &last, sizeof last);
}
// Sums value(i) in lanes and in blocks, which bounds the error of long rows.
template <class C, int Width, class V, class F>
MT_INLINE void sum_row(V& total, int64_t n, F&& value) {
  constexpr int64_t block = 1024;
  const int64_t whole = n - n % Width;
  const int seen = int(whole + Width - n);  // lanes of the last vector that other vectors cover too
  V sum = {}, next;
  if (whole < n) {
    C last[Width];
    for (int j = 0; j < Width; ++j) last[j] = value(n - Width + j);
    fill_lanes<C, Width>(sum, 0, [&](int64_t j) { return int(j) < seen ? C(0) : last[j]; });
  }
  for (int64_t begin = 0; begin < whole; begin += block) {
    C part[Width] = {};
    for (int64_t i = begin; i < std::min(whole, begin + block); i += Width)
      for (int j = 0; j < Width; ++j) part[j] += value(i + j);
    std::memcpy(&next, part, sizeof next);
    sum += next;
  }
  total = sum;
}
constexpr int64_t cached_elements = 2048;
// Calls f(first row, number of rows) for groups of rows that fit into `cached_elements`, or for single rows.
template <int Width, class F>
MT_INLINE void for_row_groups(int64_t rows, int64_t n, F&& f) {
  const int64_t together = std::clamp<int64_t>(cached_elements / n, 1, Width);
  for (int64_t r = 0; r < rows; r += together) f(r, int(std::min(together, rows - r)));
}

template <class C, SoftmaxKind K>
struct Forward {
  template <int Bytes>
  struct ForVectors {
    static constexpr int width = Bytes / sizeof(C);
    static void run(const C* in, C* out, int64_t n, int64_t rows) {
      for_row_groups<width>(rows, n, [&](int64_t first, int count) { run_row_group(in + first * n, out + first * n, n, count); });
    }
    // A row with NaN has a NaN total, whatever maximum is found for it; so has a row whose elements are all -inf.
    MT_INLINE static void run_row_group(const C* in, C* out, int64_t n, int count) {
      const auto larger = [](auto& a, const auto& b) { a = a > b ? a : b; };
      using V = typename Vector<C, width>::type;
      V lanes[width];
      C largest[width], total[width];
      for (int r = 0; r < width; ++r) {
        if (r >= count) {
          lanes[r] = V{};
          continue;
        }
        const C* const row = in + r * n;
        V most, next;
        std::memcpy(&most, row + n - width, sizeof most);
        for (int64_t i = 0; i + width <= n; i += width) std::memcpy(&next, row + i, sizeof next), larger(most, next);
        lanes[r] = most;
      }
      merge_lanes_of_rows(largest, lanes, larger);
      // Short rows keep their exponentials in a local buffer: reading a result back from `out`, which may not be in the caches, would
      // stall.
      C near[cached_elements];
      C* const values = n <= cached_elements ? near : out;
      for (int r = 0; r < count; ++r) {
        const C* const row = in + r * n;
        const C most = largest[r];
        const auto value = [&](int64_t i) { return vec::exp_nonpositive(row[i] - most); };
        if constexpr (K == SoftmaxKind::plain) {
          const C* const powers = values + r * n;
          fill_row<width>(values + r * n, n, value);
          sum_row<C, width>(lanes[r], n, [&](int64_t i) { return powers[i]; });
        } else {
          sum_row<C, width>(lanes[r], n, value);
        }
      }
      merge_lanes_of_rows(total, lanes, [](auto& a, const auto& b) { a += b; });
      for (int r = 0; r < width; ++r) total[r] = K == SoftmaxKind::plain ? C(1) / total[r] : vec::log(total[r]);
      for (int r = 0; r < count; ++r) {
        const C* const from = K == SoftmaxKind::plain ? values + r * n : in + r * n;
        const C most = largest[r], each = total[r];
        fill_row<width>(out + r * n, n, [&](int64_t i) { return K == SoftmaxKind::plain ? from[i] * each : from[i] - most - each; });
      }
    }
  };
};

// e^x, or 0 below e^-86, where results soon become subnormal: such a term is negligible beside a gradient, and subnormals are slow.
MT_INLINE float exp_or_zero(float x) {
  const auto reduced = vec::detail::reduce_by_ln2(x);
  return x < -86.0f ? 0.0f : vec::detail::exp_reduced(reduced.r) * vec::detail::power_of_bits(reduced.bits, -1) * 2.0f;
}
MT_INLINE double exp_or_zero(double x) { return vec::exp(x); }

template <class C, SoftmaxKind K>
struct Backward {
  template <int Bytes>
  struct ForVectors {
    static constexpr int width = Bytes / sizeof(C);
    static void run(const C* grad, const C* output, C* out, int64_t n, int64_t rows) {
      for_row_groups<width>(rows, n, [&](int64_t first, int count) {
        run_row_group(grad + first * n, output + first * n, out + first * n, n, count);
      });
    }
    MT_INLINE static void run_row_group(const C* grad, const C* output, C* out, int64_t n, int count) {
      typename Vector<C, width>::type lanes[width];
      C total[width];
      for (int r = 0; r < width; ++r) {
        if (r >= count) {
          lanes[r] = typename Vector<C, width>::type{};
          continue;
        }
        const C *const g = grad + r * n, *const y = output + r * n;
        sum_row<C, width>(lanes[r], n, [&](int64_t i) { return K == SoftmaxKind::plain ? g[i] * y[i] : g[i]; });
      }
      merge_lanes_of_rows(total, lanes, [](auto& a, const auto& b) { a += b; });
      for (int r = 0; r < count; ++r) {
        const C *const g = grad + r * n, *const y = output + r * n, sum = total[r];
        fill_row<width>(out + r * n, n,
                        [&](int64_t i) { return K == SoftmaxKind::plain ? y[i] * (g[i] - sum) : g[i] - exp_or_zero(y[i]) * sum; });
      }
    }
  };
};

template <class C, template <class, SoftmaxKind> class Rows>
auto choose_rows_loop(SoftmaxKind kind) {
  using Plain = Rows<C, SoftmaxKind::plain>;
  using Log = Rows<C, SoftmaxKind::logarithm>;
  constexpr int least = MT_HAS_X86_TARGETS ? sizeof(C) : 16;  // one number at a time before AVX2
  return kind == SoftmaxKind::plain ? choose_width<Plain::template ForVectors, least>(Plain::template ForVectors<least>::run)
                                    : choose_width<Log::template ForVectors, least>(Log::template ForVectors<least>::run);
}
// The shortest rows that fill a vector.
template <class C>
int64_t shortest_full_row() {
  return (cpu_capability() == Capability::avx512 ? 64 : 32) / int64_t(sizeof(C));
}

// Calls run(sources, out, rows) for pieces of the rows of n elements; half types are passed as float tiles.
template <class T, int N, class Run>
void run_rows(const T* const (&sources)[N], T* out, Dtype dtype, int64_t rows, int64_t n, Run&& run) {
  using C = ComputeType<T>;
  const Conversion widen(compute_dtype(dtype), dtype), narrow(dtype, compute_dtype(dtype));
  for_row_pieces(rows, n * 4, [&](int64_t begin, int64_t end) {
    const C* from[N];
    if constexpr (std::is_same_v<T, C>) {
      for (int s = 0; s < N; ++s) from[s] = sources[s] + begin * n;
      run(from, out + begin * n, end - begin);
    } else {
      const int64_t together = std::max<int64_t>(1, cached_elements / n);
      Buffer<C> tiles(N * together * n);
      for (int64_t r = begin, count; r < end; r += count) {
        count = std::min(together, end - r);
        for (int s = 0; s < N; ++s) {
          C* const tile = tiles.data() + s * together * n;
          widen(tile, sizeof(C), sources[s] + r * n, sizeof(T), count * n);
          from[s] = tile;
        }
        run(from, tiles.data(), count);
        narrow(out + r * n, sizeof(T), tiles.data(), sizeof(C), count * n);
      }
    }
  });
}

// Softmax along columns: n rows of `width` columns, `stride` elements apart, so that a dimension that is not the last needs no
// transposing. Sums are taken over blocks of rows, which bounds their error.
constexpr int64_t column_tile = 128, row_block = 64;
static_assert(tile_rows <= column_tile);

template <class C, SoftmaxKind K>
struct ForwardColumns {
  static void run(const C* in, C* out, int64_t n, int64_t stride, int64_t width) {
    C largest[column_tile], total[column_tile] = {};
    for (int64_t j = 0; j < width; ++j) largest[j] = in[j];
    for (int64_t i = 1; i < n; ++i)
      for (int64_t j = 0; j < width; ++j) largest[j] = in[i * stride + j] <= largest[j] ? largest[j] : in[i * stride + j];
    for (int64_t block = 0; block < n; block += row_block) {
      C part[column_tile] = {};
      for (int64_t i = block; i < std::min(n, block + row_block); ++i)
        for (int64_t j = 0; j < width; ++j) {
          const C value = vec::exp_nonpositive(in[i * stride + j] - largest[j]);
          part[j] += value;
          if constexpr (K == SoftmaxKind::plain) out[i * stride + j] = value;
        }
      for (int64_t j = 0; j < width; ++j) total[j] += part[j];
    }
    for (int64_t j = 0; j < width; ++j) total[j] = K == SoftmaxKind::plain ? C(1) / total[j] : vec::log(total[j]);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < width; ++j) {
        if constexpr (K == SoftmaxKind::plain)
          out[i * stride + j] *= total[j];
        else
          out[i * stride + j] = in[i * stride + j] - largest[j] - total[j];
      }
  }
};

template <class C, SoftmaxKind K>
struct BackwardColumns {
  static void run(const C* grad, const C* output, C* out, int64_t n, int64_t stride, int64_t width) {
    C total[column_tile] = {};
    for (int64_t block = 0; block < n; block += row_block) {
      C part[column_tile] = {};
      for (int64_t i = block * stride; i < std::min(n, block + row_block) * stride; i += stride)
        for (int64_t j = 0; j < width; ++j) part[j] += K == SoftmaxKind::plain ? grad[i + j] * output[i + j] : grad[i + j];
      for (int64_t j = 0; j < width; ++j) total[j] += part[j];
    }
    for (int64_t i = 0; i < n * stride; i += stride)
      for (int64_t j = 0; j < width; ++j) {
        if constexpr (K == SoftmaxKind::plain)
          out[i + j] = output[i + j] * (grad[i + j] - total[j]);
        else
          out[i + j] = grad[i + j] - exp_or_zero(output[i + j]) * total[j];
      }
  }
};

template <class C, template <class, SoftmaxKind> class Columns>
auto choose_columns_loop(SoftmaxKind kind) {
  using Plain = Columns<C, SoftmaxKind::plain>;
  using Log = Columns<C, SoftmaxKind::logarithm>;
  return kind == SoftmaxKind::plain ? choose_clone<Plain>(Plain::run) : choose_clone<Log>(Log::run);
}

// Softmax of any number of short rows, as columns of tiles: the same additions in the same order as for long rows.
template <class T>
void short_rows_forward(SoftmaxKind kind, const T* in, T* out, Dtype dtype, int64_t rows, int64_t n) {
  const RowTiles<T> tiles(dtype, n);
  const auto columns = choose_columns_loop<ComputeType<T>, ForwardColumns>(kind);
  for_row_tiles(rows, [&](int64_t first, int64_t count) {
    typename RowTiles<T>::Tile x, y;  // two tiles, since gcc does not vectorise a loop that may overwrite its input
    tiles.read(x, in + first * n, count);
    columns(x, y, n, tile_rows, tiles.padded(count));
    tiles.write(out + first * n, y, count);
  });
}
template <class T>
void short_rows_backward(SoftmaxKind kind, const T* grad, const T* output, T* out, Dtype dtype, int64_t rows, int64_t n) {
  const RowTiles<T> tiles(dtype, n);
  const auto columns = choose_columns_loop<ComputeType<T>, BackwardColumns>(kind);
  for_row_tiles(rows, [&](int64_t first, int64_t count) {
    typename RowTiles<T>::Tile g, y, dx;
    tiles.read(g, grad + first * n, count);
    tiles.read(y, output + first * n, count);
    columns(g, y, dx, n, tile_rows, tiles.padded(count));
    tiles.write(out + first * n, dx, count);
  });
}

// Calls f(offset, width) for each tile of columns.
template <class F>
void for_columns(SoftmaxColumns shape, F&& f) {
  const auto [outer, n, inner] = shape;
  const int64_t tiles = (inner + column_tile - 1) / column_tile;
  parallel_for(0, outer * tiles, std::max<int64_t>(1, 8192 / (n * std::min(inner, column_tile))), [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const int64_t first = k % tiles * column_tile;
      f(k / tiles * n * inner + first, std::min(column_tile, inner - first));
    }
  });
}
// Calls run(sources, out, stride, width) for each tile of columns; half types are passed as float tiles.
template <class T, int N, class Run>
void run_columns(const T* const (&sources)[N], T* out, Dtype dtype, SoftmaxColumns shape, Run&& run) {
  using C = ComputeType<T>;
  const int64_t n = shape.n, stride = shape.inner;
  const Conversion widen(compute_dtype(dtype), dtype), narrow(dtype, compute_dtype(dtype));
  for_columns(shape, [&](int64_t at, int64_t width) {
    const C* from[N];
    T* const to = out + at;
    if constexpr (std::is_same_v<T, C>) {
      for (int s = 0; s < N; ++s) from[s] = sources[s] + at;
      run(from, to, stride, width);
    } else {
      Buffer<C> tiles(N * n * width);
      // If the rows of a tile are contiguous, they are converted to float in one call.
      const int64_t lines = stride == width ? 1 : n, length = n / lines * width;
      for (int s = 0; s < N; ++s) {
        C* const tile = tiles.data() + s * n * width;
        const T* const source = sources[s] + at;
        for (int64_t i = 0; i < lines; ++i) widen(tile + i * width, sizeof(C), source + i * stride, sizeof(T), length);
        from[s] = tile;
      }
      run(from, tiles.data(), width, width);
      for (int64_t i = 0; i < lines; ++i) narrow(to + i * stride, sizeof(T), tiles.data() + i * width, sizeof(C), length);
    }
  });
}

}  // namespace

template <class T>
void softmax_rows(SoftmaxKind kind, const T* in, T* out, Dtype dtype, int64_t rows, int64_t n) {
  using C = ComputeType<T>;
  if (n < shortest_full_row<C>()) return short_rows_forward(kind, in, out, dtype, rows, n);
  const auto run = choose_rows_loop<C, Forward>(kind);
  run_rows<T>({in}, out, dtype, rows, n, [&](const C* const* from, C* to, int64_t count) { run(from[0], to, n, count); });
}

template <class T>
void softmax_rows_backward(SoftmaxKind kind, const T* grad, const T* output, T* out, Dtype dtype, int64_t rows, int64_t n) {
  using C = ComputeType<T>;
  if (n < shortest_full_row<C>()) return short_rows_backward(kind, grad, output, out, dtype, rows, n);
  const auto run = choose_rows_loop<C, Backward>(kind);
  run_rows<T>({grad, output}, out, dtype, rows, n,
              [&](const C* const* from, C* to, int64_t count) { run(from[0], from[1], to, n, count); });
}

template <class T>
void softmax_columns(SoftmaxKind kind, const T* in, T* out, Dtype dtype, SoftmaxColumns shape) {
  using C = ComputeType<T>;
  const auto columns = choose_columns_loop<C, ForwardColumns>(kind);
  run_columns<T>({in}, out, dtype, shape,
                 [&](const C* const* from, C* to, int64_t stride, int64_t width) { columns(from[0], to, shape.n, stride, width); });
}

template <class T>
void softmax_columns_backward(SoftmaxKind kind, const T* grad, const T* output, T* out, Dtype dtype, SoftmaxColumns shape) {
  using C = ComputeType<T>;
  const auto columns = choose_columns_loop<C, BackwardColumns>(kind);
  run_columns<T>({grad, output}, out, dtype, shape, [&](const C* const* from, C* to, int64_t stride, int64_t width) {
    columns(from[0], from[1], to, shape.n, stride, width);
  });
}

#define MT_INSTANTIATE(T)                                                                               \
  template void softmax_rows<T>(SoftmaxKind, const T*, T*, Dtype, int64_t, int64_t);                    \
  template void softmax_rows_backward<T>(SoftmaxKind, const T*, const T*, T*, Dtype, int64_t, int64_t); \
  template void softmax_columns<T>(SoftmaxKind, const T*, T*, Dtype, SoftmaxColumns);                   \
  template void softmax_columns_backward<T>(SoftmaxKind, const T*, const T*, T*, Dtype, SoftmaxColumns);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
#undef MT_INSTANTIATE

}  // namespace mt::cpu
