// Access to whole tensors that is no operator: the number of a tensor, and another tensor's data.
#pragma once

#include "core/scalar.h"
#include "core/tensor.h"

namespace mt {

// Returns the only element of a tensor. The profiler, modes and vmap see it as torch's item().
Scalar read_item(const Tensor& t);
// Gives `target` memory, geometry and dtype of `source`; its history and version stay.
void set_data(TensorImpl& target, const TensorImpl& source);

}  // namespace mt
