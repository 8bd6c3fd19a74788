// The elements of a tensor as C++ texts of torch print them, which differs from Python's repr.
#pragma once

#include <string>

#include "core/tensor.h"

namespace mt {

// " 1  1\n 1  1\n[ torch.FloatTensor{2,2} ]". Raises for tensors whose elements cannot be read.
std::string elements_text(const Tensor& tensor);

}  // namespace mt
