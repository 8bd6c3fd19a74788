// Lazily conjugated and negated tensors: the fallback for operators that ignore the bits.
#pragma once

#include "dispatch/operator.h"

namespace mt {

// Installs the fallbacks of the Conjugate and Negative keys. The registry calls it once.
void install_conjugate_fallbacks();
// A tensor with the same values and no lazy bits; `tensor` itself if it has none.
Tensor resolve_lazy_bits(const Tensor& tensor);

}  // namespace mt
