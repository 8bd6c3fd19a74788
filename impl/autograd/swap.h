// Exchanges the contents of two tensors, so that all references to one see the other.
#pragma once

#include "core/tensor.h"

namespace mt {

// Exchanges memory, geometry, versions and history, but not the binding to objects of other languages.
void swap_contents(TensorImpl& a, TensorImpl& b);

}  // namespace mt
