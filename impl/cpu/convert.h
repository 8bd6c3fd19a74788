// Copies runs of elements from one dtype and stride to another.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace mt::cpu {

// dst[i * dst_stride] = src[i * src_stride] for i < n, with torch's conversion between the dtypes; strides in bytes. The
// runs may be the same memory only where both dtypes and strides are equal.
void convert_run(void* dst, int64_t dst_stride, Dtype dst_dtype, const void* src, int64_t src_stride, Dtype src_dtype, int64_t n);

}  // namespace mt::cpu
