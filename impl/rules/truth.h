// What any and all share: their result's dtype, and the shapes and kernels of their three forms.
#pragma once

#include "rules/checked.h"
#include "rules/reducers.h"

namespace mt {

// uint8 is older than bool here.
inline Dtype truth_dtype(const Tensor& self) { return self.dtype() == Dtype::uint8 ? Dtype::uint8 : Dtype::boolean; }

// The dimensions of the `dims` form: an empty list reduces none, None reduces all.
inline uint64_t truth_dims(const Tensor& self, std::optional<IntList> dim) {
  return dim && dim->empty() ? 0 : reduced_dims(dim, self.dim());
}
inline void truth_shape(Specs& out, const Tensor& self, uint64_t mask, bool keepdim) {
  out.add(reduced_sizes(self.sizes(), mask, keepdim), truth_dtype(self));
}
inline void check_truth_result(const Call& call) {
  if (call.op.form != Form::out) return;
  const Dtype out = Unbox<Tensor>::from(call.args[call.op.n_args - 1]).dtype();
  check(out == Dtype::boolean || out == Dtype::uint8, "{} only supports bool tensor for result, got: {}", call.op.base_name, out);
}
template <class R>
void reduce_truth(const Tensor& self, uint64_t mask, const Tensor& out, const char* name) {
  Tensor result = out.dtype() == Dtype::boolean ? out : empty(out.sizes(), Dtype::boolean);
  dispatch_all_and_unsigned(self.dtype(), name, [&]<class T>(Type<T>) { reduce<R, T, bool>(self, mask, result, {}); });
  if (result.get() != out.get()) copy_into(out, result);
}

}  // namespace mt
