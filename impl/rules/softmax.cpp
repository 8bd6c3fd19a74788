// Row kernels of softmax: the dimension is made the last one, rows are computed in float (double for double).
#include "rules/softmax.h"

#include <algorithm>

namespace mt {
namespace {

constexpr int64_t tile = 512;

template <class T, SoftmaxKind K>
struct Forward {
  static void run(const T* in, T* out, int64_t n) {
    using C = ComputeType<T>;
    const C largest = row_max<C>(n, [&](int64_t i) { return C(in[i]); });
    if (largest == -C(__builtin_inf())) {  // a fully masked row has no distribution
      for (int64_t i = 0; i < n; ++i) out[i] = T(C(__builtin_nan("")));
      return;
    }
    if constexpr (K == SoftmaxKind::plain && std::is_same_v<T, C>) {
      for (int64_t i = 0; i < n; ++i) out[i] = cpu::vec::exp(in[i] - largest);
      const C scale = C(1) / row_sum<C>(n, [&](int64_t i) { return out[i]; });
      for (int64_t i = 0; i < n; ++i) out[i] *= scale;
    } else {
      C total = 0;
      for (int64_t begin = 0; begin < n; begin += tile) {  // a loop of its own for exp: sums over it would not vectorise
        const int64_t count = std::min(tile, n - begin);
        C values[tile];
        for (int64_t i = 0; i < count; ++i) values[i] = cpu::vec::exp(C(in[begin + i]) - largest);
        total += row_sum<C>(count, [&](int64_t i) { return values[i]; });
      }
      if constexpr (K == SoftmaxKind::plain) {
        const C scale = C(1) / total;
        for (int64_t i = 0; i < n; ++i) out[i] = T(cpu::vec::exp(C(in[i]) - largest) * scale);
      } else {
        const C shift = cpu::vec::log(total);
        for (int64_t i = 0; i < n; ++i) out[i] = T(C(in[i]) - largest - shift);
      }
    }
  }
};

template <class T, SoftmaxKind K>
struct Backward {
  static void run(const T* grad, const T* output, T* out, int64_t n) {
    using C = ComputeType<T>;
    if constexpr (K == SoftmaxKind::plain) {
      const C total = row_sum<C>(n, [&](int64_t i) { return C(grad[i]) * C(output[i]); });
      for (int64_t i = 0; i < n; ++i) out[i] = T(C(output[i]) * (C(grad[i]) - total));
    } else {
      const C total = row_sum<C>(n, [&](int64_t i) { return C(grad[i]); });
      for (int64_t i = 0; i < n; ++i) out[i] = T(C(grad[i]) - cpu::vec::exp(C(output[i])) * total);
    }
  }
};

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
  const Tensor in = rows_of(self, dim);
  const int64_t n = self.dim() ? self.size(dim) : 1, rows = self.numel() / n;
  const bool direct = self.dim() == 0 || dim == self.dim() - 1;
  Tensor result = direct ? out : empty(in.sizes(), out.dtype());
  dispatch_floating(out.dtype(), kind == SoftmaxKind::plain ? "softmax_lastdim_kernel_impl" : "log_softmax_lastdim_kernel_impl",
                    [&]<class T>(Type<T>) {
                      using Plain = Forward<T, SoftmaxKind::plain>;
                      using Log = Forward<T, SoftmaxKind::logarithm>;
                      const auto row = kind == SoftmaxKind::plain ? row_clone<Plain>(Plain::run) : row_clone<Log>(Log::run);
                      const T* from = in.data<T>();
                      T* to = result.data<T>();
                      for_rows(rows, n * 4, [&](int64_t r) { row(from + r * n, to + r * n, n); });
                    });
  if (!direct) rows_into(result, dim, out);
}

void softmax_backward(SoftmaxKind kind, const Tensor& grad, const Tensor& output, int64_t dim, const Tensor& out) {
  if (out.numel() == 0) return;
  const Tensor g = rows_of(grad, dim), y = rows_of(output, dim);
  const int64_t n = output.dim() ? output.size(dim) : 1, rows = output.numel() / n;
  const bool direct = output.dim() == 0 || dim == output.dim() - 1;
  Tensor result = direct ? out : empty(y.sizes(), out.dtype());
  dispatch_floating(out.dtype(), kind == SoftmaxKind::plain ? "softmax_backward" : "log_softmax_backward", [&]<class T>(Type<T>) {
    using Plain = Backward<T, SoftmaxKind::plain>;
    using Log = Backward<T, SoftmaxKind::logarithm>;
    const auto row = kind == SoftmaxKind::plain ? row_clone<Plain>(Plain::run) : row_clone<Log>(Log::run);
    for_rows(rows, n * 4, [&](int64_t r) { row(g.data<T>() + r * n, y.data<T>() + r * n, result.data<T>() + r * n, n); });
  });
  if (!direct) rows_into(result, dim, out);
}

}  // namespace mt
