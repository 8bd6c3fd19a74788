// Conversion between channels-last and planar order, for kernels that work plane by plane.
#pragma once

#include "op.h"

namespace mt {

// The same elements in contiguous order; the tensor itself if it is contiguous.
Tensor planar(const Tensor& t);
// Whether the elements are stored in that channels-last format, and in no other order.
bool is_stored_channels_last(const Tensor& t, MemoryFormat format);
// A contiguous tensor, copied into the format if it is a different one.
Tensor in_format(const Tensor& contiguous, MemoryFormat format);
// Any tensor in the format; the tensor itself if it is stored so.
Tensor convert_to_format(const Tensor& t, MemoryFormat format);

}  // namespace mt
