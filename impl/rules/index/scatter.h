// The scatter family: stores elements at indices along a dimension, or combines them with the existing ones.
#pragma once

#include "rules/index/indexing.h"

namespace mt {

enum class Combine : int8_t { sum, prod, mean, amax, amin };
Combine combine_of(Text reduce);  // "sum", "prod", ...; raises torch's error for anything else

// Checks shapes and dtypes with torch's error messages; `src` may be undefined.
void check_scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src);
// The tensor to write: `self` for an in-place call (the whole index is then checked before the first write), otherwise a contiguous copy.
Tensor make_scatter_target(const Tensor& self, int64_t dim, const Tensor& index);
// A number expanded to the shape of `index`, for scatters of one value.
Tensor expand_value(const Scalar& value, Dtype dtype, Device device, const Tensor& index);

// out[index] = src along `dim`; later writes win.
void scatter_place(const Tensor& out, int64_t dim, const Tensor& index, const Tensor& src);
// out[index] = out[index] (op) src, in the order of the index; for the mean computes sums, which the caller divides. `name` is the kernel's
// name in messages of dtype errors.
void scatter_combine(const Tensor& out, int64_t dim, const Tensor& index, const Tensor& src, Combine how, const char* name);
// Returns `self` with all of src combined into it; without `include_self` the old values at the indices do not count.
Tensor scatter_reduced(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Combine how, bool include_self,
                       const char* name);
// Gradients of scatter_reduced with respect to self and src.
Tensors<2> scatter_reduced_gradient(const Tensor& g, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Combine how,
                                    bool include_self, const Tensor& result, Wanted wanted);

}  // namespace mt
