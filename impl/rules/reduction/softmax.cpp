// Softmax: the dimension is made the last one, unless its columns can be processed in place.
#include "rules/reduction/softmax.h"

namespace mt {
namespace {

// Contiguous columns are processed in place if there are enough of them.
constexpr int64_t longest_column_of_halves = 1024;
bool can_use_columns(const Tensor& t, int64_t dim) {
  return t.dim() > 1 && dim < t.dim() - 1 && t.is_contiguous() && t.stride(dim) >= 16 &&
         (!is_half(t.dtype()) || t.size(dim) <= longest_column_of_halves);
}
cpu::SoftmaxColumns columns_of(const Tensor& t, int64_t dim) {
  const int64_t n = t.size(dim), inner = t.stride(dim);
  return {t.numel() / (n * inner), n, inner};
}

// Copies `t` into contiguous rows along dimension `dim`.
Tensor make_rows_along(const Tensor& t, int64_t dim) {
  if (is_shrunk(*t->storage)) check_within_storage(*t);
  if (t.dim() == 0 || dim == t.dim() - 1) return dense(t);
  Dims sizes(t.sizes()), strides(t.strides());
  const int64_t n = sizes[dim], s = strides[dim];
  sizes.erase(dim), strides.erase(dim);
  sizes.push_back(n), strides.push_back(s);
  return dense(alias(t, sizes, strides, t.storage_offset()));
}
// The inverse of make_rows_along: copies rows into `out`.
void copy_rows_back(const Tensor& rows, int64_t dim, const Tensor& out) {
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
  if (can_use_columns(self, dim) && out.is_contiguous() && self.dtype() == out.dtype())
    return dispatch_floating(out.dtype(), "softmax", [&]<class T>(Type<T>) {
      cpu::softmax_columns<T>(kind, self.data<T>(), out.data<T>(), out.dtype(), columns_of(out, dim));
    });
  const Tensor in = make_rows_along(self, dim);
  const int64_t n = self.dim() ? self.size(dim) : 1, rows = self.numel() / n;
  const bool direct = self.dim() == 0 || dim == self.dim() - 1;
  Tensor result = direct ? out : empty(in.sizes(), out.dtype());
  dispatch_floating(out.dtype(), kind == SoftmaxKind::plain ? "softmax_lastdim_kernel_impl" : "log_softmax_lastdim_kernel_impl",
                    [&]<class T>(Type<T>) { cpu::softmax_rows<T>(kind, in.data<T>(), result.data<T>(), out.dtype(), rows, n); });
  if (!direct) copy_rows_back(result, dim, out);
}

void softmax_backward(SoftmaxKind kind, const Tensor& grad, const Tensor& output, int64_t dim, const Tensor& out) {
  if (out.numel() == 0) return;
  if (can_use_columns(output, dim) && grad.is_contiguous() && out.is_contiguous() && grad.dtype() == output.dtype() &&
      grad.dtype() == out.dtype())
    return dispatch_floating(out.dtype(), "softmax_backward", [&]<class T>(Type<T>) {
      cpu::softmax_columns_backward<T>(kind, grad.data<T>(), output.data<T>(), out.data<T>(), out.dtype(), columns_of(out, dim));
    });
  const Tensor g = make_rows_along(grad, dim), y = make_rows_along(output, dim);
  const int64_t n = output.dim() ? output.size(dim) : 1, rows = output.numel() / n;
  const bool direct = output.dim() == 0 || dim == output.dim() - 1;
  Tensor result = direct ? out : empty(y.sizes(), out.dtype());
  dispatch_floating(out.dtype(), kind == SoftmaxKind::plain ? "softmax_backward" : "log_softmax_backward", [&]<class T>(Type<T>) {
    cpu::softmax_rows_backward<T>(kind, g.data<T>(), y.data<T>(), result.data<T>(), out.dtype(), rows, n);
  });
  if (!direct) copy_rows_back(result, dim, out);
}

}  // namespace mt
