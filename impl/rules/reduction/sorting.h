// The sorting family: a tensor as rows along one dimension.
#pragma once

#include "core/dispatch_dtype.h"
#include "cpu/sort.h"
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {

// Calls f(rows, n, in, values, indices) for contiguous tensors with `dim` last, and copies results back. `Unsigned`: also for uint16,
// uint32 and uint64.
template <bool Unsigned = false, class F>
void sort_along(const Tensor& self, int64_t dim, int64_t result_size, const Tensor& values, const Tensor& indices, const char* name,
                F&& f) {
  if (values.numel() == 0) return;
  auto move_dim_last = [&](const Tensor& t) {
    if (t.dim() == 0) return alias(t, {1}, {1}, t.storage_offset(), false);
    Dims sizes(t.sizes()), strides(t.strides());
    const int64_t n = sizes[dim], s = strides[dim];
    sizes.erase(dim), strides.erase(dim);
    sizes.push_back(n), strides.push_back(s);
    return alias(t, sizes, strides, t.storage_offset(), false);
  };
  const Tensor source = move_dim_last(self), to_values = move_dim_last(values), to_indices = move_dim_last(indices);
  // Rows that are contiguous are used in place, unless results would overwrite input that is not read yet.
  const bool apart = self->storage != values->storage && self->storage != indices->storage;
  auto rows_of = [](const Tensor& t, bool as_it_is) { return as_it_is && t.is_contiguous() ? t : empty(t.sizes(), t.dtype()); };
  const Tensor in = rows_of(source, true), v = rows_of(to_values, apart), i = rows_of(to_indices, apart);
  if (in.get() != source.get()) copy_into(in, source);
  const int64_t n = in.size(-1), rows = in.numel() / n;
  if (is_complex(self.dtype())) not_implemented_for(name, self.dtype());
  auto typed = [&]<class T>(Type<T>) {
    if constexpr (!is_complex_type<T>)
      f(Type<T>(), rows, n, cpu::Rows<const T>{in.data<T>(), n, 1}, cpu::Rows<T>{v.data<T>(), result_size, 1},
        cpu::Rows<int64_t>{i.data<int64_t>(), result_size, 1});
  };
  if constexpr (Unsigned)
    dispatch_all_and_unsigned(self.dtype(), name, typed);
  else
    dispatch_all(self.dtype(), name, typed);
  if (v.get() != to_values.get()) copy_into(to_values, v);
  if (i.get() != to_indices.get()) copy_into(to_indices, i);
}
// The sizes of results with one value and one index per line, and (below) a view of them that keeps the line's dimension with size 1.
inline Dims sizes_without(const Tensor& self, int64_t dim, bool keepdim) {
  Dims sizes(self.sizes());
  if (self.dim() == 0) return sizes;
  if (keepdim)
    sizes[dim] = 1;
  else
    sizes.erase(dim);
  return sizes;
}
inline Tensor restore_reduced_dim(const Tensor& result, const Tensor& self, int64_t dim) {
  if (result.dim() == self.dim()) return result;
  Dims sizes(result.sizes()), strides(result.strides());
  sizes.insert(dim, 1), strides.insert(dim, 1);
  return alias(result, sizes, strides, result.storage_offset(), false);
}
// The gradient of values that were selected along a dimension.
inline Tensor scatter_selected_gradient(const Tensor& g, const TensorMeta& self, int64_t dim, const Tensor& indices) {
  Tensor zeros = op<"new_zeros">(g, self.sizes);
  return self.sizes.empty() ? g : op<"scatter.src">(zeros, dim, indices, g);
}

// As scatter_selected_gradient, if one value per line was selected, with its dimension kept or not.
inline Tensor scatter_single_selected_gradient(const Tensor& g, const TensorMeta& self, int64_t dim, bool keepdim, const Tensor& indices) {
  if (self.sizes.empty() || keepdim) return scatter_selected_gradient(g, self, dim, indices);
  return scatter_selected_gradient(op<"unsqueeze">(g, dim), self, dim, op<"unsqueeze">(indices, dim));
}

}  // namespace mt
