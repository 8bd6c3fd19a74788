// The scatter family: elements placed into lines of a tensor by index, alone or combined with what is there.
#pragma once

#include "rules/indexing.h"

namespace mt {

enum class Combine : int8_t { sum, prod, mean, amax, amin };
Combine combine_of(Text reduce);  // "sum", "prod", ...; torch's text for another

// torch's texts for shapes and dtypes that do not fit; `src` may be undefined.
void check_scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src);
// What is written into: `self` where the call is in place (then all of `index` is checked first), else a contiguous copy.
Tensor scatter_target(const Tensor& self, int64_t dim, const Tensor& index);
// A number in the shape of `index`, for scatters of one value.
Tensor spread_value(const Scalar& value, Dtype dtype, Device device, const Tensor& index);

// out[index] = src along `dim`; later writes win.
void scatter_place(const Tensor& out, int64_t dim, const Tensor& index, const Tensor& src);
// out[index] = out[index] (op) src, one after another in the order of the index; mean sums here. `name` is for the texts about dtypes.
void scatter_combine(const Tensor& out, int64_t dim, const Tensor& index, const Tensor& src, Combine how, const char* name);
// self with all of src combined in; without `include_self`, what stood in the places that are written to does not count.
Tensor scatter_reduced(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Combine how, bool include_self,
                       const char* name);
// Gradients of that with respect to self and src.
Tensors<2> scatter_reduced_gradient(const Tensor& g, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Combine how,
                                    bool include_self, const Tensor& result, Wanted wanted);

}  // namespace mt
