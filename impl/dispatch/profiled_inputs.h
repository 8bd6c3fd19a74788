// The inputs of a profiled call: what the profiler keeps of tensors and values.
#pragma once

#include "core/profile.h"
#include "dispatch/value.h"

namespace mt {

// Adds a tensor's dtype, sizes and strides to the inputs of the range that is open.
void record_tensor_input(Profile& p, const Tensor& t, int32_t tag);
// Records the arguments of the call whose range is open.
void record_inputs(const Value* args, int n);

}  // namespace mt
