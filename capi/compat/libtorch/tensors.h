// Tensor handles: this ABI's are the library's own, and the undefined ones are empty tensors that are known as such.
#pragma once

#include "support.h"

namespace mt::stable {

// A handle of no tensor, for the caller to own. It answers as torch's: one dimension of size 0, no dtype, no memory.
mt_tensor* new_undefined_tensor();
bool is_undefined(const mt_tensor* tensor) noexcept;
// Gives a reference back, of an undefined handle too.
void release_tensor(mt_tensor* tensor) noexcept;

mt_tensor_info info_of(const mt_tensor* tensor);

}  // namespace mt::stable
