// Between channels-last and planar order: kernels that work plane by plane read and write both.
#pragma once

#include "op.h"

namespace mt {

// The same elements in contiguous order, the tensor itself where it lies so.
Tensor planar(const Tensor& t);
// A contiguous tensor as it is, or copied into the format.
Tensor in_format(const Tensor& contiguous, MemoryFormat format);

}  // namespace mt
