// Shared by max, min, aminmax, cummax and cummin: the extreme of a line, its index, running extremes, and gradients.
#pragma once

#include "rules/reduction/reducers.h"
#include "rules/reduction/scan.h"

namespace mt {

// Dispatches on the element type; bool is compared as bytes.
template <class F>
void visit_ordered(const Tensor& self, const char* name, F&& f) {
  if (self.dtype() == Dtype::boolean)
    f(Type<uint8_t>());
  else
    dispatch_real(self.dtype(), name, f);
}
template <bool Largest>
void reduce_extreme(const Tensor& self, uint64_t mask, const Tensor& out, const char* name) {
  visit_ordered(self, name, [&]<class T>(Type<T>) { reduce<ExtremeReducer<ComputeType<T>, Largest>, T, T>(self, mask, out, {}); });
}
template <bool Largest>
void reduce_to_extreme_index(const Tensor& self, uint64_t mask, const Tensor& out, const char* name) {
  visit_ordered(self, name,
                [&]<class T>(Type<T>) { reduce<IndexedExtremeReducer<ComputeType<T>, Largest>, T, int64_t>(self, mask, out, {}); });
}
// Stores in `values` the elements of `self` at `indices` along `dim`.
void gather_at_extreme_indices(const Tensor& self, int64_t dim, const Tensor& indices, const Tensor& values);
template <bool Largest>
void reduce_extreme_and_index(const Tensor& self, int64_t dim, const Tensor& values, const Tensor& indices, const char* name) {
  reduce_to_extreme_index<Largest>(self, reduced_dims(IntList{dim}, self.dim()), indices, name);
  gather_at_extreme_indices(self, dim, indices, values);
}
// Writes the index of the extreme, computed by the operator that returns value and index: for devices other than the CPU.
template <bool Largest>
void write_extreme_indices(const Tensor& self, std::optional<int64_t> dim, const Tensor& out) {
  BelowAutograd guard;
  const Tensor lines = dim ? self : op<"reshape">(self, IntList{-1});
  const int64_t d = dim.value_or(0);
  const Tensor indices = Largest ? op<"max.dim", Tensors<2>>(lines, d)[1] : op<"min.dim", Tensors<2>>(lines, d)[1];
  copy_into(out, op<"reshape">(indices, out.sizes()));
}
// The gradient of an extreme: all elements that equal it share the incoming gradient equally.
inline Tensor extreme_gradient(const Tensor& g, const Tensor& x, const Tensor& y, IntList dims) {
  Tensor mask = op<"eq">(x, y);
  return g * mask / op<"sum.dim_IntList">(mask, dims, true);
}

// The extreme of each prefix of a line, and its index, the last one of several; NaN persists once it occurs.
template <bool Largest>
void running_extreme(const Tensor& self, int64_t dim, const Tensor& values, const Tensor& indices, const char* name) {
  if (self.dim() == 0) {
    copy_into(values, self);
    *indices.data<int64_t>() = 0;
    return;
  }
  visit_ordered(self, name, [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    struct Best {
      C value;
      int64_t place;
      T element;
    };
    T* to = values.data<T>();
    const int64_t* first = indices.data<int64_t>();
    const Best none{ExtremeReducer<C, Largest>::init(), 0, T()};
    scan<T, int64_t>(self, indices, dim, none, [to, first](Best& best, const T& x, int64_t i, int64_t& place) {
      const C v = C(x);
      // A branch, so that the loop does not wait for the previous comparison; new extremes are rare. After a NaN neither comparison is
      // true.
      if ((Largest ? v >= best.value : v <= best.value) || isnan_(v)) [[unlikely]]
        best = {v, i, x};
      place = best.place;
      to[&place - first] = best.element;  // both results are contiguous
    });
  });
}
// The gradient of running extremes: adds each incoming gradient at the index from which the extreme came.
inline Tensor running_gradient(const Tensor& g, const TensorMeta& self, int64_t dim, const Tensor& indices) {
  if (self.sizes.empty()) return g;
  return op<"scatter_add">(op<"new_zeros">(g, self.sizes), dim, indices, g);
}

}  // namespace mt
