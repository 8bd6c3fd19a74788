// The number of elements of a shape, checked.
#pragma once

#include "core/list.h"

namespace mt {

// Writes the product of the sizes; returns whether it fits without an overflow on the way, as torch multiplies: a later 0 excuses none.
bool multiply_sizes(IntList sizes, int64_t& product);

}  // namespace mt
