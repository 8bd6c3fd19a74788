// Optimizer steps over lists of tensors in one pass over memory: _fused_adam_ and similar operators. Operations have the order and the
// roundings of optimizers written with single operators.
#pragma once

#include <vector>

#include "core/messages.h"
#include "rules/reduction/rows.h"

namespace mt {

// Reads a learning rate that is passed as a tensor.
inline double learning_rate_of(const Tensor& lr) {
  check(lr.numel() == 1, "lr must be a tensor of one element, got {}", lr.sizes());
  return *dense_as(lr, Dtype::float64).data<double>();
}
// The first element of a tensor of settings, as in torch.
inline double first_element_of(const Tensor& setting, const char* name) {
  check(setting.numel() > 0, "{} must have an element, got {}", name, setting.sizes());
  return *dense_as(setting, Dtype::float64).data<double>();
}
// Whether to skip the step because gradients overflowed under loss scaling.
inline bool must_skip_step(const Tensor& found_inf) { return found_inf.defined() && first_element_of(found_inf, "found_inf") == 1; }
inline double scale_of(const Tensor& grad_scale) { return grad_scale.defined() ? first_element_of(grad_scale, "grad_scale") : 1; }
inline double step_number_in(const Tensor& step) {
  check(step.numel() == 1, "a step count must have one element, got {}", step.sizes());
  return *dense_as(step, Dtype::float64).data<double>();
}

// Raises unless all lists have as many tensors as `self`.
inline void check_equal_lengths(TensorList self, std::initializer_list<TensorList> others) {
  for (TensorList other : others) check(other.count == self.count, messages::tensor_list_lengths_differ, self.count, other.count);
}

// The tensors of one parameter as dense memory in one element order. A tensor with another layout is copied, and `store` copies it
// back.
struct DenseGroup {
  std::vector<Tensor> originals, tensors;

  explicit DenseGroup(std::vector<Tensor> list) : originals(std::move(list)) {
    const Tensor& first = originals[0];
    bool alike = first.is_non_overlapping_and_dense();
    for (const Tensor& t : originals) {
      check(t.sizes() == first.sizes(), "The tensors of one parameter must have one shape, got {} and {}", first.sizes(), t.sizes());
      check(t.dtype() == first.dtype(), "The tensors of one parameter must have one dtype, got {} and {}", first.dtype(), t.dtype());
      alike = alike && t.strides() == first.strides();
    }
    for (const Tensor& t : originals) tensors.push_back(alike ? t : dense(t));
  }
  template <class T>
  T* data(size_t i) const {
    return tensors[i].data<T>();
  }
  void store() const {
    for (size_t i = 0; i < originals.size(); ++i)
      if (originals[i].get() != tensors[i].get()) copy_into(originals[i], tensors[i]);
  }
};

// Calls K::run<T>(begin, end, pointers, settings) over the elements of a group, compiled for the current instruction set.
template <class K, class S>
void run_fused(const DenseGroup& group, const char* name, const S& settings) {
  dispatch_floating(group.tensors[0].dtype(), name, [&]<class T>(Type<T>) {
    T* pointers[8] = {};
    for (size_t i = 0; i < group.tensors.size(); ++i) pointers[i] = group.data<T>(i);
    const auto run = row_clone<K>(static_cast<void (*)(int64_t, int64_t, T* const*, const S*)>(&K::template run<T>));
    cpu::parallel_for(0, group.tensors[0].numel(), 16384, [&](int64_t begin, int64_t end) { run(begin, end, pointers, &settings); });
  });
  group.store();
}

}  // namespace mt
