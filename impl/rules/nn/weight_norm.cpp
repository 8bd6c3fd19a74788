// Weight normalisation as rows of a matrix: their dot products, then a linear combination of rows.
#include "rules/nn/weight_norm.h"

#include <cmath>
#include <vector>
#include "core/messages.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

void check_arguments(const Tensor& v, const Tensor& g, int64_t dim, const char* name) {
  check(dim == 0 || dim == v.dim() - 1, "fused kernels can only be applied for first or last dim");
  check(v.dim() > 0 && g.numel() == v.size(dim), "Expected g to have {} elements, but got {}", v.dim() ? v.size(dim) : 0, g.sizes());
  if (!is_floating(v.dtype()) || is_float8(v.dtype())) not_implemented_for(name, v.dtype());
  check(g.dtype() == v.dtype(), messages::expected_scalar_type, v.dtype(), g.dtype());
}

// Operations on one row of a matrix whose rows (`by_row`, dim 0) or columns (the last dim) have one norm each.
template <class T>
struct Row {
  using C = ComputeType<T>;
  // Sums a * b: over the row with `by_row`, otherwise adds each product to its column's sum.
  static void sum_products(const T* a, const T* b, C* sums, int64_t n, bool by_row) {
    if (by_row)
      *sums = row_sum<C>(n, [&](int64_t i) { return C(a[i]) * C(b[i]); });
    else
      for (int64_t i = 0; i < n; ++i) sums[i] += C(a[i]) * C(b[i]);
  }
  // Computes out = a * scale - b * other; scale and other are single numbers with `by_row`, otherwise one number per column.
  static void combine_rows(const T* a, const T* b, T* out, const C* scale, const C* other, int64_t n, bool by_row) {
    if (by_row && b)
      for (int64_t i = 0; i < n; ++i) out[i] = T(C(a[i]) * *scale - C(b[i]) * *other);
    else if (by_row)
      for (int64_t i = 0; i < n; ++i) out[i] = T(C(a[i]) * *scale);
    else
      for (int64_t i = 0; i < n; ++i) out[i] = T(C(a[i]) * scale[i] - (b ? C(b[i]) * other[i] : C(0)));
  }
};
template <class T>
struct Dots {
  static void run(const T* a, const T* b, ComputeType<T>* dots, int64_t n, bool by_row) { Row<T>::sum_products(a, b, dots, n, by_row); }
};
template <class T>
struct Combine {
  using C = ComputeType<T>;
  static void run(const T* a, const T* b, T* out, const C* scale, const C* other, int64_t n, bool by_row) {
    Row<T>::combine_rows(a, b, out, scale, other, n, by_row);
  }
};

template <class T>
std::vector<ComputeType<T>> dot_rows_or_columns(const T* a, const T* b, int64_t rows, int64_t n, bool by_row) {
  using C = ComputeType<T>;
  std::vector<C> sums(size_t(by_row ? rows : n), C(0));
  const auto row = row_clone<Dots<T>>(Dots<T>::run);
  if (by_row)
    for_rows(rows, n, [&](int64_t r) { row(a + r * n, b + r * n, &sums[size_t(r)], n, true); });
  else
    for (int64_t r = 0; r < rows; ++r) row(a + r * n, b + r * n, sums.data(), n, false);
  return sums;
}
template <class T>
void combine_all(const T* a, const T* b, T* out, const ComputeType<T>* scale, const ComputeType<T>* other, int64_t rows, int64_t n,
                 bool by_row) {
  const auto row = row_clone<Combine<T>>(Combine<T>::run);
  for_rows(rows, n, [&](int64_t r) {
    row(a + r * n, b ? b + r * n : nullptr, out + r * n, by_row ? scale + r : scale, other && by_row ? other + r : other, n, by_row);
  });
}

}  // namespace

Tensors<2> weight_norm(const Tensor& given, const Tensor& lengths, int64_t dim) {
  check_arguments(given, lengths, dim, "weight_norm_kernel");
  const Dtype wide = compute_dtype(given.dtype());
  Tensors<2> result{{empty(given.sizes(), given.dtype(), given.device()), empty(lengths.sizes(), wide, given.device())}};
  if (given.is_meta()) return result;
  const Tensor v = dense(given), g = dense_as(lengths, wide);
  dispatch_floating(v.dtype(), "weight_norm_kernel", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const int64_t places = g.numel(), n = dim == 0 ? (places ? v.numel() / places : 0) : places, rows = n ? v.numel() / n : 0;
    const T* x = v.data<T>();
    C* norm = result[1].data<C>();
    std::vector<C> scale = dot_rows_or_columns<T>(x, x, rows, n, dim == 0);
    scale.resize(size_t(places));
    for (int64_t p = 0; p < places; ++p) {
      norm[p] = std::sqrt(scale[size_t(p)]);
      scale[size_t(p)] = g.template data<C>()[p] / norm[p];
    }
    combine_all<T>(x, nullptr, result[0].data<T>(), scale.data(), nullptr, rows, n, dim == 0);
  });
  return result;
}

Tensors<2> weight_norm_backward(const Tensor& grad, const Tensor& given, const Tensor& lengths, const Tensor& norms, int64_t dim) {
  check_arguments(given, lengths, dim, "weight_norm_backward_kernel");
  check(grad.sizes() == given.sizes() && norms.numel() == lengths.numel(), "Expected a gradient of sizes {}, but got {}", given.sizes(),
        grad.sizes());
  const Dtype wide = compute_dtype(given.dtype());
  Tensors<2> result{{empty(given.sizes(), given.dtype(), given.device()), empty(lengths.sizes(), lengths.dtype(), given.device())}};
  if (given.is_meta()) return result;
  const Tensor v = dense(given), gw = dense_as(grad, given.dtype()), g = dense_as(lengths, wide), n_wide = dense_as(norms, wide);
  dispatch_floating(v.dtype(), "weight_norm_backward_kernel", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const int64_t places = g.numel(), n = dim == 0 ? (places ? v.numel() / places : 0) : places, rows = n ? v.numel() / n : 0;
    const T *x = v.data<T>(), *d = gw.data<T>();
    T* dg = result[1].data<T>();
    const C *length = g.template data<C>(), *norm = n_wide.template data<C>();
    std::vector<C> dots = dot_rows_or_columns<T>(d, x, rows, n, dim == 0), scale(static_cast<size_t>(places)),
                   other(static_cast<size_t>(places));
    dots.resize(size_t(places));
    for (int64_t p = 0; p < places; ++p) {
      const size_t i = size_t(p);
      const C inverse = C(1) / norm[p];
      dg[p] = T(dots[i] * inverse);
      scale[i] = length[p] * inverse;
      other[i] = scale[i] * inverse * inverse * dots[i];
    }
    combine_all<T>(d, x, result[0].data<T>(), scale.data(), other.data(), rows, n, dim == 0);
  });
  return result;
}

}  // namespace mt
