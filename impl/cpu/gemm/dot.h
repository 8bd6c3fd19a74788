// The inner product of two vectors.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace mt::cpu {

// Sums of products of two vectors of one floating or complex dtype, strides in bytes: real * real, imaginary * imaginary, real * imaginary,
// and imaginary * real. Real dtypes only set the first. Chunks have a fixed size, so that the number of threads does not change the result;
// half types are summed in float.
struct ProductSums {
  double real = 0, imaginary = 0, real_imaginary = 0, imaginary_real = 0;
};
ProductSums dot(Dtype dtype, int64_t n, const void* x, int64_t x_stride, const void* y, int64_t y_stride);

}  // namespace mt::cpu
