// Conversion between channels-last and planar order, for kernels that work plane by plane.
#pragma once

#include "definition/op.h"

namespace mt {

// A contiguous (planar) tensor with the same elements; the tensor itself if it is contiguous.
Tensor make_planar(const Tensor& t);
// Whether the elements are stored in the channels-last format `format`, and in no other order.
bool is_stored_channels_last(const Tensor& t, MemoryFormat format);
// A copy of a contiguous tensor in `format`; the tensor itself if that is the contiguous format.
Tensor copy_into_format(const Tensor& contiguous, MemoryFormat format);
// Any tensor, copied into `format` unless it is stored in it.
Tensor convert_to_format(const Tensor& t, MemoryFormat format);

}  // namespace mt
