// The _foreach family: applies an operator to each tensor of a list. Each body calls the single operator, so gradients, meta tensors,
// promotion and errors are its own; a name ending in an underscore works in place.
#pragma once

#include <vector>

#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "definition/op.h"

namespace mt {

// ---- torch's checks of the lists ----

inline void check_list(TensorList self) { check(self.count > 0, messages::tensor_list_is_empty); }
inline void check_lists(TensorList self, TensorList other) {
  check(self.count > 0 && other.count > 0, messages::tensor_list_is_empty);
  check(self.count == other.count, messages::tensor_list_lengths_differ, self.count, other.count);
}
inline void check_lists(TensorList self, TensorList first, TensorList second) {
  check_lists(self, first);
  check_lists(self, second);
}
inline void check_scalars(TensorList self, List<Value> scalars) {
  check_list(self);
  check(self.count == scalars.count, "Tensor list must have same number of elements as scalar list.");
}
inline void check_number(const Tensor& number) {
  check(number.dim() == 0, "scalar tensor expected to be 0 dim but it has {} dimensions and {} elements.", number.dim(), number.numel());
}
// Reads one number for each tensor of a list from a 1-d CPU tensor.
std::vector<Scalar> unpack_scalars(const Tensor& packed, int64_t count);

namespace detail {

// Returns the list of make(i) for each index i of `self`.
template <class F>
std::vector<Tensor> make_tensor_list(TensorList self, F&& make) {
  std::vector<Tensor> out;
  out.reserve(size_t(self.count));
  for (int64_t i = 0; i < self.count; ++i) out.push_back(make(i));
  return out;
}
template <class F>
void for_each_index(TensorList self, F&& apply) {
  for (int64_t i = 0; i < self.count; ++i) apply(i);
}

}  // namespace detail

// MT_FOREACH(name, parameters, condition, arguments of one call) defines a functional body `name` and an in-place body `name`_ for lists.
#define MT_FOREACH(name, parameters, condition, ...)                                      \
  template <Name N>                                                                       \
  constexpr auto name = [] parameters -> std::vector<Tensor> {                            \
    condition;                                                                            \
    return detail::make_tensor_list(self, [&](int64_t i) { return op<N>(__VA_ARGS__); }); \
  };                                                                                      \
  template <Name N>                                                                       \
  constexpr auto name##_ = [] parameters {                                                \
    condition;                                                                            \
    detail::for_each_index(self, [&](int64_t i) { op<N>(__VA_ARGS__); });                 \
  }

MT_FOREACH(foreach_tensor, (TensorList self), check_list(self), self[i]);
MT_FOREACH(foreach_scalar, (TensorList self, Scalar scalar), check_list(self), self[i], scalar);
MT_FOREACH(foreach_scalars, (TensorList self, List<Value> scalars), check_scalars(self, scalars), self[i], Scalar::of_value(scalars[i]));
MT_FOREACH(foreach_list, (TensorList self, TensorList other), check_lists(self, other), self[i], other[i]);
MT_FOREACH(foreach_list_alpha, (TensorList self, TensorList other, Scalar alpha), check_lists(self, other), self[i], other[i], alpha);
MT_FOREACH(foreach_with, (TensorList self, const Tensor& other), check_list(self); check_number(other), self[i], other);
MT_FOREACH(foreach_with_alpha, (TensorList self, const Tensor& other, Scalar alpha), check_list(self);
           check_number(other), self[i], other, alpha);
MT_FOREACH(foreach_lists, (TensorList self, TensorList first, TensorList second), check_lists(self, first, second), self[i], first[i],
           second[i]);
MT_FOREACH(foreach_list_scalar, (TensorList self, TensorList other, Scalar weight), check_lists(self, other), self[i], other[i], weight);
MT_FOREACH(foreach_list_scalars, (TensorList self, TensorList other, List<Value> weights), check_lists(self, other);
           check_scalars(self, weights), self[i], other[i], Scalar::of_value(weights[i]));
MT_FOREACH(foreach_ternary, (TensorList self, TensorList first, TensorList second, Scalar value), check_lists(self, first, second), self[i],
           first[i], second[i], value);
MT_FOREACH(foreach_ternary_scalars, (TensorList self, TensorList first, TensorList second, List<Value> scalars),
           check_lists(self, first, second);
           check_scalars(self, scalars), self[i], first[i], second[i], Scalar::of_value(scalars[i]));
MT_FOREACH(foreach_ternary_packed, (TensorList self, TensorList first, TensorList second, const Tensor& packed),
           check_lists(self, first, second);
           const std::vector<Scalar> scalars = unpack_scalars(packed, self.count), self[i], first[i], second[i], scalars[size_t(i)]);

#undef MT_FOREACH

}  // namespace mt
