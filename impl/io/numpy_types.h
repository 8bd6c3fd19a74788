// Names of NumPy's types: "<f4", "|u1", ">i2", and their long forms.
#pragma once

#include "io/source.h"

namespace mt::io {

struct NumpyType {
  Dtype dtype = Dtype::uint8;
  bool is_big = false;  // byte order
};
// RuntimeError, beginning with `what`, for types that tensors do not have.
NumpyType numpy_type(std::string_view name, const char* what);
// Returns NumPy's name of a dtype, such as "<f4"; empty if NumPy has no such type.
std::string numpy_code(Dtype dtype);
// Reverses the bytes of each element; of a complex number, those of each component.
void swap_bytes(Storage& storage, Dtype dtype);

}  // namespace mt::io
