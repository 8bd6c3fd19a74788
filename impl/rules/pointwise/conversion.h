// Warnings and errors of copies that convert and lose information.
#pragma once

#include "core/warn_once.h"
#include "definition/op.h"

namespace mt {

inline void warn_of_discarded_parts(Dtype to, Dtype from) {
  static std::atomic<bool> given;
  if (is_complex(from) && !is_complex(to) && to != Dtype::boolean)
    warn_once(given, "Casting complex values to real discards the imaginary part");
}

// The element of a one-element tensor.
Scalar read_single_element(Tensor t);

}  // namespace mt
