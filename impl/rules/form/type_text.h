// The C++ type names that torch prints for a tensor: "torch.FloatTensor", "CPUBoolType", "MetaFloatType".
#pragma once

#include <string>

#include "core/exception.h"
#include "core/tensor.h"

namespace mt {

// CPU dtypes for which older releases had tensor types keep the old name.
inline std::string tensor_type_text(const Tensor& t) {
  if (t.is_meta()) return text("Meta{}Type", t.dtype());
  const bool of_coordinates = t.layout() == Layout::sparse_coo;
  switch (t.dtype()) {
    case Dtype::float16:
    case Dtype::float32:
    case Dtype::float64:
    case Dtype::uint8:
    case Dtype::int8:
    case Dtype::int16:
    case Dtype::int32:
    case Dtype::int64: return text("torch.{}{}Tensor", of_coordinates ? "sparse." : "", t.dtype());
    default: return text("{}CPU{}Type", of_coordinates ? "Sparse" : "", t.dtype());
  }
}

}  // namespace mt
