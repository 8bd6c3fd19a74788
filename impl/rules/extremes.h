// What max and min share: the extreme of each line, where it is, and its gradient.
#pragma once

#include "rules/reducers.h"

namespace mt {

template <class F>
void visit_ordered(const Tensor& self, const char* name, F&& f) {
  if (is_complex(self.dtype())) not_implemented_for(name, self.dtype());
  dispatch_all(self.dtype(), name, f);
}
template <bool Largest>
void reduce_extreme(const Tensor& self, uint64_t mask, const Tensor& out, const char* name) {
  visit_ordered(self, name, [&]<class T>(Type<T>) {
    if constexpr (!is_complex_type<T>) reduce<ExtremeReducer<ComputeType<T>, Largest>, T, T>(self, mask, out, {});
  });
}
template <bool Largest>
void reduce_place(const Tensor& self, uint64_t mask, const Tensor& out, const char* name) {
  visit_ordered(self, name, [&]<class T>(Type<T>) {
    if constexpr (!is_complex_type<T>) reduce<PlaceReducer<ComputeType<T>, Largest>, T, int64_t>(self, mask, out, {});
  });
}
// The gradient is shared by all elements that equal the extreme.
inline Tensor extreme_gradient(const Tensor& g, const Tensor& x, const Tensor& y, IntList dims) {
  Tensor mask = op<"eq">(x, y);
  return g * mask / op<"sum.dim_IntList">(mask, dims, true);
}

}  // namespace mt
