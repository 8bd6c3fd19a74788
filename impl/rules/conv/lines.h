// Checks of 1-d poolings, which treat lines as planes of height 1.
#pragma once

#include "definition/op.h"

namespace mt {

inline void check_line_pool_input(const Tensor& self, const char* name) {
  check(self.dim() == 2 || self.dim() == 3,
        "Expected 2 to 3 dimensions, but got {}-dimensional tensor for argument #1 'self' (while checking arguments "
        "for {})",
        self.dim(), name);
}
inline int64_t read_single_int(IntList values, const char* name, const char* argument) {
  check(values.size() == 1, "{}() argument '{}' should contain one int (got {})", name, argument, values.size());
  return values[0];
}

}  // namespace mt
