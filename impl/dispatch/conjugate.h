// Lazily conjugated and negated tensors: what happens where an operator does not read their bits itself.
#pragma once

#include "dispatch/operator.h"

namespace mt {

// Sets the fallbacks of the Conjugate and Negative keys. The registry calls it once.
void install_conjugate_fallbacks();
// A tensor of the same values whose elements lie in memory as they are; the tensor itself where they do already.
Tensor resolve_lazy_bits(const Tensor& tensor);

}  // namespace mt
