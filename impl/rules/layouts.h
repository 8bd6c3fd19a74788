// Between channels-last and planar order: kernels that work plane by plane read and write both.
#pragma once

#include "op.h"

namespace mt {

// The same elements in contiguous order, the tensor itself where it lies so.
Tensor planar(const Tensor& t);
// Whether the elements lie in that format, which is one of channels-last, and in no other order.
bool is_stored_channels_last(const Tensor& t, MemoryFormat format);
// A contiguous tensor as it is, or copied into the format.
Tensor in_format(const Tensor& contiguous, MemoryFormat format);
// Any tensor in the format, itself where it lies so.
Tensor convert_to_format(const Tensor& t, MemoryFormat format);

}  // namespace mt
