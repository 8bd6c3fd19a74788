// Exchanging what two tensors are, so that all references to one mean the other.
#pragma once

#include "core/tensor.h"

namespace mt {

// Everything but the identity towards other languages: memory, geometry, versions, history.
void swap_contents(TensorImpl& a, TensorImpl& b);

}  // namespace mt
