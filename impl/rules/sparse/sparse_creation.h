// Sparse tensors from components: shared by the operators that make them.
#pragma once

#include <string>

#include "rules/sparse/sparse_compressed.h"

namespace mt {

// ---- sparse_coo ----

// Raises unless the sizes have `sparse_dims` sparse and `dense_dims` dense dimensions.
void check_split(IntList size, int64_t sparse_dims, int64_t dense_dims);
// Raises if a component, called `name`, is sparse itself.
void check_dense(const Tensor& part, const char* name);
// The values tensor; a 0-dim one is expanded to one element.
Tensor with_elements(const Tensor& values);

// ---- compressed layouts ----

// Returns the layout if it is a compressed one; otherwise raises in the name of the operator `who`.
Layout compressed_layout(const char* who, std::optional<Layout> layout);
// Raises if the given layout differs from the operator's own; `what` is the operator's name in the error message.
void check_own_layout(const std::string& what, Layout own, std::optional<Layout> given);
// Makes a tensor that shares the components; validates them if the option MT_OPTION_SPARSE_CHECKS is set.
Tensor compressed_of(const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, std::optional<Dtype> dtype,
                     Layout layout, std::optional<Device> device, std::optional<bool> pin);
// The smallest sizes that contain all indices.
Dims least_sizes(Layout layout, const Tensor& begins, const Tensor& plain, const Tensor& values);

// Bodies of the operators for a single layout. They are not differentiable, as in torch, whose Python functions call
// sparse_compressed_tensor.
template <Layout own>
constexpr auto unsafe_with_layout = [](const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size,
                                       std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                                       std::optional<bool> pin) -> Tensor {
  check_own_layout("compressed", own, layout);
  return compressed_of(begins, plain, values, size, dtype, own, device, pin);
};
template <Layout own>
constexpr auto sized_with_layout = [](const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size,
                                      std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                                      std::optional<bool> pin) -> Tensor {
  check_own_layout(short_name(own) + 7, own, layout);
  return compressed_of(begins, plain, values, size, dtype, own, device, pin);
};
template <Layout own>
constexpr auto unsized_with_layout = [](const Tensor& begins, const Tensor& plain, const Tensor& values, std::optional<Dtype> dtype,
                                        std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  check_own_layout(short_name(own) + 7, own, layout);
  return compressed_of(begins, plain, values, least_sizes(own, begins, plain, values), dtype, own, device, pin);
};

}  // namespace mt
