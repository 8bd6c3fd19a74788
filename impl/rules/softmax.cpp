// Row kernels of softmax: the dimension is made the last one, rows are computed in float (double for double).
#include "rules/softmax.h"

#include <algorithm>

#include "rules/row_tiles.h"
#include "rules/wide_rows.h"

namespace mt {
namespace {

constexpr int64_t tile = 512, row_near = 2048;

template <class C, SoftmaxKind K>
struct Forward {
  static void run(const C* in, C* out, int64_t n) {
    const C largest = row_max<C>(n, [&](int64_t i) { return in[i]; });
    if (largest == -C(__builtin_inf())) {  // a fully masked row has no distribution
      for (int64_t i = 0; i < n; ++i) out[i] = C(__builtin_nan(""));
      return;
    }
    if constexpr (K == SoftmaxKind::plain) {
      // What was just written into a result that is not in the caches would be waited for.
      C near[row_near];
      C* const values = n <= row_near ? near : out;
      for (int64_t i = 0; i < n; ++i) values[i] = cpu::vec::exp_falling(in[i] - largest);
      const C scale = C(1) / row_sum<C>(n, [&](int64_t i) { return values[i]; });
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) out[i] = values[i] * scale;
    } else {
      C total = 0;
      for (int64_t begin = 0; begin < n; begin += tile) {  // a loop of its own for exp: sums over it would not vectorise
        const int64_t count = std::min(tile, n - begin);
        C values[tile];
        for (int64_t i = 0; i < count; ++i) values[i] = cpu::vec::exp_falling(in[begin + i] - largest);
        total += row_sum<C>(count, [&](int64_t i) { return values[i]; });
      }
      const C shift = cpu::vec::log(total);
      for (int64_t i = 0; i < n; ++i) out[i] = in[i] - largest - shift;
    }
  }
};

template <class C, SoftmaxKind K>
struct Backward {
  static void run(const C* grad, const C* output, C* out, int64_t n) {
    if constexpr (K == SoftmaxKind::plain) {
      const C total = row_sum<C>(n, [&](int64_t i) { return grad[i] * output[i]; });
      for (int64_t i = 0; i < n; ++i) out[i] = output[i] * (grad[i] - total);
    } else {
      const C total = row_sum<C>(n, [&](int64_t i) { return grad[i]; });
      for (int64_t i = 0; i < n; ++i) out[i] = grad[i] - cpu::vec::exp(output[i]) * total;
    }
  }
};

// The same down columns: n rows of `width` columns, `stride` elements apart, so that a dimension that is not the last needs no transposing.
// Sums are taken over blocks of rows, which bounds their error.
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
          const C value = cpu::vec::exp_falling(in[i * stride + j] - largest[j]);
          part[j] += value;
          if constexpr (K == SoftmaxKind::plain) out[i * stride + j] = value;
        }
      for (int64_t j = 0; j < width; ++j) total[j] += part[j];
    }
    for (int64_t j = 0; j < width; ++j) total[j] = K == SoftmaxKind::plain ? C(1) / total[j] : cpu::vec::log(total[j]);
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
          out[i + j] = grad[i + j] - cpu::vec::exp(output[i + j]) * total[j];
      }
  }
};

template <class C, template <class, SoftmaxKind> class Columns>
auto column_clone(SoftmaxKind kind) {
  using Plain = Columns<C, SoftmaxKind::plain>;
  using Log = Columns<C, SoftmaxKind::logarithm>;
  return kind == SoftmaxKind::plain ? row_clone<Plain>(Plain::run) : row_clone<Log>(Log::run);
}

// Short rows, however many: the same additions in the same order.
template <class T>
void short_rows_forward(SoftmaxKind kind, const T* in, T* out, Dtype dtype, int64_t rows, int64_t n) {
  const RowTiles<T> tiles(dtype, n);
  const auto columns = column_clone<ComputeType<T>, ForwardColumns>(kind);
  for_row_tiles(rows, [&](int64_t first, int64_t count) {
    typename RowTiles<T>::Tile x, y;  // two, as a vector loop is left where its result may be what it reads
    tiles.read(x, in + first * n, count);
    columns(x, y, n, tile_rows, tiles.padded(count));
    tiles.write(out + first * n, y, count);
  });
}
template <class T>
void short_rows_backward(SoftmaxKind kind, const T* grad, const T* output, T* out, Dtype dtype, int64_t rows, int64_t n) {
  const RowTiles<T> tiles(dtype, n);
  const auto columns = column_clone<ComputeType<T>, BackwardColumns>(kind);
  for_row_tiles(rows, [&](int64_t first, int64_t count) {
    typename RowTiles<T>::Tile g, y, dx;
    tiles.read(g, grad + first * n, count);
    tiles.read(y, output + first * n, count);
    columns(g, y, dx, n, tile_rows, tiles.padded(count));
    tiles.write(out + first * n, dx, count);
  });
}

// Columns are worked on where they lie: contiguous ones, enough of them side by side. A tile of half types becomes one of floats,
// which must stay in the caches.
constexpr int64_t longest_half_column = 1024;
bool by_columns(const Tensor& t, int64_t dim) {
  return t.dim() > 1 && dim < t.dim() - 1 && t.is_contiguous() && t.stride(dim) >= 16 &&
         (!is_half(t.dtype()) || t.size(dim) <= longest_half_column);
}
// f(offset, width) for each tile of columns along `dim`.
template <class F>
void for_columns(const Tensor& t, int64_t dim, F&& f) {
  const int64_t n = t.size(dim), inner = t.stride(dim), tiles = (inner + column_tile - 1) / column_tile;
  cpu::parallel_for(0, t.numel() / (n * inner) * tiles, std::max<int64_t>(1, 8192 / (n * std::min(inner, column_tile))),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t k = begin; k < end; ++k) {
                        const int64_t first = k % tiles * column_tile;
                        f(k / tiles * n * inner + first, std::min(column_tile, inner - first));
                      }
                    });
}
// run(sources, out, stride, width) for each of those tiles; sources[i] and `out` point into the tensors, or into tiles of floats of theirs.
template <class T, int N, class Run>
void run_columns(const Tensor (&sources)[N], const Tensor& out, int64_t dim, Run&& run) {
  using C = ComputeType<T>;
  const int64_t n = out.size(dim), stride = out.stride(dim);
  const cpu::Conversion widen(compute_dtype(out.dtype()), out.dtype()), narrow(out.dtype(), compute_dtype(out.dtype()));
  for_columns(out, dim, [&](int64_t at, int64_t width) {
    const C* from[N];
    T* const to = out.data<T>() + at;
    if constexpr (std::is_same_v<T, C>) {
      for (int s = 0; s < N; ++s) from[s] = sources[s].template data<T>() + at;
      run(from, to, stride, width);
    } else {
      cpu::Buffer<C> tiles(N * n * width);
      for (int s = 0; s < N; ++s) {
        C* const tile = tiles.data() + s * n * width;
        const T* const source = sources[s].template data<T>() + at;
        for (int64_t i = 0; i < n; ++i) widen(tile + i * width, sizeof(C), source + i * stride, sizeof(T), width);
        from[s] = tile;
      }
      run(from, tiles.data(), width, width);
      for (int64_t i = 0; i < n; ++i) narrow(to + i * stride, sizeof(T), tiles.data() + i * width, sizeof(C), width);
    }
  });
}

// `t` with dimension `dim` last, as contiguous rows.
Tensor rows_of(const Tensor& t, int64_t dim) {
  if (t.dim() == 0 || dim == t.dim() - 1) return dense(t);
  Dims sizes(t.sizes()), strides(t.strides());
  const int64_t n = sizes[dim], s = strides[dim];
  sizes.erase(dim), strides.erase(dim);
  sizes.push_back(n), strides.push_back(s);
  return dense(alias(t, sizes, strides, t.storage_offset()));
}
// The inverse: copies rows into `out`.
void rows_into(const Tensor& rows, int64_t dim, const Tensor& out) {
  if (rows.get() == out.get()) return;
  Dims sizes(out.sizes()), strides(out.strides());
  const int64_t n = sizes[dim], s = strides[dim];
  sizes.erase(dim), strides.erase(dim);
  sizes.push_back(n), strides.push_back(s);
  copy_into(alias(out, sizes, strides, out.storage_offset()), rows);
}

}  // namespace

void softmax_forward(SoftmaxKind kind, const Tensor& self, int64_t dim, const Tensor& out) {
  if (out.numel() == 0) return;
  if (by_columns(self, dim) && out.is_contiguous() && self.dtype() == out.dtype())
    return dispatch_floating(out.dtype(), "softmax", [&]<class T>(Type<T>) {
      using C = ComputeType<T>;
      const auto columns = column_clone<C, ForwardColumns>(kind);
      run_columns<T>({self}, out, dim, [&](const C* const* from, C* to, int64_t stride, int64_t width) {
        columns(from[0], to, out.size(dim), stride, width);
      });
    });
  const Tensor in = rows_of(self, dim);
  const int64_t n = self.dim() ? self.size(dim) : 1, rows = self.numel() / n;
  const bool direct = self.dim() == 0 || dim == self.dim() - 1;
  Tensor result = direct ? out : empty(in.sizes(), out.dtype());
  dispatch_floating(out.dtype(), kind == SoftmaxKind::plain ? "softmax_lastdim_kernel_impl" : "log_softmax_lastdim_kernel_impl",
                    [&]<class T>(Type<T>) {
                      if (n <= tile_width) return short_rows_forward(kind, in.data<T>(), result.data<T>(), out.dtype(), rows, n);
                      using Plain = Forward<ComputeType<T>, SoftmaxKind::plain>;
                      using Log = Forward<ComputeType<T>, SoftmaxKind::logarithm>;
                      const auto row = kind == SoftmaxKind::plain ? row_clone<Plain>(Plain::run) : row_clone<Log>(Log::run);
                      const T* from = in.data<T>();
                      T* to = result.data<T>();
                      for_row_pieces(rows, n * 4, [&](int64_t begin, int64_t end) {
                        WideRows<T> wide(out.dtype(), n, 1);
                        for (int64_t r = begin; r < end; ++r) {
                          row(wide.read(from + r * n, 0), wide.result(to + r * n, 0), n);
                          wide.write(to + r * n, 0);
                        }
                      });
                    });
  if (!direct) rows_into(result, dim, out);
}

void softmax_backward(SoftmaxKind kind, const Tensor& grad, const Tensor& output, int64_t dim, const Tensor& out) {
  if (out.numel() == 0) return;
  if (by_columns(output, dim) && grad.is_contiguous() && out.is_contiguous() && grad.dtype() == output.dtype() &&
      grad.dtype() == out.dtype())
    return dispatch_floating(out.dtype(), "softmax_backward", [&]<class T>(Type<T>) {
      using C = ComputeType<T>;
      const auto columns = column_clone<C, BackwardColumns>(kind);
      run_columns<T>({grad, output}, out, dim, [&](const C* const* from, C* to, int64_t stride, int64_t width) {
        columns(from[0], from[1], to, out.size(dim), stride, width);
      });
    });
  const Tensor g = rows_of(grad, dim), y = rows_of(output, dim);
  const int64_t n = output.dim() ? output.size(dim) : 1, rows = output.numel() / n;
  const bool direct = output.dim() == 0 || dim == output.dim() - 1;
  Tensor result = direct ? out : empty(y.sizes(), out.dtype());
  dispatch_floating(out.dtype(), kind == SoftmaxKind::plain ? "softmax_backward" : "log_softmax_backward", [&]<class T>(Type<T>) {
    if (n <= tile_width) return short_rows_backward(kind, g.data<T>(), y.data<T>(), result.data<T>(), out.dtype(), rows, n);
    using Plain = Backward<ComputeType<T>, SoftmaxKind::plain>;
    using Log = Backward<ComputeType<T>, SoftmaxKind::logarithm>;
    const auto row = kind == SoftmaxKind::plain ? row_clone<Plain>(Plain::run) : row_clone<Log>(Log::run);
    for_row_pieces(rows, n * 4, [&](int64_t begin, int64_t end) {
      WideRows<T> wide(out.dtype(), n, 2);
      for (int64_t r = begin; r < end; ++r) {
        T* const to = result.data<T>() + r * n;
        row(wide.read(g.data<T>() + r * n, 0), wide.read(y.data<T>() + r * n, 1), wide.result(to, 0), n);
        wide.write(to, 0);
      }
    });
  });
  if (!direct) rows_into(result, dim, out);
}

}  // namespace mt
