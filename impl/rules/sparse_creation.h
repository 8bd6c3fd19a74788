// Sparse tensors from their parts: what the operators that make them share.
#pragma once

#include <string>

#include "rules/sparse_compressed.h"

namespace mt {

// ---- coordinates ----

// Raises where the sizes are not those of so many sparse and dense dimensions.
void check_split(IntList size, int64_t sparse_dims, int64_t dense_dims);
// Raises where a part, called `name`, is sparse itself.
void check_dense(const Tensor& part, const char* name);
// Values, of which a single one stands for a row of one.
Tensor with_elements(const Tensor& values);

// ---- compressed layouts ----

// The layout, where it is a compressed one; `who` is the operator that raises otherwise.
Layout compressed_layout(const char* who, std::optional<Layout> layout);
// Raises where another layout is given than the one that an operator is for; `what` is its name in the text.
void check_own_layout(const std::string& what, Layout own, std::optional<Layout> given);
// A tensor that refers to the parts, which are validated where the option MT_OPTION_SPARSE_CHECKS is set.
Tensor compressed_of(const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, std::optional<Dtype> dtype,
                     Layout layout, std::optional<Device> device, std::optional<bool> pin);
// The least sizes that hold the indices.
Dims least_sizes(Layout layout, const Tensor& begins, const Tensor& plain, const Tensor& values);

// Bodies of the operators that are for one layout. They know nothing of gradients, as in torch: its Python functions call
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
