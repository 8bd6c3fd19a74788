// Tensor handles: the library's own; an undefined tensor is an empty one in a table of undefined handles.
#pragma once

#include "support.h"

namespace mt::stable {

// A handle of an undefined tensor, which the caller owns. As in torch, it has one dimension of size 0, no dtype and no memory.
mt_tensor* new_undefined_tensor();
bool is_undefined(const mt_tensor* tensor) noexcept;
// Releases a reference, also that of an undefined tensor.
void release_tensor(mt_tensor* tensor) noexcept;

mt_tensor_info info_of(const mt_tensor* tensor);

}  // namespace mt::stable
