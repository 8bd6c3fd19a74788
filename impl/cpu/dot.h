// The inner product of two vectors.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace mt::cpu {

// The sums of the products of two vectors of one floating or complex dtype, strides in bytes: of the real parts, of the imaginary ones, of
// real with imaginary, and of imaginary with real. Numbers that are real have all of it in the first. In chunks of fixed size, so that
// the number of threads does not change the result; half types are summed in float.
struct ProductSums {
  double real = 0, imaginary = 0, real_imaginary = 0, imaginary_real = 0;
};
ProductSums dot(Dtype dtype, int64_t n, const void* x, int64_t x_stride, const void* y, int64_t y_stride);

}  // namespace mt::cpu
